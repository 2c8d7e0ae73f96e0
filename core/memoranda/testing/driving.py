"""How the conformance tests drive an agent: a script for its model, and what the model saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool that the scripted model makes.

    Attributes:
        tool: The tool's name; ``web`` is a tool of the application that returns a page.
        given: Its input.
        id: The call's id.
    """

    tool: str
    given: Mapping[str, Any]
    id: str


@dataclass(frozen=True, slots=True)
class Said:
    """One piece of a request, as the model gets it.

    Attributes:
        role: Whose part of the request it stands in.
        text: The text.
    """

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a run.

    Attributes:
        requests: What the model saw, request by request.
        results: What its calls of tools returned, in order: the text, and whether it is an error.
        history: What the framework keeps of the run for the next one.
    """

    requests: Sequence[Sequence[Said]]
    results: Sequence[tuple[str, bool]] = ()
    history: Sequence[Said] = field(default_factory=tuple)


class Driver(Protocol):
    """Runs an agent that has the adapter under test, on a model that follows a script.

    The agent has the tools of the adapter, ``remember`` included, and a tool ``web`` that takes nothing and returns
    :attr:`page`. Its identity resolver raises :class:`memoranda.errors.IdentityError` for nobody.
    """

    page: str
    """What the tool ``web`` returns."""

    async def run(
        self, user: str | None, text: str, steps: Sequence[Sequence[ToolUse]] = (), *, chat: str = "chat"
    ) -> Seen:
        """Run the agent once.

        Args:
            user: Whom it serves.
            text: What the user says.
            steps: The calls of tools that the model makes, request by request; after the last it says "done".
            chat: The conversation.

        Returns:
            What the model saw.
        """
        ...
