-- Corrections of tickets and subscriptions, a purge, and a few new rows.

update raw_desk_users set team = 'billing', is_active = false where id = 3;

update raw_desk_tickets set priority = 'urgent', assignee_id = 2 where id % 11 = 5;

update raw_desk_tickets_eu set status = 'solved', requester_id = 12 where id % 7 = 3;

update raw_desk_field_changes
set changed_at = changed_at + interval 45 minutes
where ticket_id % 13 = 4 and value in ('pending', 'solved');

insert into raw_desk_field_changes
select ticket_id, 'status', 'solved', 2, changed_at + interval 2 days
from raw_desk_field_changes
where ticket_id in (101, 102) and value = 'open';

update raw_desk_comments set is_public = not is_public where id % 40 = 2;

update raw_desk_schedules
set closes_at_minute = closes_at_minute - 60
where schedule_id = 2 and weekday = 2;

update raw_desk_holidays set holiday_on = date '2025-05-02' where name = 'Labour Day';

update raw_desk_sla_targets set target_minutes = target_minutes + 90 where id = 15;

update raw_subs_accounts set industry = 'health', name = 'Account 04 Ltd' where id = 4;

update raw_subs_plans set price = price + 1.5 where id = 'team-month-USD';

update raw_subs_subscriptions set ended_on = started_on + 70 where id % 25 = 3;

update raw_subs_subscriptions set seats = seats + 2 where id % 20 = 11;

delete from raw_desk_tickets where id % 17 = 8;

delete from raw_desk_field_changes where ticket_id % 17 = 8;

delete from raw_desk_comments where id % 33 = 5;

insert into raw_desk_comments
values (2001, 9, 12, true, 44, timestamp '2025-06-01 09:00:00'), (2002, 9, 3, true, 51,
  timestamp '2025-06-01 09:20:00');

delete from raw_desk_users where id = 27;

delete from raw_desk_holidays where name = 'Company day';

delete from raw_desk_schedules where schedule_id = 2 and weekday = 5;

delete from raw_desk_sla_targets where id = 25;

delete from raw_subs_accounts where id = 33;

delete from raw_subs_subscriptions where id % 30 = 9;

insert into raw_subs_subscriptions values (601, 15, 'basic-month-EUR', 3, date '2025-11-01', null);

delete from raw_subs_plans where id = 'solo-month-EUR';
