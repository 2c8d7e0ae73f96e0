"""How an extractor fails. The turn was stored before it was asked, and waits for its extraction whatever it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from memoranda.errors import MemorandaError

Reason: TypeAlias = Literal["empty", "truncated", "refused", "not JSON", "wrong shape"]
"""Why an answer can't be used; of the ``wrong shape`` is JSON that has no list of facts."""


class ExtractorError(MemorandaError):
    """The extractor failed.

    Attributes:
        transient: Whether the same call may well succeed later, through no fault of the turn's; None if it may when it
            is tried again, as far as anybody knows.
    """

    code = "MEMORY_EXTRACTOR"
    remedy = "The cause is attached as __cause__."
    transient: ClassVar[bool | None] = False


class ExtractorUnavailableError(ExtractorError):
    """The model could not be reached, or is too busy.

    Attributes:
        retry_after: Seconds that it asks to wait; None when it said nothing.
    """

    code = "MEMORY_EXTRACTOR_UNAVAILABLE"
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
            retry_after: Seconds that the model's server asks to wait.
        """
        super().__init__(message, hint=hint, detail=detail)
        self.retry_after = retry_after


class ExtractorQuotaError(ExtractorError):
    """The account at the model's server has no credit left."""

    code = "MEMORY_EXTRACTOR_QUOTA"
    remedy = "Add credit, or raise the account's limit; until then every call fails, and what is to be done waits."
    transient = True


class ExtractorSetupError(ExtractorError):
    """The model's server refuses every call: the key, the model or the address is wrong."""

    code = "MEMORY_EXTRACTOR_SETUP"
    remedy = "Check the key, the name of the model, and the base URL; until then what is to be done waits."
    transient = True


class ExtractorInputError(ExtractorError):
    """The model's server refuses this turn."""

    code = "MEMORY_EXTRACTOR_INPUT"
    remedy = "The turn is too long for the model, or against its rules; its messages are kept and found all the same."


class AnswerError(ExtractorError):
    """What the model returned can't be read.

    Attributes:
        reason: Why.
    """

    code = "MEMORY_EXTRACTOR_ANSWER"
    remedy = "Nothing of it was kept. Try again, or use a model with structured outputs."
    transient: ClassVar[bool | None] = None

    def __init__(self, reason: Reason) -> None:
        """Make an error.

        Args:
            reason: What is wrong with the answer.
        """
        super().__init__(f"The model's answer can't be used: {reason}.", detail={"reason": reason})
        self.reason = reason


class RefusedError(AnswerError):
    """The model refuses to answer."""

    code = "MEMORY_EXTRACTOR_REFUSED"
    remedy = "Its messages are kept, and found all the same. Another model may take the turn."
    transient = False

    def __init__(self) -> None:
        """Make an error."""
        super().__init__("refused")
