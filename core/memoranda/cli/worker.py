"""`memoranda worker`: does what turns have left to do, until it is told to stop."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.place import AsJson
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoranda.store import Store
    from memoranda.working import QueueStatus, Worked

_PAUSE = 5.0
"""Seconds between two looks at a queue in which nothing is due."""

_TIMEOUT = 60.0


def worker(
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAME", help="What makes vectors: local, or openai:MODEL.")
    ] = "local",
    extractor: Annotated[
        str | None,
        typer.Option("--extractor", metavar="NAME", help="What finds facts in turns: openai:MODEL."),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Leave when nothing is due, instead of waiting for more.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what was given up, first.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Do nothing: say what there is to do.")] = False,
    dsn: Dsn = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Do what turns have left to do: vectors, and facts.

    Any number may run, on any machines. Ctrl-C, or SIGTERM, lets it end what it is doing; the second ends it at once,
    and nothing is lost: another takes the work when the lease of two minutes ends. It needs a login that may act as
    service_role.
    """
    from memoranda.cli.output import entry, say

    target = Target.of(dsn, folder)
    made = (None, None) if status else (embedder, extractor)
    store = target.store(embedder=made[0], extractor=made[1], timeout=_TIMEOUT)

    def begun() -> None:
        if not as_json:
            entry("Database", target.describe())

    if status:
        _show(asyncio.run(_status(store)), as_json)
        return
    done, left, again = asyncio.run(_run(store, begun, once=once, retry=retry))
    if as_json:
        typer.echo(json.dumps({**asdict(done), "retried": again}))
        return
    if retry:
        say(f"{again:,} given up before, tried again.")
    if extractor:
        say(f"{done.extracted:,} turns with facts, {done.nothing:,} without.")
    say(f"{done.embedded:,} messages embedded, {done.later + done.waiting:,} put off, {done.dead:,} given up.")
    _show(left, as_json)


async def _status(store: Store) -> QueueStatus:
    async with store:
        return await store.queue()


async def _run(store: Store, begun: Callable[[], None], *, once: bool, retry: bool) -> tuple[Worked, QueueStatus, int]:
    """Work until it is told to stop, or nothing is due."""
    from memoranda.cli.results import progress as bar
    from memoranda.working import Worked

    stop = asyncio.Event()
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def told() -> None:
        if stop.is_set() and task:
            task.cancel()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told)
    begun()
    total = Worked()
    async with store:
        again = await store.retry() if retry else 0
        with bar() as progress:
            shown = progress.add_task("working", total=None)
            while True:
                before = total.done

                def show(at: Worked, before: int = before) -> None:
                    progress.update(shown, completed=before + at.done)

                with suppress(UnavailableError):  # it comes back, and the work with it
                    total += await store.work(progress=show, stop=stop.is_set)
                if once or stop.is_set():
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _PAUSE)
        return total, await store.queue(), again


def _show(status: QueueStatus, as_json: bool) -> None:
    """What is left to do, and what was given up."""
    from memoranda.cli.output import program, say

    if as_json:
        dead = [{"kind": each.kind, "user": str(each.user), "reason": each.reason} for each in status.dead]
        typer.echo(json.dumps({"due": dict(status.due), "later": dict(status.later), "dead": dead}, indent=2))
        return
    for kind in sorted({*status.due, *status.later}):
        say(f"{kind}: {status.due.get(kind, 0):,} due, {status.later.get(kind, 0):,} later.")
    for each in status.dead[:20]:
        say(
            f"- given up: {each.kind}, of {each.user} in {':'.join(filter(None, each.scope))}: {each.reason}", rest="  "
        )
    if status.dead:
        say(f"To try again: {program()} worker --retry")
