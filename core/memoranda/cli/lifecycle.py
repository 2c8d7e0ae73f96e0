"""What the demo does and proves: the life of one preference and of one file, over the library's public names alone."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar

from memoranda.errors import MemorandaError
from memoranda.identity import Scope
from memoranda.memory import Memory
from memoranda.store import Store

KEY = "writing.style"
ORIGINAL = "Short sentences, British spelling."
CORRECTED = "Short sentences, American spelling."
PATH = "/memories/progress.md"
SCRIPT: tuple[dict[str, str], ...] = (
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": PATH, "file_text": "# Invoice 4711\n\n- [ ] draft\n- [ ] send\n"},
    {"command": "str_replace", "path": PATH, "old_str": "- [ ] draft", "new_str": "- [x] draft"},
)
"""What an agent does with its files, as a model calls Anthropic's memory tool; here it is written down beforehand."""
DONE = "- [x] draft"
SCOPE = Scope.agent("demo")
"""The demo's own place, apart from whatever else these users have in the folder."""


class Step(StrEnum):
    """What one process of the demo does."""

    WRITE = "write"
    RECALL = "recall"
    OTHER_USER = "other-user"
    CORRECT = "correct"
    FORGET = "forget"
    EDIT_FILE = "edit-file"
    FIND_FILE = "find-file"


class Expected(StrEnum):
    """What a recall has to find, by where it stands in the whole."""

    ORIGINAL = "original"
    CORRECTED = "corrected"
    NOTHING = "nothing"


LIFECYCLE: tuple[tuple[Step, Expected | None], ...] = (
    (Step.WRITE, None),
    (Step.RECALL, Expected.ORIGINAL),
    (Step.OTHER_USER, None),
    (Step.CORRECT, None),
    (Step.RECALL, Expected.CORRECTED),
    (Step.FORGET, None),
    (Step.RECALL, Expected.NOTHING),
    (Step.EDIT_FILE, None),
    (Step.FIND_FILE, None),
)
"""The whole demo."""

_WANTED = {Expected.ORIGINAL: [ORIGINAL], Expected.CORRECTED: [CORRECTED], Expected.NOTHING: []}


@dataclass(frozen=True, slots=True)
class Report:
    """What a step did, and what that proves.

    Attributes:
        did: What it did.
        proved: What it looked at, and found to be so.
        block: What a prompt would get, if the step rendered it.
        process: Who did it.
        database: The folder that holds the database.
    """

    did: str
    proved: str
    block: str = ""
    process: int = field(default_factory=os.getpid)
    database: str = ""


class ProofError(MemorandaError):
    """A step of the demo did not find what it had to."""

    code: ClassVar[str] = "MEMORY_DEMO"
    remedy: ClassVar[str] = "If something else has changed the value, start anew with: memoranda demo write"


def require(holds: bool, expected: str, found: object) -> None:
    """End the step unless something is so.

    Raises:
        ProofError: It is not.
    """
    if not holds:
        raise ProofError(f"Not proved. Expected: {expected}. Found: {found}.")


async def take(step: Step, store: Store, expected: Expected | None = None, *, database: str = "") -> Report:
    """Do one step.

    Args:
        step: Which.
        store: An open store.
        expected: What a recall has to find; by default, what the history says was written last.
        database: The folder that holds the database, for the report.

    Returns:
        The report.

    Raises:
        ProofError: It did not turn out as it had to.
    """
    run_id = f"pid {os.getpid()}"  # so that the log says which process wrote
    alice = store.memory("alice", scope=SCOPE, run_id=run_id)
    match step:
        case Step.WRITE:
            report = await _write(alice)
        case Step.RECALL:
            report = await _recall(alice, expected)
        case Step.OTHER_USER:
            report = await _other_user(alice, store.memory("bob", scope=SCOPE, run_id=run_id))
        case Step.CORRECT:
            report = await _correct(alice)
        case Step.FORGET:
            report = await _forget(alice)
        case Step.EDIT_FILE:
            report = await _edit_file(alice)
        case Step.FIND_FILE:
            report = await _find_file(alice)
    return replace(report, database=database)


async def _write(alice: Memory) -> Report:
    # A demo that was broken off has left its value in force; that one is the demo's own, and its history stays too.
    left = await alice.facts.forget(KEY, reason="an earlier demo was not finished")
    outcome = await alice.facts.save(
        ORIGINAL,
        key=KEY,
        kind="preference",
        source="memoranda demo",
        restore=True,  # an earlier demo forgot it
    )
    require(outcome.outcome == "stored", "the value to be stored", outcome.outcome)
    note = "; an unfinished demo's value was forgotten first" if left.outcome == "forgotten" else ""
    return Report(f'alice saves "{ORIGINAL}"', f"stored under the key {KEY}, version {outcome.version}{note}")


