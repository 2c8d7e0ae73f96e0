"""What the agents of `memoranda demo agent` are asked, whatever their framework, and what must come of it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

STEPS = {
    "tell": [("alice", "I live in Porto, by the river.")],
    "ask": [("alice", "Where do I live?"), ("bob", "Where do I live?")],
}
"""What is said, by whom, in each process."""

KNOWN = "Porto"
"""What the agent knows of alice afterwards, and of nobody else."""


async def step_of(step: str, ask: Callable[[str, str], Awaitable[str]]) -> None:
    """Take one step, and print what was said as JSON.

    Args:
        step: Its name.
        ask: Asks the agent, for a user; returns what it answers.
    """
    print(json.dumps([[user, text, await ask(user, text)] for user, text in STEPS[step]]))  # noqa: T201  # read by the command line
