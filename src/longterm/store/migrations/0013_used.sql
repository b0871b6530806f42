-- A copy of what the metadata of an answer has under `used`: a page of messages tells it of each,
-- and to take it out of the metadata was a third of reading the page.
-- Safe while the service runs: a column without values. Answers by servers of the version before
-- have it in the metadata alone, where it is looked for, too.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE messages ADD COLUMN used json;
