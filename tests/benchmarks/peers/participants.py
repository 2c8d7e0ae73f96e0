"""A library that takes part: its process, its database, and how it was set up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers import cpu
from benchmarks.peers.databases import Database, size_of_files
from benchmarks.peers.libraries import Library
from benchmarks.peers.process import Process
from benchmarks.peers.texts import World

AT_ONCE = 500


@dataclass
class Checked:
    """A setting of a library, and how many of the true ten nearest it finds, in large memories and in small ones."""

    setting: str
    large: float
    small: float
    seconds: float
    """Of the median search in a large memory."""


@dataclass
class Participant:
    """One of those compared."""

    library: Library
    database: Database
    python: Path
    vectors: Path
    home: Path
    approximate: bool = True
    """Whether it has an index over all vectors."""
    process: Process = field(init=False)
    versions: dict[str, str] = field(init=False)
    checked: list[Checked] = field(default_factory=list[Checked])
    setting: str = ""
    bytes_a_fact: float = 0.0
    _empty: int = 0
    _used: dict[int, float] = field(default_factory=dict[int, float])

    def __post_init__(self) -> None:
        self.process = self._started()
        self.versions = self.process.about["versions"]

    @property
    def name(self) -> str:
        return self.library.name

    @property
    def looks(self) -> bool:
        return bool(self.process.about["looks"])

    def cpu(self) -> float:
        """Seconds of CPU that it and its server processes have used, those that have ended included."""
        for process in (self.process.pid, *self.database.backends()):
            self._used[process] = max(cpu.seconds(process), self._used.get(process, 0.0))
        return sum(self._used.values())

    def close(self) -> None:
        self.process.close()

    def restart(self) -> None:
        """Let it connect anew."""
        self.process.close()
        self.process = self._started()

    def crash(self) -> None:
        """End its process in the midst of what it does, and start another."""
        self.process.kill()
        self.process = self._started()

    def fill(self, world: World) -> None:
        """Have all memories in its tables."""
        self._empty = self._room()
        indexes = self.database.hnsw()
        self.database.drop_hnsw()  # made anew at the end, which is quicker and better, as pgvector advises
        for user, facts in world.memories.items():
            for start in range(0, len(facts), AT_ONCE):
                self.process.order("fill", user=user, facts=facts[start : start + AT_ONCE])
        self.database.run(indexes)
        self.database.tidy()

    def weigh(self, world: World) -> None:
        """See how much room the memories take, with the indexes that it has by now."""
        self.bytes_a_fact = (self._room() - self._empty) / sum(map(len, world.memories.values()))

    def _room(self) -> int:
        return self.database.size() + size_of_files(self.home)

    def _started(self) -> Process:
        return Process(self.name, self.python, self.database.server, self.vectors, self.home, self.approximate)
