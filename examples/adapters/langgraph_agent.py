"""A LangGraph graph with Longterm as its checkpointer and as its store."""

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from longterm import Longterm
from longterm.adapters.langgraph_saver import LongtermSaver
from longterm.adapters.langgraph_store import LongtermStore


def answer(
    state: MessagesState, config: RunnableConfig, *, store: BaseStore
) -> dict[str, list[AnyMessage]]:
    """A model's place: notes what it is told, and tells what it has noted."""
    user_id = config["configurable"]["user_id"]
    question = str(state["messages"][-1].content)
    noted = store.search((user_id, "notes"), query=question)
    store.put((user_id, "notes"), f"note {len(state['messages'])}", {"text": question})
    known = "; ".join(item.value["text"] for item in noted) or "nothing"
    return {"messages": [AIMessage(f"I have noted about this: {known}.")]}


def main() -> None:
    """Run the same thread twice, and another thread of the same user."""
    builder = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)

    with Longterm() as lt:
        mem = lt.tenant(1)
        graph = builder.compile(checkpointer=LongtermSaver(mem), store=LongtermStore(mem))
        for thread_id, words in (
            ("1", "My dog is called Rex"),
            ("1", "He is a big dog"),
            ("2", "What do you know of my dog?"),
        ):
            state = graph.invoke(
                {"messages": [HumanMessage(words)]},
                {"configurable": {"thread_id": thread_id, "user_id": "ada"}},
            )
            print(len(state["messages"]), "messages:", state["messages"][-1].content)


if __name__ == "__main__":
    main()
