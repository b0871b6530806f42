"""What goes wrong between us and the server that has the model."""

from longterm.errors import UnavailableError


class UpstreamGoneError(UnavailableError):
    """The server that has the model does not answer."""


class UpstreamSlowError(UnavailableError):
    """The server that has the model takes too long to answer."""
