-- Makes what the web page needs: pinned conversations, and answers that are to be stopped.
-- Safe while the service runs: columns with constant defaults; writers to conversations wait while
-- the index over the pinned ones is made, of which there are none yet.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE conversations ADD COLUMN pinned boolean NOT NULL DEFAULT false;

-- Few are pinned, and they come first: the others are found by conversations_recent.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX conversations_pinned ON conversations (tenant_id, user_id, updated_at DESC, id DESC)
    WHERE pinned;

-- Whoever makes the answer looks here, also in another process.
ALTER TABLE answers ADD COLUMN stopped boolean NOT NULL DEFAULT false;
