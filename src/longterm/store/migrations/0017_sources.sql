-- Marks the facts whose source, a message or a conversation, is not there any more.
-- Safe while the service runs: a column with a constant default, then one pass over facts, during
-- which writers to facts, messages and conversations wait.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE facts ADD COLUMN source_gone boolean NOT NULL DEFAULT false;

-- The owner of the tables is bound by their policies, too, and would see no row.
ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE facts NO FORCE ROW LEVEL SECURITY;

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

ALTER TABLE facts FORCE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
