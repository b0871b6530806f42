"""LangChain's chat history over a conversation."""

from collections.abc import Callable

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

from longterm import AsyncTenant, Tenant
from longterm.adapters.langchain import LongtermChatMessageHistory

MESSAGES: list[BaseMessage] = [
    SystemMessage("Be kind."),
    HumanMessage("What's the weather?", id="1", name="Ada"),
    AIMessage("", tool_calls=[{"name": "weather", "args": {"at": "Bonn"}, "id": "c1"}]),
    ToolMessage("Rain.", tool_call_id="c1"),
    AIMessage([{"type": "text", "text": "It rains."}], response_metadata={"model": "x"}),
]


async def test_every_kind_of_message_comes_back_unchanged(mem: AsyncTenant) -> None:
    history = LongtermChatMessageHistory(mem, "ada", "trip")
    await history.aadd_messages(MESSAGES)

    assert await history.aget_messages() == MESSAGES
    await history.aclear()
    assert await history.aget_messages() == []


async def test_only_the_users_own_words_are_the_users(mem: AsyncTenant) -> None:
    await LongtermChatMessageHistory(mem, "ada", "trip").aadd_messages(MESSAGES)

    messages = await mem.get_recent_messages("ada")

    assert [one.content for one in messages if one.role == "user"] == ["What's the weather?"]
    assert [one.content for one in messages][-2:] == ["Rain.", "It rains."]


def test_a_chain_has_its_history(tenant: Tenant) -> None:
    prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{question}")])
    chain = prompt | FakeListChatModel(responses=["Hello Ada", "Ada"])
    history = LongtermChatMessageHistory(tenant, "ada", "trip")

    for question in ("I'm Ada", "Who am I?"):
        answer = chain.invoke({"history": history.messages, "question": question})
        history.add_messages([HumanMessage(question), answer])

    assert [one.content for one in history.messages] == ["I'm Ada", "Hello Ada", "Who am I?", "Ada"]
    history.clear()
    assert history.messages == []


async def test_two_users_and_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    mem, foreign = new_tenant(), new_tenant()
    await LongtermChatMessageHistory(mem, "ada", "trip").aadd_messages(MESSAGES)

    assert await LongtermChatMessageHistory(mem, "bob", "trip").aget_messages() == []
    assert await LongtermChatMessageHistory(foreign, "ada", "trip").aget_messages() == []
