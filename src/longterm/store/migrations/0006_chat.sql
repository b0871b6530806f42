-- Makes what a chat needs beside its messages: answers under way, what a conversation was told,
-- questions of ours that wait for an answer, and what was said while the database was away.
-- Safe while the service runs: new tables, and a column without a default.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

-- The facts that a conversation was told at its first message; later only changes are told.
ALTER TABLE conversations ADD COLUMN told json;

-- A question whose answer is being made; `seen_at` is touched by whoever makes it.
CREATE TABLE answers (
    tenant_id   bigint NOT NULL,
    question_id bigint NOT NULL,
    user_id     text NOT NULL,
    answer_id   bigint,
    seen_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, question_id),
    FOREIGN KEY (tenant_id, question_id) REFERENCES messages (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- UNLOGGED: alive for five minutes, gone after a crash, shared by all processes.
CREATE UNLOGGED TABLE clarifications (
    tenant_id       bigint NOT NULL,
    conversation_id uuid NOT NULL,
    user_id         text NOT NULL,
    query           text NOT NULL,
    question        text NOT NULL,
    options         json NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
);

-- What was said under an id of its own, so that writing it once more changes nothing.
CREATE TABLE said_once (
    tenant_id bigint NOT NULL,
    id        uuid NOT NULL,
    user_id   text NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);

CREATE INDEX said_once_old ON said_once (tenant_id, at);

GRANT SELECT, INSERT, UPDATE, DELETE ON answers, clarifications, said_once TO longterm_app;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['answers', 'clarifications', 'said_once']
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
