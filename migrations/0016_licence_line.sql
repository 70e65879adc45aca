-- "TX Master Plumber M-12345": what the law of many states asks to stand on estimates and invoices.
ALTER TABLE org ADD COLUMN licence_line TEXT;
