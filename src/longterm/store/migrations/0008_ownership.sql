-- Makes what ownership needs: that somebody or something was forgotten, without telling what it
-- was, and which messages of other programs were taken in already.
-- Safe while the service runs: new tables only.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

-- `user_hash` is the SHA-256 of `id` and the user's id: who has the receipt can prove it, nobody
-- else can tell who it was. Hence no user_id, and no policy of a user.
CREATE TABLE forgettings (
    tenant_id       bigint NOT NULL,
    id              uuid NOT NULL,
    what            text NOT NULL CHECK (what IN ('user', 'conversation', 'message', 'rewind')),
    user_hash       bytea NOT NULL CHECK (octet_length(user_hash) = 32),
    conversation_id uuid,
    counts          json NOT NULL,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, id)
);

CREATE INDEX forgettings_of_tenant ON forgettings (tenant_id, at);
-- For every process that has something in RAM, whatever the tenant.
CREATE INDEX forgettings_recent ON forgettings (at);

-- One row for each message and conversation that an import stored; `source` is the SHA-256 of
-- where it comes from. No foreign key: what was deleted here is not taken in again.
CREATE TABLE imported (
    tenant_id       bigint NOT NULL,
    user_id         text NOT NULL,
    source          bytea NOT NULL CHECK (octet_length(source) = 32),
    conversation_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, user_id, source)
);

GRANT SELECT, INSERT ON forgettings TO longterm_app;
GRANT SELECT ON forgettings TO longterm_system;
GRANT SELECT, INSERT, DELETE ON imported TO longterm_app;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['forgettings', 'imported']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_tenant ON %I TO longterm_app '
                       'USING (tenant_id = current_tenant())', name);
    END LOOP;

    EXECUTE 'CREATE POLICY of_user ON imported AS RESTRICTIVE TO longterm_app '
            'USING (CASE WHEN (SELECT current_user_id()) IS NULL THEN true '
            'ELSE user_id = (SELECT current_user_id()) END)';
END $$;

CREATE POLICY all_forgettings ON forgettings FOR SELECT TO longterm_system USING (true);
