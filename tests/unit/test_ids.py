"""UUIDs of version 7."""

from uuid import UUID

from longterm.records.ids import new_id


def test_an_id_is_a_uuid_of_version_7_and_sorts_by_its_time() -> None:
    ids = [new_id() for _ in range(1000)]

    assert {(UUID(made).version, UUID(made).variant) for made in ids} == {
        (7, "specified in RFC 4122")
    }
    assert len(set(ids)) == 1000
    assert [made[:13] for made in ids] == sorted(made[:13] for made in ids)
