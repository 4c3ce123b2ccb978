select ticket_id, created_at as happened_at, 'comment' as kind, side as detail
from {{ ref('int_comments_in_order') }}

union all

select ticket_id, valid_from as happened_at, 'status' as kind, status as detail
from {{ ref('int_ticket_status_history') }}

union all

select ticket_id, valid_from as happened_at, 'priority' as kind, priority as detail
from {{ ref('int_ticket_priority_history') }}