async def _recall(alice: Memory, expected: Expected | None) -> Report:
    revisions = await alice.facts.history(KEY)
    require(bool(revisions), f"something written under {KEY}", "an empty history")
    last = revisions[0]
    wanted = _WANTED[expected] if expected else [] if last.verb == "forgotten" else [last.fact.content]
    found = [fact.content for fact in await alice.facts.recall() if fact.key == KEY]
    require(found == wanted, _quoted(wanted), _quoted(found))
    if not found:
        return Report("alice recalls nothing", f"forgotten, not erased: the history has all {len(revisions)} writes")
    block = await alice.context("how should I write?", budget=300)
    require(found[0] in block.text, "the value in the block for the prompt", block.text)
    if last.verb == "corrected":
        proved = "the correction alone; the value before it is in the history"
    else:
        proved = f"it outlived the process that wrote it, {last.run_id}"
    return Report(f"alice recalls {_quoted(found)}", proved, block.text)


async def _other_user(alice: Memory, bob: Memory) -> Report:
    hers = await alice.facts.get(KEY)
    require(hers is not None, "a value of alice's for bob to look for", "none")
    assert hers is not None  # noqa: S101  # said twice for the type checkers
    listed = [fact.content for fact in await bob.facts.recall(limit=200) if fact.id == hers.id]
    require(not listed, "bob to list nothing of alice's", _quoted(listed))
    revisions = await bob.facts.history(hers.id)
    require(not revisions, "bob to find no history by the fact's id", f"{len(revisions)} revisions")
    outcome = await bob.facts.forget(hers.id)
    require(outcome.outcome == "nothing", "bob to have nothing to forget", outcome.outcome)
    require(await alice.facts.get(KEY) == hers, "alice's value untouched", "another")
    return Report(
        "bob looks for it in his list, and by its id",
        "he sees nothing and forgets nothing; alice still has it",
    )


async def _correct(alice: Memory) -> Report:
    outcome = await alice.facts.save(CORRECTED, key=KEY, kind="preference", source="memoranda demo", restore=True)
    require(outcome.outcome == "superseded", "the value to supersede an older one", outcome.outcome)
    last, before = (await alice.facts.history(KEY, limit=2))[:2]
    require(
        (last.fact.content, before.fact.content) == (CORRECTED, ORIGINAL),
        "the new value in the history, and the old one before it",
        _quoted([last.fact.content, before.fact.content]),
    )
    return Report(
        f'alice saves "{CORRECTED}"',
        f"same key: version {last.fact.version} is in force, version {before.fact.version} in the history",
    )


async def _forget(alice: Memory) -> Report:
    outcome = await alice.facts.forget(KEY, reason="the demo ends")
    require(outcome.outcome == "forgotten", "a value to forget", outcome.outcome)
    require(await alice.facts.get(KEY) is None, "no value in force", "one")
    return Report(f"alice forgets {KEY}", "nothing is in force under that key")


async def _edit_file(alice: Memory) -> Report:
    if await alice.files.read(PATH):  # a demo that was broken off has left it
        await alice.files.remove(PATH)
    for command in SCRIPT:
        result = await alice.files.run(command)
        require(not result.is_error, f"{command['command']} to succeed", result.text)
    file = await alice.files.read(PATH)
    require(file is not None and DONE in file.content, f'"{DONE}" in the file', file)
    return Report(
        "alice's agent creates a file and ticks a line",
        f"{len(SCRIPT)} commands of the memory tool, answered as documented",
    )


async def _find_file(alice: Memory) -> Report:
    result = await alice.files.run({"command": "view", "path": PATH})
    require(DONE in result.text, f'"{DONE}" in the file', result.text)
    edited, created = (await alice.files.history(PATH, limit=2))[:2]
    require((edited.verb, created.verb) == ("edited", "created"), "both writes in the history", (edited, created))
    await alice.files.remove(PATH)
    return Report(
        f'alice\'s agent views it and finds "{DONE}"',
        f"it outlived {edited.run_id}; now it is removed, but not its history",
    )


def _quoted(contents: list[str]) -> str:
    return " and ".join(f'"{content}"' for content in contents) or "nothing"
