"""A LangChain chain whose history is a conversation in Longterm."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

from longterm import Longterm
from longterm.adapters.langchain import LongtermChatMessageHistory


def main() -> None:
    """Talk twice, as two requests to a server would."""
    model = FakeListChatModel(responses=["Nice to meet you, Ada.", "You are Ada."])
    prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{question}")])
    chain = prompt | model

    with Longterm() as lt:
        mem = lt.tenant(1)
        for question in ("I'm Ada and I live in Bonn", "Who am I?"):
            history = LongtermChatMessageHistory(mem, "ada", "first steps")
            answer = chain.invoke({"history": history.messages, "question": question})
            history.add_messages([HumanMessage(question), answer])
            print(answer.content)

        # What the chain was told is known to every other door, too.
        lt.drain()
        print(mem.recall("ada", "Where do I live?").text)


if __name__ == "__main__":
    main()
