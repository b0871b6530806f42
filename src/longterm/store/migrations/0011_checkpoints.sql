-- Makes the checkpoints of LangGraph: the state of a thread after each step of a graph.
-- Safe while the service runs: new tables only.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

-- Ids rise with time as text, byte by byte: hence the collation. `versions` tells which version of
-- each channel belongs to the checkpoint; what is in the channels lies in the tables below.
CREATE TABLE checkpoints (
    tenant_id bigint NOT NULL,
    user_id   text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 255),
    thread_id text COLLATE "C" NOT NULL CHECK (length(thread_id) BETWEEN 1 AND 255),
    namespace text COLLATE "C" NOT NULL,
    id        text COLLATE "C" NOT NULL,
    parent_id text,
    kind      text NOT NULL,
    data      bytea NOT NULL,
    metadata  json NOT NULL,
    versions  json NOT NULL,
    saved_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id, thread_id, namespace, id)
);

-- A version of a channel is stored once, whatever the number of checkpoints that have it.
-- `pieces` are the hashes of its pieces in order, 32 bytes each.
CREATE TABLE checkpoint_channels (
    tenant_id bigint NOT NULL,
    user_id   text NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    channel   text NOT NULL,
    version   text NOT NULL,
    is_list   boolean NOT NULL,
    pieces    bytea NOT NULL CHECK (octet_length(pieces) % 32 = 0),
    PRIMARY KEY (tenant_id, user_id, thread_id, namespace, channel, version)
);

-- A list that grows is cut into pieces, so that a longer version adds its end only.
CREATE TABLE checkpoint_pieces (
    tenant_id bigint NOT NULL,
    user_id   text NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    hash      bytea NOT NULL CHECK (octet_length(hash) = 32),
    kind      text NOT NULL,
    data      bytea NOT NULL,
    PRIMARY KEY (tenant_id, user_id, thread_id, hash)
);

-- What tasks of a step have written before the step is over.
CREATE TABLE checkpoint_writes (
    tenant_id     bigint NOT NULL,
    user_id       text NOT NULL,
    thread_id     text COLLATE "C" NOT NULL,
    namespace     text COLLATE "C" NOT NULL,
    checkpoint_id text COLLATE "C" NOT NULL,
    task_id       text COLLATE "C" NOT NULL,
    place         integer NOT NULL,
    task_path     text COLLATE "C" NOT NULL,
    channel       text NOT NULL,
    kind          text NOT NULL,
    data          bytea NOT NULL,
    PRIMARY KEY (tenant_id, user_id, thread_id, namespace, checkpoint_id, task_id, place)
);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON checkpoints, checkpoint_channels, checkpoint_pieces, checkpoint_writes TO longterm_app;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['checkpoints', 'checkpoint_channels', 'checkpoint_pieces',
                                'checkpoint_writes']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_tenant ON %I TO longterm_app '
                       'USING (tenant_id = current_tenant())', name);
        EXECUTE format('CREATE POLICY of_user ON %I AS RESTRICTIVE TO longterm_app '
                       'USING (CASE WHEN (SELECT current_user_id()) IS NULL THEN true '
                       'ELSE user_id = (SELECT current_user_id()) END)', name);
    END LOOP;
END $$;
