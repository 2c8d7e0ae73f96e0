"""`memoranda files`: the memory files of one memory, listed, shown, edited and put back."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar

import typer

from memoranda.cli.entries import print_entries, print_json, when
from memoranda.cli.place import AsJson, Place, Tenant, User, memory_of
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import InputError, MemorandaError, NotFoundError
from memoranda.filetypes import FileOutcome, FileRevision

if TYPE_CHECKING:
    from memoranda.memory import Memory

files = typer.Typer(
    help="List, show, edit and restore memory files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FilePath: TypeAlias = Annotated[
    str, typer.Argument(help="The whole path, such as /memories/notes.md.", show_default=False)
]
Found = TypeVar("Found")


@files.command("ls")
def list_files(
    user: User,
    path: Annotated[str, typer.Argument(help="A folder.")] = "/memories",
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """List the files below a folder."""
    found = _with(Target.of(dsn, folder), user, tenant, scope, lambda memory: memory.files.list(path))
    if as_json:
        print_json(found)
        return
    print_entries(
        [
            (
                each.path,
                f"{_size(each.bytes)}, version {each.version}, {when(each.updated_at)}{_mark(each.tainted)}",
                "",
            )
            for each in found
        ],
        nothing="No files here.",
    )


@files.command("cat")
def show(
    path: FilePath, user: User, tenant: Tenant = None, scope: Place = "user", dsn: Dsn = None, folder: Folder = None
) -> None:
    """Print a file's text."""
    from memoranda.cli.output import plain

    found = _with(Target.of(dsn, folder), user, tenant, scope, lambda memory: memory.files.read(path))
    if found is None:
        raise NotFoundError(f"There is no file {path}.", hint="List the files with: memoranda files ls")
    # A terminal would obey what the text may hold; a pipe gets it as it is.
    sys.stdout.write(plain(found.content) if sys.stdout.isatty() else found.content)


@files.command()
def edit(
    path: FilePath, user: User, tenant: Tenant = None, scope: Place = "user", dsn: Dsn = None, folder: Folder = None
) -> None:
    """Edit a file in your editor ($VISUAL or $EDITOR); what it was stays in the history."""
    target = Target.of(dsn, folder)
    before = _with(target, user, tenant, scope, lambda memory: memory.files.read(path))
    with tempfile.TemporaryDirectory(prefix="memoranda-") as private:  # for this account alone to read
        copy = Path(private, f"edited{Path(path).suffix}")
        copy.write_text(before.content if before else "", encoding="utf-8", newline="")
        _run_editor(copy)
        text = _read_back(copy)
        if text == (before.content if before else ""):
            typer.echo("Nothing was changed.")
            return
        # Written only over what was edited: a version that somebody else made meanwhile is not lost in this one.
        expected = before.version if before else 0
        try:
            outcome = _with(
                target, user, tenant, scope, lambda memory: memory.files.write(path, text, expected_version=expected)
            )
        except MemorandaError as error:
            raise _with_text_kept(error, copy, text) from error
    _say(path, outcome)


@files.command()
def history(
    path: FilePath,
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the versions of a file, newest first."""
    found = _with(Target.of(dsn, folder), user, tenant, scope, lambda memory: memory.files.history(path, limit))
    if as_json:
        print_json(found)
        return
    print_entries(
        [(f"{each.verb:<8}", _about(each), "" if each.verb == "removed" else each.content) for each in found],
        nothing="Nothing has ever stood at this path.",
    )


@files.command()
def restore(
    path: FilePath,
    version: Annotated[int, typer.Argument(help="The version, as `history` shows it.", show_default=False)],
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
) -> None:
    """Put an earlier version of a file back, as a new one."""
    target = Target.of(dsn, folder)
    _say(path, _with(target, user, tenant, scope, lambda memory: memory.files.restore(path, version)))


def _with(target: Target, user: str, tenant: str | None, scope: str, do: Callable[[Memory], Awaitable[Found]]) -> Found:
    """Do something with the memory that the options name, in a store of its own."""
    store = target.store()

    async def run() -> Found:
        async with store:
            return await do(memory_of(store, user, tenant, scope))

    return asyncio.run(run())


def _run_editor(copy: Path) -> None:
    """Let the person's own editor at a copy.

    Raises:
        InputError: There is none, or it failed.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    advice = "Name an editor in VISUAL or EDITOR, such as: EDITOR=nano"
    try:
        done = subprocess.run([*shlex.split(editor), str(copy)], check=False)
    except (OSError, ValueError) as error:
        raise InputError(f"The editor could not be started: {editor}", hint=advice) from error
    if done.returncode:
        raise InputError(f"The editor ended with {done.returncode}; nothing was changed.", hint=advice)


def _read_back(copy: Path) -> str:
    try:
        return copy.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise InputError("What was edited is not UTF-8; nothing was changed.") from error


def _with_text_kept(error: MemorandaError, copy: Path, text: str) -> MemorandaError:
    """An edit could not be saved: what was typed is kept for the person, beside the error."""
    handle, kept = tempfile.mkstemp(prefix="memoranda-edit-", suffix=copy.suffix)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    hint = " ".join(filter(None, (error.hint, f"What you wrote is kept in {kept}")))
    return type(error)(error.message, hint=hint)


def _say(path: str, outcome: FileOutcome) -> None:
    typer.echo(f"{path}: {outcome.outcome}, version {outcome.version}.")


def _about(revision: FileRevision) -> str:
    """A version, on one line."""
    writer = ", ".join(part for part in (revision.actor, revision.run_id, revision.reason) if part)
    return f"version {revision.version}, {revision.path}, {when(revision.at)}, {writer}{_mark(revision.tainted)}"


def _size(count: int) -> str:
    return "1 byte" if count == 1 else f"{count:,} bytes"


def _mark(tainted: bool) -> str:
    """How a person sees that untrusted material may be in a file."""
    return ", tainted" if tainted else ""
