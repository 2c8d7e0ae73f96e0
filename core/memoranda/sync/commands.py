# Generated from core/memoranda/commands.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""The six commands of Anthropic's memory tool, as a model sends them, and the texts that it gets back.

The texts are those of the tool's documentation (`memory_20250818`), to the letter: models were trained on them. What
the documentation leaves open is worded in the same way. No text holds anything of the machine: there are no host paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from memoranda.commands import _ANSWERED, _listing, _numbered, _page, _Parameters, _quoted, _Refusal, _shown
from memoranda.commands import AROUND as AROUND
from memoranda.commands import DEPTH as DEPTH
from memoranda.commands import MOST_LINES as MOST_LINES
from memoranda.commands import PAGE as PAGE
from memoranda.commands import Result as Result
from memoranda.errors import (
    AmbiguousError,
    CommandError,
    ConflictError,
    ExistsError,
    LineError,
    NoMatchError,
    NotFoundError,
)
from memoranda.text import storable

if TYPE_CHECKING:
    from memoranda.sync.files import Files


def run(files: Files, command: Mapping[str, Any], idempotency_key: str | None = None) -> Result:
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
        return Result(_COMMANDS[name](files, _Parameters(command), idempotency_key))
    except _Refusal as refusal:
        return Result(storable(str(refusal)), is_error=True)
    except _ANSWERED as error:
        return Result(f"Error: {' '.join(filter(None, (error.message, error.hint)))}", is_error=True)


def _view(files: Files, given: _Parameters, key: str | None) -> str:
    del key
    path, lines = given.text("path"), given.range()
    found = files.view(path)
    if found is None:
        raise _Refusal(f"The path {_shown(path)} does not exist. Please provide a valid path.")
    if isinstance(found, list):
        return _listing(files.spelled(path), found, files.mounted)
    return _page(found, lines)


def _create(files: Files, given: _Parameters, key: str | None) -> str:
    path, text = given.text("path"), given.text("file_text")
    try:
        files.write(path, text, expected_version=0, idempotency_key=key)
    except ConflictError as error:
        if error.code != ConflictError.code:
            raise
        raise _Refusal(f"Error: File {_shown(path)} already exists") from error
    return f"File created successfully at: {_shown(path)}"


def _str_replace(files: Files, given: _Parameters, key: str | None) -> str:
    path, old, new = given.text("path"), given.text("old_str"), given.text("new_str", default="")
    try:
        done = files.replace(path, old, new, idempotency_key=key)
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
    file = files.read(path)
    if file is None or done.line is None or done.lines is None:  # somebody has removed it since
        return "The memory file has been edited."
    snippet = _numbered(file, done.line - AROUND, done.line + done.lines - 1 + AROUND)
    return f"The memory file has been edited.\n{snippet}".rstrip("\n")


def _insert(files: Files, given: _Parameters, key: str | None) -> str:
    path, line, text = given.text("path"), given.number("insert_line"), given.text("insert_text", "new_str")
    try:
        files.insert(path, line, text, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(path)} does not exist") from error
    except LineError as error:
        raise _Refusal(
            f"Error: Invalid `insert_line` parameter: {line}. "
            f"It should be within the range of lines of the file: [0, {error.detail['lines']}]"
        ) from error
    return f"The file {_shown(path)} has been edited."


def _delete(files: Files, given: _Parameters, key: str | None) -> str:
    path = given.text("path")
    try:
        files.remove(path, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(path)} does not exist") from error
    return f"Successfully deleted {_shown(path)}"


def _rename(files: Files, given: _Parameters, key: str | None) -> str:
    old, new = given.text("old_path"), given.text("new_path")
    try:
        files.move(old, new, idempotency_key=key)
    except NotFoundError as error:
        raise _Refusal(f"Error: The path {_shown(old)} does not exist") from error
    except ExistsError as error:
        raise _Refusal(f"Error: The destination {_shown(new)} already exists") from error
    return f"Successfully renamed {_shown(old)} to {_shown(new)}"


_Command: TypeAlias = "Callable[[Files, _Parameters, str | None], str]"
_COMMANDS: dict[str, _Command] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}
