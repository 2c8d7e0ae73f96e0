"""A folder of Markdown memory files: Claude's `/memories`, or a `MEMORY.md` with what it points to."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from memoranda.errors import InputError
from memoranda.exportformat import Item
from memoranda.importers import rows

_TEXTS = (".md", ".markdown", ".mdx", ".txt")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])(?:\s+|$)(?:\[[ xX]\]\s+)?(.*)")
_FENCE = re.compile(r"\s*(```|~~~)")


def read(folder: str | os.PathLike[str], *, as_facts: bool = False) -> Iterator[Item]:
    """The texts below a folder, by their paths. Hidden files, and links that lead out of the folder, are left alone.

    Args:
        folder: The folder; or a single file, such as `MEMORY.md`.
        as_facts: Each item of a list and each paragraph as a fact, tagged with the headings that it stands below,
            instead of the files as they are.

    Raises:
        InputError: There is no such folder.
    """
    root = Path(folder).expanduser().resolve()
    if not root.exists():
        raise InputError(f"There is nothing at {folder}.")
    number = 0
    for path in sorted(_below(root)):
        number += 1
        name = unicodedata.normalize("NFC", path.name if path == root else path.relative_to(root).as_posix())
        reason = _unfit(root, path)
        text = ""
        if reason is None:
            try:
                text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
            except UnicodeDecodeError:
                reason = "it is not UTF-8"
            except OSError:
                reason = "it cannot be read"
        if reason is not None:
            yield Item(number, "file", name, None, reason)
        elif not as_facts:
            yield rows.file(number, name, text)
        else:
            when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            for headings, statement in _statements(text):
                id = rows.id_of("markdown", name, statement)
                yield rows.fact(number, name, statement, id=id, source=name, created_at=when, tags=headings)
                number += 1
            number -= 1


def _below(root: Path) -> Iterator[Path]:
    """Every file, but for what is hidden."""
    if root.is_file():
        yield root
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def _unfit(root: Path, path: Path) -> str | None:
    """Why a file is not read."""
    if path.is_symlink() and not path.resolve().is_relative_to(root):
        return "it leads out of the folder"
    if not path.is_file():
        return "it is no file"
    return None if path.suffix.lower() in _TEXTS else "it is no text file by its name"


def _statements(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a text says, item by item and paragraph by paragraph, below which headings. Code stays whole."""
    headings: dict[int, str] = {}
    current: list[str] = []
    fenced = False

    def said() -> Iterator[tuple[tuple[str, ...], str]]:
        statement = "\n".join(current).strip()
        current.clear()
        if statement:
            yield tuple(headings.values()), statement

    for line in _body(text):
        if _FENCE.match(line):
            fenced = not fenced
            current.append(line)
            if not fenced:
                yield from said()
        elif fenced:
            current.append(line)
        elif heading := _HEADING.match(line):
            yield from said()
            level = len(line) - len(line.lstrip("#"))
            headings = {depth: name for depth, name in headings.items() if depth < level} | {level: heading[1][:100]}
        elif bullet := _BULLET.match(line):
            yield from said()
            current.append(bullet[1])
        elif not line.strip():
            yield from said()
        else:
            current.append(line.strip())
    yield from said()


def _body(text: str) -> list[str]:
    """The lines of a text, without the front matter that some tools put before it."""
    lines = text.split("\n")
    if lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        end = next(n for n, line in enumerate(lines[1:], 1) if line.strip() == "---")
        return lines[end + 1 :]
    return lines
