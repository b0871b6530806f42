"""What HTML may reach a browser: a short list of elements, and links that lead elsewhere."""

import re

import nh3

_TAGS = {
    "a", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "div": {"class", "data-language", "tabindex"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
_SCHEMES = {"http", "https", "mailto"}
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
_CLASSES = re.compile(r"[a-z0-9 -]{1,80}")


def is_link(url: str) -> bool:
    """Whether a link leads to the web or to a mailbox, and nowhere else."""
    return _LINK.fullmatch(url) is not None


def clean(html: str) -> str:
    """Return what may be shown of some HTML; it closes whatever was left open."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _kept(_tag: str, name: str, value: str) -> str | None:
    if name == "href":
        return value if is_link(value) else None
    if name == "class":
        return value if _CLASSES.fullmatch(value) else None
    return value
