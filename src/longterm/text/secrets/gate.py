"""The gate that everything written to memory passes: facts, places, key-value memory, titles.

A value is read together with the names that it stands beneath and with the message that it comes
from: `hunter2` alone is a word; beneath `password`, or where the message says that it is one, it is
a secret. What is refused is named by its kind and never repeated.
"""

from collections.abc import Iterator, Mapping, Sequence

from longterm.errors import SecretRefusedError
from longterm.records.json import Json, JsonObject
from longterm.text import secrets
from longterm.text.secrets import names
from longterm.text.secrets.secret import Kind

# Names of fields that hold the name of another field's value: {"name": "pin", "value": "4821"}.
_NAMING = frozenset({"name", "key", "label", "title", "field", "type", "kind", "what", "id"})

_LONGEST_TITLE = 255
_SHORTEST_QUOTE = 4
_SHORTEST_REPEATED = 6
_LEAD = 200
_MOST_SECRETS = 100
# A code has three digits and more.
_LEAST_NUMBER = 100


def kind_in_field(path: Sequence[str], value: str) -> Kind | None:
    """The kind of secret that a value is, read with the names it stands beneath."""
    words = f"{' '.join(path).replace('_', ' ')}: {value}" if path else value
    found = secrets.find(words)
    return found[0].kind if found else names.kind_of(path, value)


def kind_in_json(path: Sequence[str], root: Json) -> Kind | None:
    """The kind of the first secret in a JSON value, its keys included.

    Numbers count only where their key says what they are: every tenth number of 16 digits has the
    check digit of a card.
    """
    for names_above, value in _leaves(tuple(path), root):
        if isinstance(value, str):
            kind = kind_in_field(names_above, value)
        else:
            is_number = isinstance(value, int) and value >= _LEAST_NUMBER
            kind = names.kind_of(names_above, str(value)) if is_number and names_above else None
        if kind is not None:
            return kind
    return None


def quoted(message: str) -> list[tuple[str, Kind]]:
    """The secrets of a message, as it says them."""
    found = secrets.find(message)[:_MOST_SECRETS]
    return [(message[secret.start : secret.end], secret.kind) for secret in found]


def kind_repeated(value: str, quotes: Sequence[tuple[str, Kind]]) -> Kind | None:
    """The kind of the secret that a value repeats, in whole or in part."""
    said, words = _folded(value), value.split()
    for quote, kind in quotes:
        own = _folded(quote)
        is_short = len(own) < _SHORTEST_QUOTE
        if quote in words if is_short else own in said:
            return kind
        if len(said) >= _SHORTEST_QUOTE and said in own:
            return kind
    return None


def check_text(text: str, what: str) -> str:
    """Return a text that people read, such as a title; refuse one that holds a secret."""
    _refuse(what, kind_in_field((), text))
    return text


def check_source(content: str, message: str) -> None:
    """Refuse a fact that repeats a secret of the message it comes from."""
    _refuse("content", kind_repeated(content, quoted(message)))


def masked(text: str, path: Sequence[str] = ()) -> str:
    """A text of memory as it may be shown: what was stored before it was refused is masked."""
    kind = kind_in_field(path, text)
    if kind is None:
        return text
    hidden = secrets.mask(text)
    return hidden if hidden != text else f"[{kind}]"


def masked_turns(turns: Sequence[str]) -> list[str]:
    """The turns of a conversation with their secrets masked, wherever they are said again.

    A turn is read with the end of the one before: "What is the password?" makes a secret of the
    word that answers.
    """
    quotes: list[tuple[str, Kind]] = []
    before = ""
    for turn in turns:
        lead = before[-_LEAD:] + "\n" if before else ""
        found = [each for each in secrets.find(lead + turn) if each.start >= len(lead)]
        for each in found:
            quotes.append(((lead + turn)[each.start : each.end], each.kind))
        before = turn
    return [without(secrets.mask(turn), quotes) for turn in turns]


def masked_together(fields: Sequence[tuple[Sequence[str], str]]) -> list[str]:
    """Texts of memory, each with its names, as they may be shown beside each other.

    What one of them calls a password, another one may repeat.
    """
    quotes: list[tuple[str, Kind]] = []
    shown: list[str] = []
    for path, text in fields:
        found = quoted(text)
        quotes += found
        shown.append(masked(text, path) if found or path else text)
    return [without(text, quotes) for text in shown]


def without(text: str, quotes: Sequence[tuple[str, Kind]]) -> str:
    """The text with these secrets masked; short ones are left, because they may be other numbers."""
    for quote, kind in dict(quotes[:_MOST_SECRETS]).items():
        if len(quote) >= _SHORTEST_REPEATED:
            text = text.replace(quote, f"[{kind}]")
    return text


def masked_title(title: str) -> str:
    """A title that nobody can correct now, as a model made it or another program gave it."""
    return secrets.mask(title)[:_LONGEST_TITLE]


def check_fact(content: str, *, category: str | None, key: str | None) -> None:
    """Refuse a fact that holds a secret, read with its category and key."""
    path = [name for name in (category, key) if name]
    for name in path:
        check_text(name, "key")
    _refuse("content", kind_in_field(path, content))


def check_place(place_id: str, place_name: str, notes: str | None) -> None:
    """Refuse a place whose id, name or notes hold a secret."""
    check_text(place_id, "place_id")
    _refuse("place_name", kind_in_field((place_id,), place_name))
    _refuse("notes", kind_in_field((place_name,), notes or ""))


def check_reference(reference: str, what: str) -> str:
    """Return the id of something that is kept elsewhere; a number is an id whatever it looks like."""
    return reference if reference.isdigit() else check_text(reference, what)


def check_memory(key: str, value: JsonObject) -> None:
    """Refuse key-value memory that holds a secret anywhere, its keys included."""
    check_text(key, "key")
    _refuse("value", kind_in_json((key,), value))


def _refuse(what: str, kind: Kind | None) -> None:
    if kind is not None:
        article = "an" if kind[0] in "aeiou" else "a"
        raise SecretRefusedError(
            f"{what} must not hold a secret; this looks like {article} {kind}: leave it out, "
            "and keep it in a password manager."
        )


def _leaves(path: tuple[str, ...], root: Json) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every text and number with the keys that lead to it; keys of objects count as texts, too."""
    waiting: list[tuple[tuple[str, ...], Json]] = [(path, root)]
    while waiting:
        above, value = waiting.pop()
        if isinstance(value, Mapping):
            named = _named_by(value)
            for key, inner in value.items():
                yield (), key
                beneath = above if key.lower() in _NAMING else (*above, *named)
                waiting.append(((*beneath, key)[-8:], inner))
        elif isinstance(value, str):
            yield above, value
        elif isinstance(value, Sequence):
            waiting += [(above, inner) for inner in value]
        elif value is not None and not isinstance(value, bool):
            yield above, value


def _named_by(value: Mapping[str, Json]) -> tuple[str, ...]:
    told = [inner for key, inner in value.items() if key.lower() in _NAMING]
    return tuple(name for name in told if isinstance(name, str) and names.is_name(name))


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
