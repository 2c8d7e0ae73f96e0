"""A share for each voice, so that none of those that may be a stranger's fills an answer alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC
from typing import TypeVar

from memoranda.context import Item, JsonValue, line_of
from memoranda.facttypes import Fact
from memoranda.filetypes import File
from memoranda.tokens import TokenCounter

ItemT = TypeVar("ItemT")

SHARE = 3
"""A voice takes at most the third part."""


def voice_of(fact: Fact) -> str | None:
    """Whose voice a fact is: the source of what came by tools and assistants, and of what a tainted run wrote.

    Args:
        fact: The fact.

    Returns:
        The source, empty for all that name none; None for the user's own words, and for what nobody doubts.
    """
    return fact.source or "" if fact.tainted or fact.origin in ("tool", "assistant") else None


def crowded(facts: Sequence[Fact]) -> bool:
    """Whether one voice has more than its share of what was found.

    Args:
        facts: What was found.
    """
    voices = Counter(voice for fact in facts if (voice := voice_of(fact)) is not None)
    return any(SHARE * count > len(facts) for count in voices.values())


def fair(
    items: Sequence[ItemT], voice: Callable[[ItemT], Hashable], size: Callable[[ItemT], int], room: int
) -> list[ItemT]:
    """The same items in an order in which no voice has more than its share of any beginning.

    What a voice has over its share waits until others have had theirs; what still waits in the end comes last.

    Args:
        items: The items, the most important first.
        voice: Whose voice an item is; None for those that nothing limits.
        size: How much room an item takes.
        room: How much room the first item of a voice may take, before anybody else has had any.

    Returns:
        All of them.
    """
    ordered, waiting = list[ItemT](), list[ItemT]()
    taken, total = Counter[Hashable](), 0

    def fits(item: ItemT) -> bool:
        who, more = voice(item), size(item)
        return who is None or SHARE * (taken[who] + more) <= max(total + more, 0 if taken[who] else SHARE * room)

    def take(item: ItemT) -> None:
        nonlocal total
        ordered.append(item)
        taken[voice(item)] += size(item)
        total += size(item)

    for item in items:
        if not fits(item):
            waiting.append(item)
            continue
        take(item)
        while (found := next((each for each in waiting if fits(each)), None)) is not None:
            waiting.remove(found)
            take(found)
    return ordered + waiting


def block_items(files: Sequence[File], facts: Sequence[Fact], budget: int, count: TokenCounter) -> list[Item]:
    """What a block may show, in its order: files, then facts, no voice before its turn.

    Args:
        files: The files, the first first.
        facts: The facts, likewise.
        budget: Tokens that the block may take.
        count: Counts the tokens of a text.

    Returns:
        All of them.
    """
    voices = [(_file_item(file), "files" if file.tainted else None) for file in files]
    voices += [(_fact_item(fact), voice_of(fact)) for fact in facts]
    if all(voice is None for _, voice in voices):  # as nearly always: then there is nothing to weigh
        return [item for item, _ in voices]
    # In tokens of what is shown, which for some texts are many more than their characters; each is counted once.
    sized = [(item, voice, count(line_of(item.data))) for item, voice in voices]
    ordered = fair(sized, lambda each: each[1], lambda each: each[2], budget // SHARE)
    return [item for item, _, _ in ordered]


def _file_item(file: File) -> Item:
    """A file as the model sees it."""
    data: dict[str, JsonValue] = {"path": file.path, "content": file.content}
    return Item("file", file.path, data | {"tainted": True} if file.tainted else data)


def _fact_item(fact: Fact) -> Item:
    """A fact as the model sees it: what it says, and how old it is, so that its age can be judged."""
    data: dict[str, JsonValue] = {"kind": fact.kind, "content": fact.content}
    if fact.key is not None:
        data = {"key": fact.key, **data}
    if fact.source is not None:
        data["source"] = fact.source
    if fact.tainted:
        data["tainted"] = True
    data["updated"] = fact.updated_at.astimezone(UTC).date().isoformat()
    return Item("fact", fact.key or str(fact.id), data)
