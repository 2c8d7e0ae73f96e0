"""What each library is asked to do, whatever it calls it; standard library alone, for it runs in every environment."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias
from zlib import crc32

Change: TypeAlias = Callable[[str], str]


class Fact(NamedTuple):
    """A text that a user's memory holds, under the id that the application has for it."""

    id: str
    text: str


class Server(NamedTuple):
    """How to reach a database: a socket, trusted."""

    host: str
    port: str
    user: str
    database: str

    def url(self, scheme: str = "postgresql") -> str:
        return f"{scheme}://{self.user}@/{self.database}?host={self.host}&port={self.port}"


class Vectors:
    """The vectors that were made beforehand, by text; a text that has none gets one of its own, at random."""

    def __init__(self, folder: Path) -> None:
        texts = (folder / "texts").read_text().split("\0")
        self._numbers = array("f", (folder / "vectors").read_bytes())
        self.dimensions = len(self._numbers) // len(texts)
        self._places = {text: place * self.dimensions for place, text in enumerate(texts)}

    def of(self, text: str) -> list[float]:
        place = self._places.get(text)
        if place is not None:
            return self._numbers[place : place + self.dimensions].tolist()
        rng = random.Random(crc32(text.encode("utf-8", "surrogatepass")))
        return [rng.gauss(0, 1) for _ in range(self.dimensions)]


class Store(Protocol):
    """A library, opened on a database of its own. Ids are the application's; all texts of the benchmark differ."""

    looks_for_duplicates: bool
    """Whether it can look for what is known already when it writes many at once."""

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        """Open it, and make its tables if they are not there.

        Args:
            server: Where.
            vectors: What its embedder gives.
            home: For what it keeps in files.
            approximate: Whether to have the index over all vectors that its documentation advises.
        """
        ...

    def close(self) -> None: ...

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        """Have facts in the tables as `add_many` would, by the fastest way there is; not measured."""
        ...

    def add(self, user: str, fact: Fact) -> None:
        """Write one."""
        ...

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        """Write them all, in one call."""
        ...

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The texts that answer a question, by all the ways that the library has; best first."""
        ...

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        """The texts whose vectors are nearest to the question's: the part that is compared with exact search."""
        ...

    def unfiltered(self, query: str, k: int) -> list[str]:
        """What a search returns that was meant for one user, and whose author forgot to say for which."""
        ...

    def texts(self, user: str) -> list[str]:
        """Everything in the user's memory, up to 1,000 texts."""
        ...

    def put(self, user: str, id: str, text: str) -> None:
        """Write a text that will be edited."""
        ...

    def read(self, user: str, id: str) -> str:
        """Read it."""
        ...

    def edit(self, user: str, id: str, change: Change) -> None:
        """Read it, change it and write it back, as safely as the library allows."""
        ...

    def delete(self, user: str, id: str) -> None:
        """Remove what was put, by the most thorough verb there is."""
        ...
