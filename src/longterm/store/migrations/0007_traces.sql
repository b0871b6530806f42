-- Lets a job tell which trace asked for it last, as W3C's `traceparent`.
-- Safe while the service runs: a column without a default, and nothing is rewritten.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE jobs ADD COLUMN traceparent text;
