-- The same for page views and invoices.

update raw_web_page_views set viewed_at = viewed_at + interval 50 minutes where id % 60 = 12;

update raw_web_identities set account_id = 9 where visitor_id = 'v011';

update raw_web_ad_spend set cost = cost * 2 where spent_on = date '2025-04-06';

update raw_web_conversions set amount = amount + 10 where id in (2, 21);

update raw_ledger_invoices set status = 'void' where id = 12;

update raw_ledger_invoices set due_on = due_on + 16 where id % 23 = 5;

update raw_ledger_invoice_lines set quantity = quantity + 1 where invoice_id % 16 = 2;

update raw_ledger_payments set amount = amount - 1.25 where id % 19 = 4;

update raw_ledger_credit_notes set amount = amount + 2 where id = 6;

update raw_ledger_gl_accounts set name = 'Cloud hosting' where code = 5000;

update raw_ledger_exchange_rates
set rate_to_eur = 1.1875
where currency = 'GBP' and valid_from = date '2025-04-01';

delete from raw_web_page_views where id % 37 = 6;

insert into raw_web_page_views
values (3001, 'v004', '/signup', null, 'search', 'brand', 12.25, timestamp '2025-04-28 08:00:00',
  timestamp '2025-04-28 08:00:03');

delete from raw_web_identities where visitor_id = 'v007';

delete from raw_web_ad_spend where spent_on = date '2025-03-10';

delete from raw_web_conversions where id % 12 = 5;

delete from raw_ledger_invoices where id = 24;

delete from raw_ledger_invoice_lines where invoice_id = 24 or invoice_id = 31;

delete from raw_ledger_payments where id % 20 = 9;

insert into raw_ledger_payments values (301, 5, 'transfer', 20.5, timestamp '2025-06-20 12:00:00');

delete from raw_ledger_credit_notes where id = 3;

delete from raw_ledger_gl_accounts where code = 6300;

update raw_ledger_exchange_rates
set rate_to_eur = 0.0125
where currency = 'INR' and valid_from >= date '2025-03-01';
