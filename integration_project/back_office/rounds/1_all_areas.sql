-- A week of business: almost only new rows.

insert into raw_desk_users values (31, 'User 31', 'customer', null, 3, true);

insert into raw_desk_tickets
select id + 100, requester_id, assignee_id, channel, priority, 'open', subject, schedule_id,
  created_at + interval 9 days, updated_at + interval 9 days
from raw_desk_tickets
where id in (1, 2, 3);

insert into raw_desk_tickets_eu
select id + 100, 31, assignee_id, channel, 'high', status, subject, 1, created_at, updated_at
from raw_desk_tickets_eu
where id = 1002;

insert into raw_desk_field_changes
select ticket_id + 100, field, value, changed_by, changed_at + interval 9 days
from raw_desk_field_changes
where ticket_id in (1, 2, 3, 1002) and value <> 'solved';

insert into raw_desk_comments
select id + 1000, ticket_id + 100, author_id, is_public, characters, created_at + interval 9 days
from raw_desk_comments
where ticket_id in (1, 2, 1002);

-- comments that were edited come once more
insert into raw_desk_comments
select id, ticket_id, author_id, true, characters + 1, created_at + interval 5 minutes
from raw_desk_comments
where id % 50 = 7;

insert into raw_desk_holidays values (2, date '2025-06-19', 'Corpus Christi');

insert into raw_desk_sla_targets values (25, 'high', 'first reply', 1, 60, date '2025-03-01');

insert into raw_subs_accounts values (41, 'Account 41', 'US', 'retail', date '2025-05-02');

insert into raw_subs_plans values ('solo-month-EUR', 'solo', 'month', 'EUR', 5.25);

insert into raw_subs_subscriptions
values (501, 41, 'solo-month-EUR', 2, date '2025-05-03', null), (502, 7, 'team-month-USD', 4,
  date '2025-10-01', date '2025-12-20');

insert into raw_web_page_views
select id + 1000, visitor_id, url_path, referrer, 'social', utm_campaign, seconds_on_page,
  viewed_at + interval 3 days, loaded_at + interval 3 days
from raw_web_page_views
where visitor_id in ('v001', 'v002', 'v036');

insert into raw_web_identities
values ('v005', 5, timestamp '2025-04-20 10:00:00'), ('v001', 12, timestamp '2025-04-21 11:30:00');

insert into raw_web_ad_spend values (date '2025-05-03', 'social', 'spring', 77.5);

insert into raw_web_conversions
select id + 100, account_id, 'purchase', amount + 1, converted_at + interval 2 days
from raw_web_conversions
where id % 9 = 1;

insert into raw_ledger_invoices
select id + 100, account_id, concat(number, '-B'), currency, 'issued', issued_on + 12, due_on + 12
from raw_ledger_invoices
where id in (3, 17, 40);

insert into raw_ledger_invoice_lines
select invoice_id + 100, line_number, item, quantity, unit_price, tax_rate
from raw_ledger_invoice_lines
where invoice_id in (3, 17, 40);

insert into raw_ledger_payments
select id + 100, invoice_id + 100, method, amount, paid_at + interval 12 days
from raw_ledger_payments
where invoice_id in (3, 40);

insert into raw_ledger_credit_notes values (101, 117, 9.75, 'goodwill', date '2025-06-03');

insert into raw_ledger_gl_accounts values (6300, 'Software', 'expense');

insert into raw_ledger_exchange_rates values ('USD', date '2025-06-15', 0.875);
