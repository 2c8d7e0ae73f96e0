"""The six commands of Anthropic's memory tool, as a model sends them, and the texts that it gets back.

The texts are those of the tool's documentation (`memory_20250818`), to the letter: models were trained on them. What
the documentation leaves open is worded in the same way. No text holds anything of the machine: there are no host paths.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from memoranda.errors import (
    AmbiguousError,
    CommandError,
    ConflictError,
    ExistsError,
    ForbiddenError,
    InputError,
    LineError,
    NoMatchError,
    NotFoundError,
)
from memoranda.filetypes import ROOT, Entry, File
from memoranda.text import storable

if TYPE_CHECKING:
    from memoranda.files import Files

PAGE = 16_000
"""Characters of a file that one view shows, as the tool's own description says."""
MOST_LINES = 999_999
AROUND = 2
"""Lines of context that a snippet shows on each side of an edit."""
DEPTH = 2
"""How deep a list of a folder goes."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a model gets back.

    Attributes:
        text: The text.
        is_error: Whether the command failed, to be passed on with the tool's result.
    """

    text: str
    is_error: bool = False

    def __str__(self) -> str:
        """The text."""
        return self.text


async def run(files: Files, command: Mapping[str, Any], idempotency_key: str | None = None) -> Result:
    """Do one command.

    Args:
        files: Where.
        command: The tool's input.
        idempotency_key: Names the write, if it is one.

    Returns:
        The text for the model, and whether it is an error.
    """
    name = command.get("command")
    try:
        if not isinstance(name, str) or name not in _COMMANDS:
            raise CommandError(f"Unknown command {_quoted(name)}.")
        return Result(await _COMMANDS[name](files, _Parameters(command), idempotency_key))
    except _Refusal as refusal:
        return Result(storable(str(refusal)), is_error=True)
    except _ANSWERED as error:
        return Result(f"Error: {' '.join(filter(None, (error.message, error.hint)))}", is_error=True)


_ANSWERED = (InputError, NotFoundError, NoMatchError, AmbiguousError, ExistsError, ConflictError, ForbiddenError)
"""What a model can do something about. Anything else is the application's to see."""


class _Refusal(Exception):
    """A command failed; the text is the documentation's."""


class _Parameters:
    """The parameters of a command, checked as they are asked for."""

    def __init__(self, command: Mapping[str, Any]) -> None:
        self._command = command

    def text(self, *names: str, default: str | None = None) -> str:
        """The first of these parameters that is there, which is a text."""
        value = next((self._command[name] for name in names if self._command.get(name) is not None), default)
        if not isinstance(value, str):
            raise InputError(f"The command needs the text `{names[0]}`.")
        return value

    def number(self, name: str) -> int:
        """A whole number."""
        value = _whole(self._command.get(name))
        if value is None:
            raise InputError(f"The command needs the whole number `{name}`.")
        return value

    def range(self) -> tuple[int, int] | None:
        """The lines to view, first and last, -1 being the end."""
        value = self._command.get("view_range")
        if value is None:
            return None
        match value:
            case [start, end] if (first := _whole(start)) is not None and (last := _whole(end)) is not None:
                return first, last
            case _:
                raise InputError("`view_range` is a list of two whole numbers.")


