"""§3 Yours: the planner's statistics hold samples only of what queries compare."""

from longterm.store import erasure
from tests.outside import Raw

# Columns of types whose values ANALYZE samples; of json it keeps no values.
SAMPLED = """
    SELECT class.relname || '.' || attribute.attname
      FROM pg_attribute AS attribute
      JOIN pg_class AS class ON class.oid = attribute.attrelid
     WHERE class.relnamespace = 'longterm'::regnamespace
       AND class.relname = ANY(%s)
       AND attribute.attnum > 0
       AND NOT attribute.attisdropped
       AND format_type(attribute.atttypid, NULL) IN ('text', 'text[]', 'bytea', 'halfvec',
                                                     'public.halfvec')
       AND attribute.attstattarget IS DISTINCT FROM 0
       AND attribute.attname <> 'user_id'
     ORDER BY 1
"""

# Compared by queries: without samples the planner would guess. The receipt's statements clear them.
COMPARED = {
    "facts.category", "facts.key", "facts.fingerprint", "places.place_id", "postings.term",
    "place_mentions.place_id", "user_memory.key", "checkpoints.thread_id",
    "checkpoint_channels.thread_id", "checkpoint_pieces.thread_id", "checkpoint_writes.thread_id",
    "jobs.key",
}  # fmt: skip
# Hashes, ids and words of ours.
NOT_OF_USERS = {
    "api_keys.key_hash", "api_keys.prefix", "applied_writes.record_id", "api_keys.scope", "audit.action", "audit.actor",
    "audit.subject", "checkpoint_channels.channel", "checkpoint_channels.namespace",
    "checkpoint_channels.pieces", "checkpoint_channels.version", "checkpoint_pieces.hash",
    "checkpoint_pieces.kind", "checkpoint_writes.channel", "checkpoint_writes.checkpoint_id",
    "checkpoint_writes.kind", "checkpoint_writes.namespace", "checkpoint_writes.task_id",
    "checkpoint_writes.task_path", "checkpoints.id", "checkpoints.kind", "checkpoints.namespace",
    "checkpoints.parent_id", "conversations.kind", "conversations.title_by", "embeddings.kind",
    "episodes.made_by", "facts.closed", "facts.extractor", "facts.origin", "facts.type",
    "idempotency.caller", "idempotency.content_type", "idempotency.key",
    "idempotency.request_hash", "imported.source", "jobs.state", "jobs.task", "jobs.traceparent",
    "ledger.extractor", "ledger.outcome", "messages.role", "messages.status", "passages.kind",
    "place_mentions.conversation_id", "place_mentions.message_id", "postings.kind",
    "threads.chain", "threads.parent", "threads.recent", "threads.role",
}  # fmt: skip


async def test_no_samples_are_taken_of_what_users_wrote_unless_queries_compare_it(
    raw: Raw,
) -> None:
    """A new column fails here until it is in one of the lists, or SET STATISTICS 0."""
    cursor = await raw.execute(SAMPLED, [list(erasure.OF_USER)])

    assert {name for (name,) in await cursor.fetchall()} == COMPARED | NOT_OF_USERS
