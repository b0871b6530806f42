"""The web page: one shell for all of its views, and its files."""

import hashlib

from fastapi import APIRouter, Request
from starlette.responses import Response

from longterm.api.etags import matches
from longterm.api.problems import problem
from longterm.web import site
from longterm.web.site import Asset

router = APIRouter(include_in_schema=False)

# Paths of the page's views: what they show is asked for by its scripts, with a key.
VIEWS = ("/", "/memory", "/insight", "/settings", "/c/{conversation_id}")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types longterm"
)
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


async def shell(request: Request) -> Response:
    """Show the page; which view it is, its scripts read from the address."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": _ASK_AGAIN}
    return _sent(request, site.load().shell, headers)


for _path in VIEWS:
    router.get(_path)(shell)


@router.get("/static/{version}/{path:path}")
async def static(version: str, path: str, request: Request) -> Response:
    """Send a file of the page, for good to whoever names its version."""
    loaded = site.load()
    asset = loaded.assets.get(path)
    if asset is None:
        return problem(404, "There is no such file.")
    kept = _FOR_GOOD if version == loaded.version else _ASK_AGAIN
    return _sent(request, asset, {"Cache-Control": kept})


def _sent(request: Request, asset: Asset, headers: dict[str, str]) -> Response:
    tag = f'"{hashlib.sha256(asset.body).hexdigest()[:32]}"'
    headers = headers | {"ETag": tag, "Vary": "Accept-Encoding"}
    if matches(tag, request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    body = asset.body
    if asset.zipped is not None and _takes_gzip(request.headers.get("accept-encoding", "")):
        body = asset.zipped
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=None, headers=headers | {"Content-Type": asset.content_type})


def _takes_gzip(accepted: str) -> bool:
    qualities = dict(_quality(one) for one in accepted.lower().split(","))
    return qualities.get("gzip", qualities.get("*", 0.0)) > 0


def _quality(accepted: str) -> tuple[str, float]:
    name, _, quality = accepted.partition(";")
    try:
        return name.strip(), float(quality.strip().removeprefix("q=") or 1)
    except ValueError:
        return name.strip(), 0.0
