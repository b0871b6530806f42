-- Brings up to date what earlier versions left: marks the facts whose source, a message or a
-- conversation, is not there any more, and queues jobs for what is not searchable yet.
-- Safe while the service runs: a column with a constant default, then one pass over facts and one
-- over conversations, during which writers wait.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE facts ADD COLUMN source_gone boolean NOT NULL DEFAULT false;

-- The owner of the tables is bound by their policies, too, and would see no row.
ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE facts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodes NO FORCE ROW LEVEL SECURITY;
ALTER TABLE passages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY;

-- From here on, whoever knows the message knows the conversation.
UPDATE facts
   SET source_conversation_id = messages.conversation_id
  FROM messages
 WHERE messages.tenant_id = facts.tenant_id
   AND messages.id = facts.source_message_id
   AND facts.source_conversation_id IS NULL;

UPDATE facts
   SET source_gone = true
 WHERE (source_message_id IS NOT NULL
        AND NOT EXISTS (SELECT
                          FROM messages
                         WHERE messages.tenant_id = facts.tenant_id
                           AND messages.id = facts.source_message_id))
    OR (source_conversation_id IS NOT NULL
        AND NOT EXISTS (SELECT
                          FROM conversations
                         WHERE conversations.tenant_id = facts.tenant_id
                           AND conversations.id = facts.source_conversation_id));

-- Messages of before there were passages, or facts: their jobs are done and gone.
INSERT INTO jobs (tenant_id, task, key, user_id)
SELECT tenant_id, 'digest', id::text, user_id
  FROM conversations
 WHERE (expires_at IS NULL OR expires_at > now())
   AND EXISTS (SELECT
                 FROM messages
                WHERE messages.tenant_id = conversations.tenant_id
                  AND messages.conversation_id = conversations.id
                  AND messages.id > least(indexed_through, learned_through))
    ON CONFLICT (tenant_id, task, key) DO NOTHING;

INSERT INTO jobs (tenant_id, task, key, user_id)
SELECT tenant_id, 'embed', user_id, user_id
  FROM facts
 WHERE valid_to IS NULL
   AND NOT archived
   AND NOT EXISTS (SELECT
                     FROM passages
                    WHERE passages.tenant_id = facts.tenant_id
                      AND passages.fact_id = facts.id
                      AND passages.fact_version = facts.version)
 UNION
SELECT tenant_id, 'embed', user_id, user_id
  FROM episodes
 WHERE NOT EXISTS (SELECT
                     FROM passages
                    WHERE passages.tenant_id = episodes.tenant_id
                      AND passages.episode_id = episodes.id)
    ON CONFLICT (tenant_id, task, key) DO NOTHING;

ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
ALTER TABLE passages FORCE ROW LEVEL SECURITY;
ALTER TABLE episodes FORCE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
