"""What an adapter says when its framework is not installed."""


def missing(framework: str, extra: str) -> ImportError:
    """Tell which extra brings the framework."""
    return ImportError(f"This adapter needs {framework}: pip install 'longterm[{extra}]'")
