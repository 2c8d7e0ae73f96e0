"""Every error the library raises: one base, a stable code each, and what to do about it.

The message says what happened, :attr:`MemorandaError.hint` what to do. Codes are stable across releases and clients:
the database raises the same ones, as SQLSTATEs, whatever program calls it (see :mod:`memoranda.sqlstates`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class MemorandaError(Exception):
    """Something went wrong in memoranda."""

    code: ClassVar[str] = "MEMORY_ERROR"
    remedy: ClassVar[str] = ""

    def __init__(self, message: str = "", *, hint: str = "", detail: Mapping[str, Any] | None = None) -> None:
        """Make an error.

        Args:
            message: What happened; the class's docstring when empty.
            hint: What to do about it; the class's own remedy when empty.
            detail: What a program may want to know, such as line numbers.
        """
        self.detail = dict(detail or {})
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.hint = hint or self.remedy
        super().__init__(self.message)

    def __str__(self) -> str:
        """The message, the remedy and the code, in one line."""
        return " ".join(part for part in (self.message, self.hint, f"[{self.code}]") if part)


# Who is asking, and for what.


class IdentityError(MemorandaError):
    """No usable identity: memory belongs to somebody, and nobody was named."""

    code = "MEMORY_NO_IDENTITY"
    remedy = "Bind one with store.memory(user=...), from your own session, never from a model's text."


class ForbiddenError(MemorandaError):
    """This identity may not do that here."""

    code = "MEMORY_FORBIDDEN"
    remedy = "Ask with an identity that is a member of the tenant and has the permission."


class ScopeError(MemorandaError):
    """That is not a scope."""

    code = "MEMORY_NAMESPACE"
    remedy = "Use Scope.user(), .agent(id), .chat(id), .project(id) or .organization(); an id has 1 to 200 characters."


# What was sent.


class InputError(MemorandaError):
    """An argument is not acceptable."""

    code = "MEMORY_INPUT"


class EmptyError(InputError):
    """There is nothing to remember: the text is empty."""

    code = "MEMORY_EMPTY"
    remedy = "Pass at least one visible character."


class TooLargeError(InputError):
    """The text is over the limit."""

    code = "MEMORY_TOO_LARGE"
    remedy = "Split it, or shorten it."


class SecretError(InputError):
    """It holds a key, a password, or the number of a card or a document, and such are refused here."""

    code = "MEMORY_SECRET"
    remedy = "Leave the secret out, or mask it with secrets='mask'."


class TimeError(InputError):
    """A time without a time zone."""

    code = "MEMORY_TIME"
    remedy = "Pass a timezone-aware datetime, such as datetime.now(timezone.utc)."


class PathError(InputError):
    """That is not a path that a file can have here."""

    code = "MEMORY_PATH"
    remedy = "Use /memories/name, folders between slashes; no `.` or `..`, backslash, %-code or hidden character."


class LineError(InputError):
    """There is no such line in the file."""

    code = "MEMORY_LINE"


class QuotaError(InputError):
    """This scope would hold more than it may."""

    code = "MEMORY_QUOTA"
    remedy = "Remove or shorten something first, or raise the limit in the settings."


class CommandError(InputError):
    """That is not one of the six commands."""

    code = "MEMORY_COMMAND"
    remedy = "Use view, create, str_replace, insert, delete or rename."


class FormatError(InputError):
    """That is no line of an export."""

    code = "MEMORY_FORMAT"
    remedy = "See docs/export.md for the format. Some of what came before may be here already; importing again is safe."


class DataSetError(InputError):
    """That is not a file of the data set that it was taken for."""

    code = "MEMORY_DATA_SET"
    remedy = "Pass the data set's own files, as its authors publish them, or a part of them in the same form."


# What was found.


class NotFoundError(MemorandaError):
    """There is no such memory here."""

    code = "MEMORY_NOT_FOUND"


class NoMatchError(MemorandaError):
    """The text to replace does not stand in the file."""

    code = "MEMORY_NO_MATCH"


class AmbiguousError(MemorandaError):
    """The text to replace stands in more than one place."""

    code = "MEMORY_AMBIGUOUS"
    remedy = "Give more of the text around it."


class ExistsError(MemorandaError):
    """There is something at that path already."""

    code = "MEMORY_EXISTS"


class ConflictError(MemorandaError):
    """It changed since it was read."""

    code = "MEMORY_CONFLICT"
    remedy = "Read it again and repeat the change."


class SupersededError(ConflictError):
    """Another fact has superseded that one already."""

    code = "MEMORY_SUPERSEDED"
    remedy = "Name the fact that is in force; its history says which one that is."


class NotInForceError(ConflictError):
    """That fact is not in force: it waits, or it was rejected or forgotten."""

    code = "MEMORY_NOT_IN_FORCE"
    remedy = "Save it anew, restore it, or approve of it first."


class CycleError(ConflictError):
    """A fact would supersede itself."""

    code = "MEMORY_CYCLE"
    remedy = "Name the older fact first, and the one that took its place as the other."


class ErasedError(ConflictError):
    """What this write belongs to was erased; it was not done again."""

    code = "MEMORY_ERASED"
    remedy = "Nothing has to be done. To have it remembered all the same, write it anew with a new idempotency key."


class SettledError(ConflictError):
    """It is settled already what becomes of that fact."""

    code = "MEMORY_SETTLED"
    remedy = "Look at its history; a fact in force is forgotten, one that is not is restored."


class IdempotencyError(ConflictError):
    """The same idempotency key came with another payload."""

    code = "MEMORY_IDEMPOTENCY"
    remedy = "Use a new key for a new write; send the same payload only to repeat one."


# The database.


class UnavailableError(MemorandaError):
    """The database could not be reached, or went away during the call.

    A write that was under way may or may not have happened: send it again with the same idempotency key.
    """

    code = "MEMORY_UNAVAILABLE"
    remedy = "Send the call again, a write with the same idempotency key."


class PoolTimeoutError(UnavailableError):
    """No connection became free in time; the call was not sent."""

    code = "MEMORY_POOL_TIMEOUT"
    remedy = "Raise max_connections or timeout, or make fewer calls at once."


class CallTimeoutError(UnavailableError):
    """The database did not answer in time."""

    code = "MEMORY_TIMEOUT"


class DatabaseError(MemorandaError):
    """The database refused the call for a reason that is not ours."""

    code = "MEMORY_DATABASE"
    remedy = "The cause is attached as __cause__."


class SchemaError(MemorandaError):
    """The tables of this database and this release of the library do not fit."""

    code = "MEMORY_SCHEMA"
    remedy = "Run `memoranda init` on the database."


class SchemaMissingError(SchemaError):
    """This database has no memoranda schema yet."""

    code = "MEMORY_SCHEMA_MISSING"


class SchemaTooNewError(SchemaError):
    """The database was migrated by a newer release, in a way that this one cannot work with."""

    code = "MEMORY_SCHEMA_TOO_NEW"
    remedy = "Upgrade memoranda here to the release that ran the migration."


class MigrationError(SchemaError):
    """A migration failed; its transaction was rolled back and nothing of it remains."""

    code = "MEMORY_MIGRATION"
    remedy = "Mend the cause and run `memoranda init` again: it goes on where it stopped."


class PrivilegeError(SchemaError):
    """This login may not install what the schema needs."""

    code = "MEMORY_PRIVILEGE"


# Embedders. What was stored is safe whatever they do: it waits for its vector, and words still find it.


class EmbedderError(MemorandaError):
    """The embedder failed.

    Attributes:
        transient: Whether the same call may well succeed later.
    """

    code = "MEMORY_EMBEDDER"
    remedy = "The cause is attached as __cause__."
    transient: ClassVar[bool] = False


class EmbedderUnavailableError(EmbedderError):
    """The embedder could not be reached, or is too busy.

    Attributes:
        retry_after: Seconds that the embedder asks to wait; None when it said nothing.
    """

    code = "MEMORY_EMBEDDER_UNAVAILABLE"
    remedy = "Try again later."
    transient = True

    def __init__(
        self,
        message: str = "",
        *,
        hint: str = "",
        detail: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Make an error.

        Args:
            message: What happened; the class's docstring when empty.
            hint: What to do about it; the class's own remedy when empty.
            detail: What a program may want to know.
            retry_after: Seconds that the embedder asks to wait.
        """
        super().__init__(message, hint=hint, detail=detail)
        self.retry_after = retry_after


