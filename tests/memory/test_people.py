"""The users of a tenant, page by page."""

from longterm import AsyncTenant


async def test_every_id_of_a_user_leads_to_the_next_page(mem: AsyncTenant) -> None:
    # Any text is an id, also one that looks like a secret.
    ids = ["4111111111111111", "AKIAIOSFODNN7EXAMPLE", "ada", "x" * 255]
    for user_id in ids:
        await mem.add_message(user_id, "user", "Hello")

    found: list[str] = []
    page = await mem.list_users(1)
    while page.next_cursor is not None:
        found += [one.id for one in page]
        page = await mem.list_users(1, page.next_cursor)

    assert [*found, *(one.id for one in page)] == sorted(ids)
