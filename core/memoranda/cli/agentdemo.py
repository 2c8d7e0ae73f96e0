"""`memoranda demo agent`: an agent of each framework is told something in one process, and asked for it in the next."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import typer

from memoranda.cli.output import plain
from memoranda.demos import KNOWN, STEPS

FRAMEWORKS = {
    "PydanticAI": ("memoranda_pydantic_ai.demo", ("pydantic_ai",), "pip install 'memoranda[pydantic-ai]'"),
    "LangChain": ("memoranda_langchain.demo", ("langchain",), "pip install 'memoranda[langchain]' langchain"),
}
"""By its name: the program, what it needs, and how to get that."""


def agents(folder: Path, model: str | None) -> None:
    """Run it for every framework that is installed.

    Args:
        folder: Where the memory is: one for all frameworks.
        model: A real model, by the name that the framework knows; without one, a script stands for it.

    Raises:
        typer.Exit: No framework is installed, or an agent did not remember.
    """
    found = {name: each for name, each in FRAMEWORKS.items() if all(map(find_spec, each[1]))}
    if not found:
        hints = "\n".join(f"  {hint}" for _, _, hint in FRAMEWORKS.values())
        typer.echo(f"No agent framework is installed. Install one:\n{hints}", err=True)
        raise typer.Exit(1)
    for name, (program, _, _) in found.items():
        typer.echo(f"{name}, {model or 'a script in the place of a model'}")
        for step in STEPS:
            _step(name, program, step, folder, model)
    typer.echo(f"Each step was a process of its own. What they remember is in {folder}.")


def _step(name: str, program: str, step: str, folder: Path, model: str | None) -> None:
    command = [sys.executable, "-P", "-m", program, step, str(folder), *([model] if model else [])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        typer.echo(plain(done.stderr.strip().rpartition("\n")[2]), err=True)
        raise typer.Exit(1)
    for user, text, answer in json.loads(done.stdout):
        typer.echo(f"  {user}: {text}\n    {plain(answer)}")  # of a model, which a terminal must not obey
        if step == "ask" and (KNOWN in answer) != (user == "alice"):
            typer.echo(
                f"{name}: that proves nothing: {user} should {'' if user == 'alice' else 'not '}hear of it.", err=True
            )
            raise typer.Exit(1)
