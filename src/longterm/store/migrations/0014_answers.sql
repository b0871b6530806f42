-- Leaves every second message id free, so that an answer that comes after later questions has an
-- id between its question and them. Names the writes that were applied, and what each of them
-- stored. Removes the prompt that conversations remembered: prompts are built from the
-- facts that hold.
-- Not safe while the service runs: servers of the version before use what is renamed and removed.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE messages ALTER COLUMN id SET INCREMENT BY 2;
GRANT USAGE ON SEQUENCE messages_id_seq TO longterm_app;

-- squawk-ignore renaming-table
ALTER TABLE said_once RENAME TO applied_writes;
-- squawk-ignore renaming-object
ALTER INDEX said_once_old RENAME TO applied_writes_old;
-- The id of what the write stored; several are separated by commas.
ALTER TABLE applied_writes ADD COLUMN record_id text;

-- squawk-ignore ban-drop-column
ALTER TABLE conversations DROP COLUMN told;
