"""What of a text can be kept."""

# PostgreSQL keeps neither, and half a character is none.
_UNKEPT = {0: None} | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


def storable(text: str) -> str:
    """Return a text without what can't be kept."""
    return text.translate(_UNKEPT)
