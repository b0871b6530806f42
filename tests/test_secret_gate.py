"""c7: what writes texts of memory is reached by way of the gate that refuses secrets, and not else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import longterm

SOURCE = Path(longterm.__file__).parent

# Statements that write words of memory. Messages are history and stay as they were said; passages
# hold terms, which are read off masked texts.
WRITES = re.compile(
    r"INSERT\s+INTO\s+(?:facts|places|place_mentions|user_memory|episodes|passages|postings|ledger)\b"
    r"|UPDATE\s+facts\s+SET[^;]*\bcontent\s*="
    r"|(?:INSERT\s+INTO\s+conversations\b[^;]*\btitle\b)|(?:UPDATE\s+conversations\s+SET[^;]*\btitle\s*=)"
)

# Who writes, and by way of which check.
CALLERS = {
    "facts.insert": {"memory/remembering.py"},
    "places.insert": {"memory/places.py"},
    "places.mention": {"memory/places.py"},
    "keyvalues.set_": {"memory/keyvalues.py"},
    "episodes.insert": {"memory/episodes.py"},
    "passages.insert": {"memory/indexing.py"},
    "ledger.write": {"memory/learning.py"},
    "ledger.fail": {"memory/learning.py"},
    # Of these, conversations.py alone gives a title.
    "conversations.insert": {
        "memory/conversations.py",
        "memory/said.py",
        "memory/sessions.py",
        "memory/threads.py",
    },
    "conversations.update": {"memory/conversations.py"},
    "conversations.set_made_title": {"memory/digest.py"},
    "imported.insert_conversations": {"memory/importing.py"},
    "imported.insert_fact": {"memory/records_import.py"},
    "imported.insert_memory": {"memory/records_import.py"},
    "imported.insert_place": {"memory/records_import.py"},
    "transfer.insert_conversations": {"memory/transfer.py"},
    "remembering.remember": {
        "memory/facts.py",
        "memory/learning.py",
        "memory/rebuild.py",
        "memory/records_import.py",
    },
    "remembering.replace": {"memory/facts.py", "memory/rebuild.py"},
}

# Where the modules above check or mask; `learn/gate.py` is what proposals of extractors pass.
CHECKED = {
    "memory/facts.py": "gate.check_fact",
    "memory/places.py": "gate.check_place",
    "memory/keyvalues.py": "gate.check_memory",
    "memory/records_import.py": "gate.check_",
    "memory/import_rows.py": "gate.masked_title",
    "memory/transfer.py": "gate.masked_title",
    "memory/conversations.py": "gate.check_text",
    "memory/digest.py": "gate.masked_title",
    "memory/indexing.py": "gate.masked_turns",
    "memory/learning.py": "gate.reading",
    "learn/gate.py": "secret_gate.kind_in_field",
    "learn/extract.py": "gate.reading",
    "learn/summarise.py": "gate.masked_turns",
    "learn/title.py": "gate.masked_turns",
}


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text())


def _writers() -> set[str]:
    """Functions of the store that use a statement which writes words of memory."""
    found: set[str] = set()
    for name, tree in _trees():
        if not name.startswith("store/") or "migrations" in name:
            continue
        statements = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            and WRITES.search(ast.unparse(node.value).replace("\\n", " "))
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef):
                used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                if used & statements and not node.name.startswith("_"):
                    found.add(f"{Path(name).stem}.{node.name}")
    return found


def _callers() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, tree in _trees():
        if name.startswith("bench/"):
            continue
        nouns = {
            imported.asname or imported.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and node.module in {"longterm.store", "longterm.memory"}
            for imported in node.names
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in nouns
            ):
                found.setdefault(f"{node.value.id}.{node.attr}", set()).add(name)
    return found


def test_every_function_that_writes_words_of_memory_is_known() -> None:
    known = {name for name in CALLERS if not name.startswith("remembering.")}

    # It takes titles away.
    assert _writers() - {"forgetting.delete"} == known


def test_they_are_called_only_where_a_check_was_made() -> None:
    callers = _callers()

    assert {name: callers.get(name, set()) for name in CALLERS} == CALLERS


def test_every_caller_uses_the_gate() -> None:
    source = {name: (SOURCE / name).read_text() for name in CHECKED}

    assert [name for name, check in CHECKED.items() if check not in source[name]] == []
