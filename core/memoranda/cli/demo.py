"""`memoranda demo`: the life of one preference and one file in one folder, each step a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from memoranda.cli import lifecycle
from memoranda.cli.lifecycle import Expected, Report, Step

FOLDER = Path("memoranda-demo")
AGENT = "agent"


def _choice(text: str) -> str:
    if text not in (*Step, AGENT):
        raise typer.BadParameter(f"{text!r} is none of {', '.join((*Step, AGENT))}.")
    return text


def demo(
    step: Annotated[
        str | None,
        typer.Argument(
            help=f"One step alone: {', '.join(Step)}; or '{AGENT}', for agents of PydanticAI and LangChain.",
            parser=_choice,
            metavar="[STEP]",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[Path, typer.Option("--folder", metavar="PATH", help="Where its database is.")] = FOLDER,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="A real model for the agents, as they name it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a step's report as JSON.")] = False,
    expect: Annotated[Expected | None, typer.Option("--expect", hidden=True)] = None,
) -> None:
    """Watch one memory live, step by step.

    It is written, recalled, hidden from another user, corrected and forgotten; then an agent edits a file and finds it
    again. Each step is a process of its own. The folder is kept, and the demo can be run in it again.
    """
    if step is None:
        _whole(folder)
        return
    if step == AGENT:
        from memoranda.cli.agentdemo import agents

        agents(folder, model)
        return
    started = time.perf_counter()
    report = asyncio.run(_one(Step(step), folder, expect))
    if as_json:
        typer.echo(json.dumps(asdict(report)))
        return
    from memoranda.cli import pages

    pages.step(Step(step), report, time.perf_counter() - started)
    if report.block:
        pages.block(report)


async def _one(step: Step, folder: Path, expected: Expected | None) -> Report:
    from memoranda.store import Store
    from memoranda.transport.local import LocalTransport

    transport = LocalTransport(folder)
    async with Store(transport) as store:
        return await lifecycle.take(step, store, expected, database=str(transport.server.location))


def _whole(folder: Path) -> None:
    """Run every step; the first that proves nothing ends the demo."""
    from memoranda.cli import pages

    pages.opening(folder)
    started, rendered, report = time.perf_counter(), False, None
    for number, (step, expected) in enumerate(lifecycle.LIFECYCLE, start=1):
        began = time.perf_counter()
        with pages.waiting(step, first_time=not folder.exists()):
            report, complaint = _in_a_process(step, folder, expected)
        seconds = time.perf_counter() - began
        if report is None:
            pages.failed(number, step, seconds)
            typer.echo(complaint, err=True)
            raise typer.Exit(1)
        pages.step(step, report, seconds, number)
        if report.block and not rendered:
            pages.block(report)
            rendered = True
    assert report is not None  # noqa: S101  # there are steps
    pages.closing(folder, report.database, len(lifecycle.LIFECYCLE), time.perf_counter() - started)


def _in_a_process(step: Step, folder: Path, expected: Expected | None) -> tuple[Report | None, str]:
    """Run one step in a new process: its report, or what it complained of."""
    # Never the current folder's modules (-P): the person may stand in one with a typer.py of their own.
    command = [sys.executable, "-P", "-m", "memoranda.cli", "demo", step, "--json", "--folder", str(folder)]
    if expected:
        command += ["--expect", expected]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        # Apart from us, so that a Ctrl-C reaches it once, from us, and it stops its server in peace.
        process_group=0 if os.name == "posix" else None,
    ) as child:
        try:
            output, complaint = child.communicate()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            raise
    if child.returncode:
        return None, complaint.strip()
    sys.stderr.write(complaint)  # warnings, if any
    return Report(**json.loads(output)), ""
