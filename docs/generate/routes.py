"""docs/reference/http.md."""

from collections.abc import Iterator
from typing import Any

from docs.generate.markdown import MADE, code, join, line, table, told

from longterm import Settings
from longterm.api.app import create_app
from longterm.runtime import Runtime

ABOUT = """
Every route of `/openapi.json`: what it takes, and how it answers. Keys, errors, paging and repeating
are the same for all of them: [HTTP API](../api.md). `/mcp` has a [page of its own](../mcp.md).
"""
# Every route has them; what they do is told once, in docs/api.md.
_COMMON = frozenset({"X-Longterm-Tenant", "Idempotency-Key", "If-None-Match"})


def page() -> str:
    """Every route."""
    schema = create_app(Runtime(Settings(database_url="unused"))).openapi()
    parts = [
        part
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
        for part in _operation(schema, f"{method.upper()} {path}", operation)
    ]
    return join("# Routes", MADE, ABOUT, *parts)


def _operation(schema: Any, name: str, operation: Any) -> Iterator[str]:
    parameters = [each for each in operation.get("parameters", ()) if each["name"] not in _COMMON]
    yield f"## {name}"
    yield f"**{operation['summary']}**"
    yield told(operation.get("description"))
    yield table(("parameter", "in", "what"), [_parameter(each) for each in parameters])
    yield table(("member of the body", "type", "what"), _members(schema, operation))
    yield "Answers: " + "; ".join(_answers(operation["responses"])) + "."


def _parameter(given: Any) -> tuple[str, str, str]:
    name = code(given["name"]) + ("" if given.get("required") else "?")
    return name, given["in"], line(given.get("description"))


def _members(schema: Any, operation: Any) -> list[tuple[str, str, str]]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        body = _resolved(schema, content["schema"])
        needed = body.get("required", ())
        return [
            (
                code(name) + ("" if name in needed else "?"),
                _type(member),
                line(member.get("description")),
            )
            for name, member in body.get("properties", {}).items()
        ]
    return []


def _resolved(schema: Any, part: Any) -> Any:
    """What a reference leads to; of several shapes, the first that has members."""
    if "$ref" in part:
        return schema["components"]["schemas"][part["$ref"].rsplit("/", 1)[1]]
    shapes = [_resolved(schema, each) for each in part.get("anyOf", ())]
    return next((each for each in shapes if "properties" in each), part)


def _type(part: Any) -> str:
    if "$ref" in part:
        return part["$ref"].rsplit("/", 1)[1]
    if "enum" in part:
        return ", ".join(code(str(value)) for value in part["enum"])
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_type(each) for each in part["anyOf"]))
    if part.get("type") == "array":
        return f"list of {_type(part['items'])}"
    return str(part.get("const") or part.get("format") or part.get("type", "anything"))


def _answers(responses: Any) -> Iterator[str]:
    """What is given when it is done, and the errors as numbers: these mean the same everywhere."""
    for status, answer in sorted(responses.items()):
        if status < "400":
            shapes = [_type(each.get("schema", {})) for each in answer.get("content", {}).values()]
            shown = " or ".join(code(each) for each in shapes if each != "anything")
            yield f"{status} {shown or answer['description'].lower()}"
    yield "errors " + ", ".join(sorted(status for status in responses if status >= "400"))
