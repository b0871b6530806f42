"""c7: an agent can't have a secret remembered, and reads none."""

import json

from tests.mcp.conftest import House, fact_of, told
from tests.secrets_corpus import SECRETS

PASSWORD = "hunter2secret!"


async def test_remember_and_correct_refuse_a_secret_and_say_why(house: House) -> None:
    async with house.client() as client:
        fact_id = await fact_of(client, "The user likes tea")
        refused = [
            await client.call_tool("remember", {"content": f"My password is {PASSWORD}"}),
            await client.call_tool(
                "remember", {"content": PASSWORD, "category": "identity", "key": "password"}
            ),
            await client.call_tool("correct", {"fact_id": fact_id, "content": f"pw: {PASSWORD}"}),
        ]

    for each in refused:
        assert each.is_error
        assert "must not hold a secret" in told(each)
        assert PASSWORD not in told(each)


async def test_secrets_of_the_corpus_are_refused(house: House) -> None:
    samples = [one for one in SECRETS if one.is_sentence and len(str(one.text)) <= 500][::15]

    async with house.client() as client:
        answers = [await client.call_tool("remember", {"content": one.text}) for one in samples]

    assert all(answer.is_error for answer in answers)
    assert await house.memory.get_active_facts("ada") == []


async def test_recall_masks_what_the_user_said(house: House) -> None:
    await house.memory.add_message("ada", "user", f"My password is {PASSWORD}")

    async with house.client() as client:
        found = await client.call_tool("recall", {"query": "What is my password?"})

    assert "[password]" in told(found)
    assert PASSWORD not in json.dumps(found.structured_content)
