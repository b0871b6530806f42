-- Takes no samples of what users wrote into the planner's statistics, where no query compares it.
-- Samples would outlive the rows that they were taken from. Those that were taken before stay until
-- the statements of a receipt are run.
-- Safe while the service runs: only catalog entries change, and nobody waits.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE messages ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE messages ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE conversations ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE episodes ALTER COLUMN summary SET STATISTICS 0;
ALTER TABLE episodes ALTER COLUMN rolling SET STATISTICS 0;
ALTER TABLE facts ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE places ALTER COLUMN place_name SET STATISTICS 0;
ALTER TABLE places ALTER COLUMN notes SET STATISTICS 0;
ALTER TABLE clarifications ALTER COLUMN query SET STATISTICS 0;
ALTER TABLE clarifications ALTER COLUMN question SET STATISTICS 0;
ALTER TABLE idempotency ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE embeddings ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE checkpoints ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE checkpoint_pieces ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE checkpoint_writes ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE users ALTER COLUMN mode SET STATISTICS 0;
ALTER TABLE users ALTER COLUMN speakers SET STATISTICS 0;
ALTER TABLE api_keys ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE ledger ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE jobs ALTER COLUMN last_error SET STATISTICS 0;
