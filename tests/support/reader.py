"""An extractor that finds nothing, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.extracting.candidates import Candidate
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn


class Reader:
    def __init__(self) -> None:
        self.read: list[list[str]] = []
        """The texts of each turn."""

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        self.read.append([message.text for message in turn.messages if message.text])
        return ()
