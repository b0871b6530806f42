"""Everything Longterm raises on purpose.

    LongtermError
    ├── InvalidInputError        what was given cannot be accepted
    │   ├── InvalidRoleError
    │   └── SecretRefusedError
    ├── MemoryNotFoundError      what was named is not there (or belongs to somebody else)
    ├── ConflictError            it contradicts what is stored
    ├── HaltedError              the user's state forbids it
    ├── NotAllowedError          it is somebody else's
    ├── TemplateError            a template cannot be rendered
    ├── ClosedError              it was closed, or not opened yet
    ├── UnavailableError         a part that Longterm needs does not answer
    │   ├── DatabaseGoneError    no connection: the transaction stored nothing
    │   │   └── DatabaseFullError    its disk is full: nothing was stored
    │   ├── OutcomeUnknownError  the answer to a COMMIT was lost: ask, or repeat with the same id
    │   ├── DatabaseBusyError    a lock or time limit: try again
    │   ├── ModelGoneError       the model does not answer now, and may later
    │   ├── ModelRefusedError    the model will not answer before a setting is changed
    │   └── BudgetSpentError     the tenant's budget for models is used up for today
    └── SetupError               this installation cannot run as it is configured

The docstring of a class is its message when none is given.
"""


class LongtermError(Exception):
    """Longterm could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class InvalidInputError(LongtermError):
    """The input is not valid."""


class InvalidRoleError(InvalidInputError):
    """A message has the role `user` or `assistant`."""


class SecretRefusedError(InvalidInputError):
    """Secrets such as passwords, keys and card numbers are not stored."""


class MemoryNotFoundError(LongtermError):
    """There is nothing here by that name."""


class ConflictError(LongtermError):
    """This contradicts what is already stored."""


class HaltedError(LongtermError):
    """This user is halted; set the state to `active` to go on."""


class NotAllowedError(LongtermError):
    """This belongs to another user."""


class TemplateError(LongtermError):
    """The template cannot be rendered."""


class ClosedError(LongtermError):
    """Longterm is not open: use it in a `with` block, or call `open()` first."""


class UnavailableError(LongtermError):
    """Longterm cannot answer at the moment; try again shortly."""

    def __init__(self, message: str | None = None, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DatabaseGoneError(UnavailableError):
    """The database does not answer; try again shortly."""


class OutcomeUnknownError(UnavailableError):
    """Whether this was stored is unknown: repeat it with the same write_id or Idempotency-Key."""

    def __init__(self, message: str | None = None, *, retry_after_s: float | None = None) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.id: str | None = None
        """The id of the message, turn or fact, if it was stored."""


class DatabaseFullError(DatabaseGoneError):
    """The disk of the database is full; nothing was stored."""


class DatabaseBusyError(UnavailableError):
    """The database is busy; try again shortly."""


class ModelGoneError(UnavailableError):
    """The language model does not answer at the moment."""


class ModelRefusedError(UnavailableError):
    """The language model refuses to answer; check its name and key."""


class BudgetSpentError(UnavailableError):
    """The budget of this tenant for language models is used up for today."""


class SetupError(LongtermError):
    """Longterm cannot run as it is set up; `longterm doctor` says more."""
