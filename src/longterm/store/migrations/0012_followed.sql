-- Marks the answers under way that somebody follows: of these alone others are notified.
-- Safe while the service runs: a column with a constant default, and servers of the version before
-- know nothing of it.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE answers ADD COLUMN followed boolean NOT NULL DEFAULT false;
