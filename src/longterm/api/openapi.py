"""What /openapi.json says beyond the routes: keys, headers and errors, which guards see to."""

from http import HTTPStatus
from typing import Any, cast

from longterm.api.auth import PUBLIC, TENANT_HEADER, is_openai
from longterm.api.etags import is_cached
from longterm.api.repeats import HEADER, REPLAYED
from longterm.memory.inputs import MAX_INTEGER

Schema = dict[str, Any]

_PROBLEM: Schema = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "examples": ["about:blank"]},
        "title": {"type": "string", "examples": ["Not Found"]},
        "status": {"type": "integer", "examples": [404]},
        "detail": {"type": "string", "description": "What is wrong and what is allowed."},
        "code": {"type": "string", "description": "The kind of error, for programs."},
        "request_id": {"type": "string", "description": "The id under which it was logged."},
        "errors": {
            "type": "array",
            "description": "Every place where the request is not valid.",
            "items": {
                "type": "object",
                "required": ["where", "what"],
                "properties": {"where": {"type": "string"}, "what": {"type": "string"}},
            },
        },
    },
}

_OPENAI_ERROR: Schema = {
    "type": "object",
    "title": "OpenAIError",
    "description": "What went wrong, in OpenAI's shape.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string", "description": "What is wrong and what is allowed."},
                "type": {"type": "string", "examples": ["invalid_request_error"]},
                "param": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "code": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
        },
    },
}

_ERRORS = {
    400: "The body is not JSON.",
    401: "No key, or one that is not good.",
    403: "This key may not do that, or a page of another web site asks.",
    404: "It is not there, or it is somebody else's.",
    409: "It contradicts what is stored, or the first request with this key is under way.",
    413: "The body is too large.",
    415: "The body does not say that it is JSON.",
    421: "This server answers to other names.",
    422: "Not valid; `detail` and `errors` say what is wrong and what is allowed.",
    429: "Too many requests a minute with this key.",
    431: "More headers than a request may have.",
    500: "Something unexpected went wrong.",
    502: "The server that has the model does not answer.",
    503: "Not possible at the moment.",
    504: "The server that has the model takes too long.",
}
_ALWAYS = (400, 401, 403, 421, 422, 429, 431, 500, 503)
_OF_BODIES = (413, 415)
# Their bodies can name a conversation.
_NAMED_IN_BODY = (
    "/extract",
    "/chat",
    "/stream",
    "/api/messages",
    "/api/conversations",
    "/api/memories",
)
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_CHALLENGE = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
_HEADERS: dict[int, Schema] = {401: _CHALLENGE, 409: _RETRY, 429: _RETRY, 503: _RETRY}


def complete(schema: Schema) -> Schema:
    """Add to each operation what stands between it and the network."""
    components: Schema = schema.setdefault("components", {})
    components.setdefault("schemas", {}).update(Problem=_PROBLEM, OpenAIError=_OPENAI_ERROR)
    components["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "lt_…",
            "description": "A key of a tenant, of the scope `admin`, `app` or `user`. On this "
            "machine none is needed until the first one was made.",
        }
    }
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            if path not in PUBLIC:
                _complete(path, method.upper(), operation)
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    _state_whole_bounds(schema)
    return schema


def _state_whole_bounds(part: object) -> None:
    """Tell the bounds of integers as integers: the framework rounds 2**63 - 1 to a float."""
    if isinstance(part, list):
        for each in cast("list[object]", part):
            _state_whole_bounds(each)
    elif isinstance(part, dict):
        members = cast("Schema", part)
        for name in ("minimum", "maximum"):
            if members.get("type") == "integer" and isinstance(members.get(name), float):
                members[name] = min(int(members[name]), MAX_INTEGER)
        for each in members.values():
            _state_whole_bounds(each)


def _complete(path: str, method: str, operation: Schema) -> None:
    operation["security"] = [{"key": []}]
    parameters: list[Schema] = operation.setdefault("parameters", [])
    parameters.append(
        _header(TENANT_HEADER, "Another tenant; for admin keys of the system.", r"^[0-9]{1,19}$")
    )
    statuses = {*_ALWAYS}
    named = "{" in path or (method == "POST" and path.endswith(_NAMED_IN_BODY))
    if named or method == "DELETE":
        statuses.add(404)
    if "requestBody" in operation:
        statuses |= {*_OF_BODIES, 409}
    if method == "POST":
        statuses.add(409)
        parameters.append(
            _header(HEADER, "Makes it safe to send this again within 24 hours.", r"^[!-~]{1,255}$")
        )
        _note_replay(operation)
    if is_cached(method, path):
        parameters.append(_header("If-None-Match", "The ETag of an answer that is at hand."))
        operation["responses"]["304"] = {"description": "The answer at hand still holds."}
    openai = is_openai(path)
    if openai:
        # Also what is not valid is 400 there.
        statuses = (statuses | {400, 404, 502, 504}) - {422}
        operation["responses"].pop("422", None)
    for status in sorted(statuses):
        operation["responses"][str(status)] = _response(status, openai=openai)


def _header(name: str, description: str, pattern: str | None = None) -> Schema:
    schema = {"type": "string"} if pattern is None else {"type": "string", "pattern": pattern}
    return {"name": name, "in": "header", "description": description, "schema": schema}


def _note_replay(operation: Schema) -> None:
    replayed = {"description": "`true` on a repetition.", "schema": {"type": "string"}}
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response.setdefault("headers", {})[REPLAYED] = replayed


def _response(status: int, *, openai: bool) -> Schema:
    kind, name = ("json", "OpenAIError") if openai else ("problem+json", "Problem")
    content = {f"application/{kind}": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    response: Schema = {
        "description": f"{HTTPStatus(status).phrase}: {_ERRORS[status]}",
        "content": content,
    }
    if status in _HEADERS:
        response["headers"] = _HEADERS[status]
    return response
