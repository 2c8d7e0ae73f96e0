"""One library in its own process and environment: it does what it is told in lines of JSON, and says how long it took.

Started as `python -m benchmarks.peers.worker NAME SERVER VECTORS HOME INDEX`. The clock runs around the library's call
alone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.peers.contract import Fact, Server, Store, Vectors
from benchmarks.peers.libraries import LIBRARIES

Rows: TypeAlias = Sequence[tuple[str, str]]


class Worker:
    """The orders; each is a method."""

    def __init__(self, make: Callable[[], Store], acknowledge: Callable[[], None]) -> None:
        self._make = make
        self._acknowledge = acknowledge
        self._store = make()

    def close(self) -> None:
        self._store.close()

    def fill(self, user: str, facts: Rows) -> None:
        self._store.fill(user, [Fact(*row) for row in facts])

    def add_many(self, user: str, facts: Rows, looking: bool) -> float:
        """Seconds of the one call."""
        new = [Fact(*row) for row in facts]
        began = time.perf_counter()
        self._store.add_many(user, new, looking=looking)
        return time.perf_counter() - began

    def add(self, user: str, facts: Rows) -> list[float]:
        """Seconds of each call."""
        seconds: list[float] = []
        for row in facts:
            fact = Fact(*row)
            began = time.perf_counter()
            self._store.add(user, fact)
            seconds.append(time.perf_counter() - began)
        return seconds

    def add_aloud(self, user: str, facts: Rows) -> None:
        """Acknowledges each write, as a server would to its client."""
        for row in facts:
            self._store.add(user, Fact(*row))
            self._acknowledge()

    def search(self, asked: Rows, k: int, by: str) -> dict[str, Any]:
        """Seconds and texts of each question, by everything there is (`search`) or by vectors alone (`nearest`)."""
        ask = self._store.search if by == "search" else self._store.nearest
        seconds: list[float] = []
        found: list[list[str]] = []
        for user, query in asked:
            began = time.perf_counter()
            texts = ask(user, query, k)
            seconds.append(time.perf_counter() - began)
            found.append(texts)
        return {"seconds": seconds, "found": found}

    def unfiltered(self, query: str, k: int) -> list[str]:
        return self._store.unfiltered(query, k)

    def texts(self, user: str) -> list[str]:
        return self._store.texts(user)

    def put(self, user: str, id: str, text: str) -> None:
        self._store.put(user, id, text)

    def edit(self, user: str, id: str, more: str) -> None:
        self._store.edit(user, id, partial(_append, more))

    def delete(self, user: str, id: str) -> None:
        self._store.delete(user, id)

    def edits(self, user: str, id: str, writers: int, each: int) -> str:
        """Let several clients append to one text at once; returns what it is then. An edit that fails is lost."""

        def write(store: Store, number: int) -> None:
            for turn in range(each):
                mark = f"[{number}.{turn}]"
                with suppress(Exception):
                    store.edit(user, id, partial(_append, mark))

        self._at_once(writers, write)
        return self._store.read(user, id)

    def copies(self, user: str, text: str, writers: int) -> list[str]:
        """Let several clients save one text at once, each under an id of its own; returns the user's texts then."""
        self._at_once(writers, lambda store, number: store.add(user, Fact(f"{user}-copy-{number}", text)))
        return self._store.texts(user)

    def _at_once(self, writers: int, work: Callable[[Store, int], None]) -> None:
        """Each client has connections of its own, and all start together."""
        ready = threading.Barrier(writers)
        failed: list[BaseException] = []

        def client(number: int) -> None:
            try:
                store = self._make()
                ready.wait(60)
                try:
                    work(store, number)
                finally:
                    store.close()
            except BaseException as error:
                failed.append(error)
                ready.abort()

        threads = [threading.Thread(target=client, args=(number,)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]


def _append(more: str, old: str) -> str:
    return f"{old} {more}"


def main() -> None:
    name, server, vectors, home, index = sys.argv[1:]
    orders, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer

    def answer(value: dict[str, Any]) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    library = LIBRARIES[name]
    module = import_module(f"benchmarks.peers.stores.{library.module}")
    kind: Any = getattr(module, library.store)
    known, place = Vectors(Path(vectors)), Server(*json.loads(server))

    def make() -> Store:
        store: Store = kind(place, known, Path(home), approximate=index == "approximate")
        return store

    worker = Worker(make, lambda: answer({"done": 1}))
    versions = {package: metadata.version(package) for package in module.PACKAGES}
    answer({"value": {"versions": versions, "looks": kind.looks_for_duplicates}})
    for line in orders:
        order: dict[str, Any] = json.loads(line)
        try:
            answer({"value": getattr(worker, order.pop("do"))(**order)})
        except Exception as error:
            message = (str(error).strip().splitlines() or [""])[0]
            answer({"error": f"{type(error).__name__}: {message}"})
    worker.close()


if __name__ == "__main__":
    main()