class EmbedderQuotaError(EmbedderError):
    """The account at the embedder has no credit left."""

    code = "MEMORY_EMBEDDER_QUOTA"
    remedy = "Add credit, or raise the account's limit; until then every call fails."


class EmbedderSetupError(EmbedderError):
    """The embedder refuses every call: the key, the model or the address is wrong."""

    code = "MEMORY_EMBEDDER_SETUP"
    remedy = "Check the key, the name of the model, and the base URL."


class EmbedderInputError(EmbedderError):
    """The embedder refuses this text."""

    code = "MEMORY_EMBEDDER_INPUT"
    remedy = "Shorten the text, or leave it without a vector: words still find it."


class VectorError(EmbedderError):
    """What the embedder gave is not one usable vector a text."""

    code = "MEMORY_VECTOR"
    remedy = "Check that the embedder's model and dimensions are those it was made with."


# The embedded server and the installation.


class EmbeddedError(MemorandaError):
    """The embedded Postgres could not be used."""

    code = "MEMORY_EMBEDDED"


class PlatformError(EmbeddedError):
    """The embedded Postgres does not run on this platform."""

    code = "MEMORY_PLATFORM"
    remedy = "Use memoranda.connect(dsn) with a Postgres of your own."


class FolderError(EmbeddedError):
    """That folder cannot hold the database."""

    code = "MEMORY_FOLDER"
    remedy = "Choose an empty folder that you can write to."


class FolderVersionError(FolderError):
    """The folder was made by another major version of Postgres."""

    code = "MEMORY_FOLDER_VERSION"
    remedy = "Open it with the release of memoranda that made it, export, and import here."


class MissingExtraError(MemorandaError, ImportError):
    """An optional package is not installed."""

    code = "MEMORY_EXTRA"
