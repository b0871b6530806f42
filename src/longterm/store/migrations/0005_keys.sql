-- Makes the keys of the HTTP API, and the answers that are kept so that a request can be repeated.
-- Safe while the service runs: new tables only.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

-- Of a key only its SHA-256 is kept: it is 32 random bytes, so nothing slower is needed.
CREATE TABLE api_keys (
    tenant_id    bigint NOT NULL,
    id           uuid NOT NULL,
    key_hash     bytea NOT NULL CHECK (octet_length(key_hash) = 32),
    prefix       text NOT NULL,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    scope        text NOT NULL CHECK (scope IN ('admin', 'app', 'user')),
    user_id      text CHECK (length(user_id) BETWEEN 1 AND 255),
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT a_user_key_has_a_user CHECK ((scope = 'user') = (user_id IS NOT NULL))
);

-- Looked up before the tenant is known. Not unique: that would tell of another tenant's row.
CREATE INDEX api_keys_of_hash ON api_keys (key_hash);

-- `caller` is the id of the key that a request came with. Without a `status`, the first request
-- is under way, until its `lease_until` at the longest.
CREATE TABLE idempotency (
    tenant_id    bigint NOT NULL,
    caller       text NOT NULL,
    key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    user_id      text,
    attempt      uuid NOT NULL,
    request_hash bytea NOT NULL,
    lease_until  timestamptz NOT NULL,
    status       smallint,
    content_type text,
    body         bytea,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, caller, key)
);

CREATE INDEX idempotency_old ON idempotency (tenant_id, created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys, idempotency TO longterm_app;
GRANT SELECT (tenant_id, id, key_hash, scope, user_id, last_used_at, revoked_at)
    ON api_keys TO longterm_system;
GRANT UPDATE (last_used_at) ON api_keys TO longterm_system;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['api_keys', 'idempotency']
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

CREATE POLICY all_keys ON api_keys FOR SELECT TO longterm_system USING (true);
CREATE POLICY use_of_keys ON api_keys FOR UPDATE TO longterm_system USING (true);
