"""Memory files, for tests to look at."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from memoranda.errors import MemorandaError
from memoranda.files import Files
from memoranda.filetypes import FileOutcome


async def texts(files: Files) -> dict[str, str]:
    """Every file's text, by its path."""
    found = [await files.read(entry.path) for entry in await files.list()]
    return {file.path: file.content for file in found if file is not None}


async def attempt(call: Coroutine[Any, Any, FileOutcome]) -> str:
    """What became of a write: its outcome, or the code of its error."""
    try:
        return (await call).outcome
    except MemorandaError as error:
        return error.code
