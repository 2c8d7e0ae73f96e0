"""`memoranda review`: what waits for a person, one after the other, and what the person makes of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.entries import print_entries, print_json, when
from memoranda.cli.place import AsJson, Place, Tenant, User, memory_of
from memoranda.cli.target import Dsn, Embedding, Folder, Target
from memoranda.errors import MemorandaError
from memoranda.facttypes import Outcome, Waiting

if TYPE_CHECKING:
    from memoranda.memory import Memory

_ASK = "[a]ccept  [r]eject  [e]dit  [w]hy  [s]kip  [q]uit  ?"

_HELP = """\
a         accept it: it is in force from now on
r [WHY]   reject it for good: its value does not come back
e [TEXT]  accept it in other words
w         say why it waits, and where it is from
s         skip it: it waits on
q         quit"""

_RULES = {
    "near tombstone": "It is like one that was rejected or forgotten before.",
    "moved on": "It looks like a later state of what is in force.",
    "similar": "It is like what is in force, and may say the same.",
    "key": "It would be the value of its key.",
    "supersedes": "It is to replace what is in force.",
}


def review(
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many at most.")] = 200,
    embedder: Embedding = None,
    as_list: Annotated[bool, typer.Option("--list", help="Only list what waits.")] = False,
    as_json: AsJson = False,
) -> None:
    """Decide on the facts that wait: accept, reject or edit them.

    Answers come from the keyboard, or line by line from a pipe: `a`, `r not so`, `e what is so`, `s`.
    """
    store = Target.of(dsn, folder).store(embedder=embedder)
    memory = memory_of(store, user, tenant, scope)

    async def run() -> None:
        async with store:
            waiting = await memory.review.pending(limit)
            if as_json:
                print_json(waiting)
            elif as_list or not waiting:
                entries = [(str(each.fact.id), _head(each), _text(each)) for each in waiting]
                print_entries(entries, nothing="Nothing waits for review.")
            else:
                await _Session(memory, waiting).run()

    asyncio.run(run())


def waits(count: int) -> str:
    """How a person is told that something waits."""
    return f"{count} fact{'s wait' if count != 1 else ' waits'} for review."


class _Session:
    """A person going through what waits."""

    def __init__(self, memory: Memory, waiting: list[Waiting]) -> None:
        self.memory = memory
        self.waiting = waiting
        self.done = 0

    async def run(self) -> None:
        from memoranda.cli.output import say

        for number, each in enumerate(self.waiting, 1):
            print_entries([(f"{number} of {len(self.waiting)}", _head(each), _text(each))], nothing="")
            if not await self._decide(each):
                break
        say(f"{self.done} decided. {waits(await self.memory.review.count())}")

    async def _decide(self, each: Waiting) -> bool:
        """One decision; whether to go on."""
        from memoranda.cli.output import error, say

        while True:
            answer = _answer(_ASK)
            verb, _, rest = (answer or "q").strip().partition(" ")
            match verb.lower():
                case "q" | "quit":
                    return False
                case "s" | "skip":
                    return True
                case "w" | "why":
                    say(_why(each), first="  ", rest="  ")
                case "a" | "accept" | "r" | "reject" | "e" | "edit":
                    text = rest.strip()
                    if verb.lower() in ("e", "edit") and not text:
                        text = (_answer("In other words (nothing to leave it):", each.fact.content) or "").strip()
                        if not text:
                            continue
                    try:
                        say(_became(await self._act(verb[0].lower(), each, text)), first="  ", rest="  ")
                    except MemorandaError as problem:
                        error(problem)
                        continue
                    self.done += 1
                    return True
                case _:
                    say(_HELP, first="  ", rest="  ")

    async def _act(self, verb: str, each: Waiting, text: str) -> Outcome:
        review = self.memory.review
        if verb == "a":
            return await review.approve(each.fact.id, reason=text or None)
        if verb == "r":
            return await review.reject(each.fact.id, reason=text or None)
        return await review.edit_and_approve(each.fact.id, text)


def _answer(question: str, suggested: str = "") -> str | None:
    """A line from the keyboard or from a pipe; None when there is none left."""
    from memoranda.cli.output import console

    console().print(question, end=" ", soft_wrap=True)
    if sys.stdin.isatty():
        with suppress(EOFError), _suggesting(suggested):
            return input()
        return None
    line = sys.stdin.readline()
    console().print(line.rstrip("\n"), soft_wrap=True)
    return line or None


class _suggesting:  # reads as a word
    """A text to be edited at the prompt, where the terminal can."""

    def __init__(self, text: str) -> None:
        from memoranda.cli.output import plain

        self._text = plain(text).replace("\n", " ")
        self._hook: Callable[[Callable[[], object] | None], None] | None = None

    def __enter__(self) -> None:
        with suppress(ImportError):
            import readline

            self._hook = readline.set_startup_hook
            self._hook(lambda: readline.insert_text(self._text))

    def __exit__(self, *_: object) -> None:
        if self._hook:
            self._hook(None)


def _head(each: Waiting) -> str:
    fact = each.fact
    parts = [fact.kind, fact.key or "", f"from {fact.origin}", fact.source or "", when(fact.created_at)]
    return ", ".join(part for part in [*parts, "tainted" if fact.tainted else ""] if part)


def _text(each: Waiting) -> str:
    """What it says, and what would give way to it."""
    return each.fact.content + (f"\nIn the place of: {each.replaces.content}" if each.replaces else "")


def _why(each: Waiting) -> str:
    """All that is known about why it waits."""
    fact = each.fact
    lines = [_RULES.get(each.rule or "", "")]
    if each.actor in ("model", "extractor", "import"):
        lines.append(f"It was written by the {each.actor}.")
    if fact.origin != "user":
        lines.append(f"It is made of the words of: {fact.origin}.")
    if fact.tainted:
        lines.append(f"The run {each.run_id} had read untrusted material.")
    if fact.quote:
        lines.append(f"It rests on the words: {fact.quote}")
    if each.compared:
        alike = "" if each.similarity is None else f" (similarity {each.similarity:.3f})"
        lines.append(f"Compared with, {each.compared.status}{alike}: {each.compared.content}")
    if each.reason:
        lines.append(f"The writer's reason: {each.reason}")
    return "\n".join(filter(None, lines)) or "The policy here lets everything wait, or the caller asked for it."


def _became(outcome: Outcome) -> str:
    match outcome.outcome:
        case "superseded":
            return "In force, in the place of what was there."
        case "stored":
            return "In force."
        case "duplicate":
            return "What is in force says that already."
        case "rejected" if outcome.rule == "tombstone":
            return "Those words were rejected or forgotten before; it waits on."
        case "rejected":
            return "Rejected."
        case other:
            return other
