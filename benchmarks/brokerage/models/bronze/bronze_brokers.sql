select broker_id, manager_id, trim(broker_name) as broker_name, branch
from {{ source('brokerage', 'brokers') }}
where job_code = 314
