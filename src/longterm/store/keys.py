"""Keys of the HTTP API: only their hashes are here."""

from longterm.postgres.transaction import Conn
from longterm.records.key import ApiKey, KeyHolder, KeyScope

COLUMNS = """
    id, nullif(tenant_id, 0) AS tenant_id, prefix, name, scope, user_id, created_at, last_used_at,
    revoked_at
"""

INSERT = f"""
    INSERT INTO api_keys (tenant_id, id, key_hash, prefix, name, scope, user_id)
    VALUES (%(tenant_id)s, %(id)s, %(key_hash)s, %(prefix)s, %(name)s, %(scope)s, %(owner)s)
 RETURNING {COLUMNS}
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM api_keys
     WHERE tenant_id = %(tenant_id)s
     ORDER BY created_at, id
"""

REVOKE = """
    UPDATE api_keys
       SET revoked_at = now()
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND revoked_at IS NULL
"""

# For a system transaction: whose key it is tells which tenant it is.
HOLDER = """
    SELECT id, tenant_id, scope, user_id, last_used_at
      FROM api_keys
     WHERE key_hash = %(key_hash)s
       AND revoked_at IS NULL
     ORDER BY id
     LIMIT 1
"""

# These are for a system transaction, too.
ANY = """
    SELECT EXISTS (SELECT id FROM api_keys)
"""

TOUCH = """
    UPDATE api_keys
       SET last_used_at = now()
     WHERE tenant_id = %(of_tenant)s
       AND id = %(id)s
"""


async def insert(
    conn: Conn,
    *,
    id_: str,
    key_hash: bytes,
    prefix: str,
    name: str,
    scope: KeyScope,
    user_id: str | None,
) -> ApiKey:
    """Store a new key."""
    key = await conn.first(
        ApiKey,
        INSERT,
        id=id_,
        key_hash=key_hash,
        prefix=prefix,
        name=name,
        scope=scope,
        owner=user_id,
    )
    if key is None:
        raise AssertionError("an INSERT without conditions returns its row")
    return key


async def list_(conn: Conn) -> list[ApiKey]:
    """Every key of the tenant, also those that were revoked, oldest first."""
    return await conn.all(ApiKey, LIST)


async def revoke(conn: Conn, key_id: str) -> bool:
    """End a key; tells whether it was good until now."""
    return await conn.run(REVOKE, id=key_id) > 0


async def holder(conn: Conn, key_hash: bytes) -> KeyHolder | None:
    """Whose key it is; None when it is unknown or revoked. Every request asks."""
    return await conn.first(KeyHolder, HOLDER, key_hash=key_hash)


async def exist(conn: Conn) -> bool:
    """Whether any key was ever made, by any tenant."""
    return await conn.value(ANY)


async def touch(conn: Conn, holder: KeyHolder) -> None:
    """Note that a key was used just now."""
    await conn.run(TOUCH, of_tenant=holder.tenant_id, id=holder.id)
