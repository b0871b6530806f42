"""A title by a model, from the first exchange."""

from longterm.learn import prompts
from longterm.providers.model import Prompt, Said
from longterm.text import prompt_data
from longterm.text.secrets import gate

PURPOSE = "title"

_LONGEST_MESSAGE = 600
_LONGEST_TITLE = 80
_LONGEST_ANSWER = 1000
_ANSWER_TOKENS = 30
_AROUND = "\"'“”„«»\u2018\u2019`*#. "


def prompt(question: str, answer: str) -> Prompt:
    """Ask for the title of a chat that begins so."""
    asked, answered = gate.masked_turns((question[:_LONGEST_MESSAGE], answer[:_LONGEST_MESSAGE]))
    text = "\n".join(map(prompt_data.item, (f"user: {asked}", f"assistant: {answered}")))
    return Prompt(
        instructions=prompts.load("title").text,
        messages=(Said(by="user", text=f"<chat>\n{text}\n</chat>"),),
        max_tokens=_ANSWER_TOKENS,
        purpose=PURPOSE,
    )


def read(answer: str) -> str | None:
    """The title, or None when the model wrote something else."""
    lines = answer.lstrip()[:_LONGEST_ANSWER].splitlines()
    title = prompt_data.one_line(lines[0]).strip(_AROUND) if lines else ""
    return title if 0 < len(title) <= _LONGEST_TITLE else None


def without_secrets(title: str, question: str, answer: str) -> str | None:
    """The title as it may be stored; None when it repeats a secret of the exchange."""
    for said in (question[:_LONGEST_MESSAGE], answer[:_LONGEST_MESSAGE]):
        if gate.kind_repeated(title, gate.quoted(said)) is not None:
            return None
    return gate.masked_title(title)
