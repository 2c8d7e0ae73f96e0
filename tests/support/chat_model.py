"""What the messages of a scope are, in the plainest Python, for machines that compare."""

from __future__ import annotations

from dataclasses import dataclass, field

WORDS = ("zorpel", "blicken", "quamish")
"""No two have a stem in common."""


@dataclass
class Said:
    """A message; what was deleted keeps its place in its chat, and its id."""

    id: str
    role: str
    text: str
    run: str | None
    version: int = 1
    deleted: bool = False
    withdrawn: bool = False

    @property
    def found(self) -> bool:
        """Whether recall may find it."""
        return not (self.deleted or self.withdrawn) and self.role != "tool"


@dataclass
class Chats:
    """The chats of a scope: of each, its messages in their order."""

    chats: dict[str, list[Said]] = field(default_factory=dict[str, list[Said]])

    def add(self, chat: str, messages: list[tuple[str, str, str]], run: str | None) -> list[str]:
        """Store a turn of (id, role, text); returns what became of each."""
        said, became = self.chats.setdefault(chat, []), list[str]()
        for id_, role, text in messages:
            there = self.find(chat, id_)
            if there is None:
                said.append(Said(id_, role, text, run))
            became.append("stored" if there is None else "rejected" if there.deleted else "duplicate")
        return became

    def find(self, chat: str, id_: str) -> Said | None:
        return next((each for each in self.chats.get(chat, []) if each.id == id_), None)

    def edit(self, chat: str, id_: str, text: str) -> str | None:
        """Change a message; returns what became of it, None where there is none."""
        there = self.find(chat, id_)
        if there is None or there.deleted:
            return None
        if there.text == text and not there.withdrawn:
            return "unchanged"
        there.text, there.withdrawn, there.version, there.run = text, False, there.version + 1, None
        return "edited"

    def delete(self, chat: str, id_: str | None) -> str:
        gone = [each for each in self.chats.get(chat, []) if not each.deleted and id_ in (None, each.id)]
        for each in gone:
            each.text, each.deleted, each.version = "", True, each.version + 1
        return "deleted" if gone else "nothing"

    def undo(self, run: str) -> int:
        """Withdraw what was said in a run, the user's words excepted."""
        gone = [
            each
            for said in self.chats.values()
            for each in said
            if each.run == run and each.role != "user" and not each.deleted and not each.withdrawn
        ]
        for each in gone:
            each.withdrawn, each.version = True, each.version + 1
        return len(gone)

    def listed(self, chat: str) -> list[tuple[str, str, str, int, bool]]:
        """What a list shows, newest first."""
        return [
            (each.id, each.role, each.text, each.version, each.withdrawn)
            for each in reversed(self.chats.get(chat, []))
            if not each.deleted
        ]

    def all_found(self) -> dict[tuple[str, str], str]:
        """Every text that recall may find, by chat and id."""
        return {(chat, each.id): each.text for chat, said in self.chats.items() for each in said if each.found}

    def beside(self, chat: str, id_: str) -> tuple[list[str], list[str]]:
        """The ids of what stands just before and after a message."""
        said = self.chats[chat]
        place = next(n for n, each in enumerate(said) if each.id == id_)
        before = [said[place - 1].id] if place > 0 and said[place - 1].found else []
        after = [said[place + 1].id] if place + 1 < len(said) and said[place + 1].found else []
        return before, after
