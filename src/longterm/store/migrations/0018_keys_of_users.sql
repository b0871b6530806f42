-- Lets no row of a user hang on a row of another user: foreign keys name the user, too. Row-level
-- policies can't look at the other table (Citus refuses sub-selects in them).
-- While the five unique indexes are built, writers to these tables wait. The keys are not validated:
-- earlier versions stored each row with the user of its parent.

SET LOCAL lock_timeout = '10s';
SET LOCAL statement_timeout = '10min';

-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX conversations_of_user ON conversations (tenant_id, user_id, id);
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX messages_of_user ON messages (tenant_id, user_id, id);
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX episodes_by_user ON episodes (tenant_id, user_id, id);
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX facts_by_user ON facts (tenant_id, user_id, id, version);
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX passages_by_user ON passages (tenant_id, user_id, id);

-- A question of ours goes with its conversation.
ALTER TABLE clarifications ADD CONSTRAINT of_a_conversation_of_the_user
    FOREIGN KEY (tenant_id, user_id, conversation_id)
    REFERENCES conversations (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;

ALTER TABLE messages ADD CONSTRAINT of_a_conversation_of_the_user
    FOREIGN KEY (tenant_id, user_id, conversation_id)
    REFERENCES conversations (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE messages DROP CONSTRAINT messages_tenant_id_conversation_id_fkey;

ALTER TABLE episodes ADD CONSTRAINT of_a_conversation_of_the_user
    FOREIGN KEY (tenant_id, user_id, conversation_id)
    REFERENCES conversations (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE episodes DROP CONSTRAINT episodes_tenant_id_conversation_id_fkey;

ALTER TABLE threads ADD CONSTRAINT of_a_conversation_of_the_user
    FOREIGN KEY (tenant_id, user_id, conversation_id)
    REFERENCES conversations (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE threads DROP CONSTRAINT threads_tenant_id_conversation_id_fkey;

ALTER TABLE ledger ADD CONSTRAINT of_a_message_of_the_user
    FOREIGN KEY (tenant_id, user_id, message_id)
    REFERENCES messages (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE ledger DROP CONSTRAINT ledger_tenant_id_message_id_fkey;

ALTER TABLE answers ADD CONSTRAINT of_a_message_of_the_user
    FOREIGN KEY (tenant_id, user_id, question_id)
    REFERENCES messages (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE answers DROP CONSTRAINT answers_tenant_id_question_id_fkey;

ALTER TABLE passages ADD CONSTRAINT of_a_message_of_the_user
    FOREIGN KEY (tenant_id, user_id, message_id)
    REFERENCES messages (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE passages DROP CONSTRAINT passages_tenant_id_message_id_fkey;

ALTER TABLE passages ADD CONSTRAINT of_an_episode_of_the_user
    FOREIGN KEY (tenant_id, user_id, episode_id)
    REFERENCES episodes (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE passages DROP CONSTRAINT passages_tenant_id_episode_id_fkey;

ALTER TABLE passages ADD CONSTRAINT of_a_fact_of_the_user
    FOREIGN KEY (tenant_id, user_id, fact_id, fact_version)
    REFERENCES facts (tenant_id, user_id, id, version) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE passages DROP CONSTRAINT passages_tenant_id_fact_id_fact_version_fkey;

ALTER TABLE postings ADD CONSTRAINT of_a_passage_of_the_user
    FOREIGN KEY (tenant_id, user_id, passage_id)
    REFERENCES passages (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE postings DROP CONSTRAINT postings_tenant_id_passage_id_fkey;

ALTER TABLE embeddings ADD CONSTRAINT of_a_passage_of_the_user
    FOREIGN KEY (tenant_id, user_id, passage_id)
    REFERENCES passages (tenant_id, user_id, id) ON DELETE CASCADE NOT VALID;
-- squawk-ignore ban-drop-constraint
ALTER TABLE embeddings DROP CONSTRAINT embeddings_tenant_id_passage_id_fkey;