def _whole(value: object) -> int | None:
    """A whole number, which models also write as a text; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


async def _view(files: Files, given: _Parameters, key: str | None) -> str:
    del key
    path, lines = given.text("path"), given.range()
    found = await files.view(path)
    if found is None:
        raise _Refusal(f"The path {_shown(path)} does not exist. Please provide a valid path.")
    if isinstance(found, list):
        return _listing(files.spelled(path), found, files.mounted)
    return _page(found, lines)


async def _create(files: Files, given: _Parameters, key: str | None) -> str:
    path, text = given.text("path"), given.text("file_text")
    try:
        await files.write(path, text, expected_version=0, idempotency_key=key)
    except ConflictError as error:
        if error.code != ConflictError.code:
            raise
        raise _Refusal(f"Error: File {_shown(path)} already exists") from error
    return f"File created successfully at: {_shown(path)}"


async def _str_replace(files: Files, given: _Parameters, key: str | None) -> str:
    path, old, new = given.text("path"), given.text("old_str"), given.text("new_str", default="")
    try:
        done = await files.replace(path, old, new, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(path)} does not exist. Please provide a valid path.") from error
    except NoMatchError as error:
        raise _Refusal(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {_shown(path)}."
        ) from error
    except AmbiguousError as error:
        lines = ", ".join(map(str, error.detail["lines"]))
        raise _Refusal(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        ) from error
    file = await files.read(path)
    if file is None or done.line is None or done.lines is None:  # somebody has removed it since
        return "The memory file has been edited."
    snippet = _numbered(file, done.line - AROUND, done.line + done.lines - 1 + AROUND)
    return f"The memory file has been edited.\n{snippet}".rstrip("\n")


async def _insert(files: Files, given: _Parameters, key: str | None) -> str:
    path, line, text = given.text("path"), given.number("insert_line"), given.text("insert_text", "new_str")
    try:
        await files.insert(path, line, text, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(path)} does not exist") from error
    except LineError as error:
        raise _Refusal(
            f"Error: Invalid `insert_line` parameter: {line}. "
            f"It should be within the range of lines of the file: [0, {error.detail['lines']}]"
        ) from error
    return f"The file {_shown(path)} has been edited."


async def _delete(files: Files, given: _Parameters, key: str | None) -> str:
    path = given.text("path")
    try:
        await files.remove(path, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(path)} does not exist") from error
    return f"Successfully deleted {_shown(path)}"


async def _rename(files: Files, given: _Parameters, key: str | None) -> str:
    old, new = given.text("old_path"), given.text("new_path")
    try:
        await files.move(old, new, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(old)} does not exist") from error
    except ExistsError as error:
        raise _Refusal(f"Error: The destination {_shown(new)} already exists") from error
    return f"Successfully renamed {_shown(old)} to {_shown(new)}"


_Command: TypeAlias = "Callable[[Files, _Parameters, str | None], Awaitable[str]]"
_COMMANDS: dict[str, _Command] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}


def _listing(folder: str, entries: list[Entry], mounted: Sequence[str]) -> str:
    """A folder and what is in it, two levels deep: sizes, tabs and paths, without what is hidden."""
    sizes = {folder: 0} | (dict.fromkeys(mounted, 0) if folder == ROOT else {})
    for entry in entries:
        parts = entry.path.removeprefix(f"{folder}/").split("/")
        if any(part.startswith(".") or part == "node_modules" for part in parts):
            continue
        for depth in range(min(len(parts), DEPTH) + 1):
            path = "/".join([folder, *parts[:depth]])
            sizes[path] = sizes.get(path, 0) + entry.bytes
    lines = [f"{_size(sizes[path])}\t{path}" for path in sorted(sizes, key=lambda path: path.split("/"))]
    what = "files and directories up to 2 levels deep"
    return "\n".join([f"Here're the {what} in {folder}, excluding hidden items and node_modules:", *lines])


def _size(count: int) -> str:
    """A size for people: bytes as they are, more with one decimal."""
    if count < 1024:
        return f"{count}B"
    return f"{count / 1024:.1f}K" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f}M"


def _page(file: File, lines: tuple[int, int] | None) -> str:
    """A file's lines with their numbers, as many as one view shows."""
    count = len(_lines(file))
    if count > MOST_LINES:
        raise _Refusal(f"File {file.path} exceeds maximum line limit of 999,999 lines.")
    first, last = lines or (1, -1)
    last = count if last == -1 else last
    if lines and not (1 <= first <= max(count, 1) and first <= last):
        raise InputError(f"Invalid `view_range`: {list(lines)}. The file has {count} lines; -1 stands for the last.")
    body = _numbered(file, first, min(last, count))
    text = f"Here's the content of {file.path} with line numbers:\n{body}".rstrip("\n")
    if len(text) <= PAGE:
        return text
    cut = text[:PAGE].rpartition("\n")[0]
    shown = cut.count("\n")
    if not shown:  # one line, longer than a page
        after = f" View what is after it with view_range [{first + 1}, -1]." if first < last else ""
        return f"{text[:PAGE]}\n[Line {first} goes on: it is longer than one view shows.{after}]"
    rest = first + shown
    return f"{cut}\n[Lines {first} to {rest - 1} of {count}. View the rest with view_range [{rest}, -1].]"


def _lines(file: File) -> list[str]:
    """A file's lines; a newline at the end of the text ends the last one and begins no other."""
    return file.content.removesuffix("\n").split("\n") if file.content else []


def _numbered(file: File, first: int, last: int) -> str:
    """Lines with their numbers, six wide, and a tab."""
    numbered = enumerate(_lines(file), 1)
    return "\n".join(f"{number:>6}\t{line}" for number, line in numbered if first <= number <= last)


def _shown(path: str) -> str:
    """A path in a text: on one line, and not longer than a path can be."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", path)[:520]


def _quoted(value: object) -> str:
    """What came in the place of a command's name, cut short."""
    return f"`{_shown(value)[:40]}`" if isinstance(value, str) else f"of type {type(value).__name__}"
