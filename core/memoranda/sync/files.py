# Generated from core/memoranda/files.py by .ci/make_sync.py: change that file, then run this.
"""Files: a few small texts under `/memories`, for the model to keep; every version of them stays."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, cast

from memoranda import wire
from memoranda.errors import ErasedError, PathError
from memoranda.filetypes import ROOT, Entry, File, FileOutcome, FileRevision, Mount
from memoranda.html import Listing
from memoranda.sync import commands
from memoranda.sync.transport import Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Actor, Binding


class Files:
    """The files of one memory: those of its scope under `/memories`, and those of mounted scopes in folders there."""

    def __init__(
        self, mounts: Mapping[str, Binding], *, actor: Actor = "application", tool_call_id: str | None = None
    ) -> None:
        """Made by :class:`memoranda.sync.Memory`."""
        for name in mounts:
            if "/" in name or name.startswith(".") or name != unicodedata.normalize("NFC", name.strip()):
                raise PathError(f"{name!r} cannot be the name of a folder.")
        self._mounts = {name: Mount(name, binding) for name, binding in mounts.items()}
        self._actor: Actor = actor
        self._tool_call_id = tool_call_id

    def _by_model(self, tool_call_id: str | None) -> Self:
        """The same files, for writes that the log is to show as the model's."""
        bindings = {name: mount.binding for name, mount in self._mounts.items()}
        return type(self)(bindings, actor="model", tool_call_id=tool_call_id)

    @property
    def mounted(self) -> Sequence[str]:
        """The folders in which files of other scopes stand."""
        return sorted(mount.root for name, mount in self._mounts.items() if name)

    def spelled(self, path: str) -> str:
        """A whole path as it stands in lists: in NFC, without a slash at its end."""
        mount, inner = self._locate(path)
        return mount.whole(inner)

    def run(
        self,
        command: Mapping[str, Any],
        *,
        tool_call_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> commands.Result:
        """Do one of the six commands of Anthropic's memory tool (`memory_20250818`), as a model sends it.

        Args:
            command: The tool's input: ``command`` and its parameters.
            tool_call_id: The tool call, for the log.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            The text for the model, and whether it is an error. What a model can do something about is a text; that the
            database is out of reach is raised.

        Raises:
            IdentityError: This memory has no usable identity.
            UnavailableError: The database could not be reached in time.
        """
        return commands.run(self._by_model(tool_call_id), command, idempotency_key)

    def view(self, path: str = ROOT, *, known_at: datetime | None = None) -> File | list[Entry] | None:
        """What stands at a path.

        Args:
            path: The whole path, of a file or a folder.
            known_at: What stood there at this time instead of now; timezone-aware. A time in the future is now.

        Returns:
            The file, or every file below the folder, or None when there is neither.

        Raises:
            PathError: That is no path.
            TimeError: The time has no zone.
        """
        mount, inner = self._locate(path)
        target: dict[str, Json] = {"path": inner}
        if known_at is not None:
            target["known_at"] = wire.aware("known_at", known_at)
        row = cast("dict[str, Any] | None", mount.binding.call("files_view", {"target": target}))
        if row is None:
            return None
        if row["kind"] == "file":
            return File.from_json(row, mount)
        entries = [Entry.from_json(each, mount) for each in row["files"] if self._in_sight(each, mount)]
        if mount.root == ROOT and not inner:
            for folder in self.mounted:
                entries += self.list(folder, known_at=known_at)
        return sorted(entries, key=lambda entry: entry.path)

    def read(self, path: str, *, known_at: datetime | None = None) -> File | None:
        """Read a file.

        Args:
            path: Its whole path.
            known_at: As it stood at this time instead of now; see :meth:`view`.

        Returns:
            The file, or None when there is none of that path.

        Raises:
            PathError: That is no path.
            TimeError: The time has no zone.
        """
        found = self.view(path, known_at=known_at)
        return found if isinstance(found, File) else None

    def smallest(self, limit: int) -> tuple[list[File], list[Entry]]:
        """The smallest files of every scope, small before large, and a list of the others.

        Args:
            limit: Bytes of text to read at most, in each scope.

        Returns:
            The files, and the entries of those that were not read.
        """
        return self.smallest_of(self._mounts[""].binding.together(self.smallest_calls(limit)))

    def smallest_calls(self, limit: int) -> list[tuple[str, dict[str, Json]]]:
        """The calls that :meth:`smallest` makes, for whoever has others to make with them.

        Args:
            limit: See :meth:`smallest`.
        """
        target: Json = {"path": "", "contents": limit}
        return [("files_view", mount.binding.placed({"target": target})) for mount in self._mounts.values()]

    def smallest_of(self, rows: Sequence[Json]) -> tuple[list[File], list[Entry]]:
        """What :meth:`smallest` returns, of what its calls have.

        Args:
            rows: What each call returned.
        """
        files: list[File] = []
        others: list[Entry] = []
        for mount, row in zip(self._mounts.values(), rows, strict=True):
            for each in cast("dict[str, Any]", row)["files"]:
                if not self._in_sight(each, mount):
                    continue
                if each["content"] is None:
                    others.append(Entry.from_json(each, mount))
                else:
                    files.append(File.from_json(each, mount))
        return sorted(files, key=lambda file: len(file.content.encode())), others

    def write(
        self, path: str, content: str, *, expected_version: int | None = None, idempotency_key: str | None = None
    ) -> FileOutcome:
        """Create a file, or replace what is in it; the text before stays in the history.

        Args:
            path: Its whole path, up to 480 characters below `/memories`.
            content: The text, up to 100,000 characters; cleaned as in :meth:`memoranda.sync.Facts.save`.
            expected_version: Write only if the file has this version; 0 means that there is no such file.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``created``, ``edited`` or ``unchanged``.

        Raises:
            PathError: That is no path of a file, or a folder has it.
            TooLargeError: The text is over the limit.
            QuotaError: The scope would hold more than 1,000 files, or more than 10 MB of them.
            ConflictError: The file has another version than expected.
            ForbiddenError: This identity may not write here.
        """
        file: dict[str, Json] = {"content": wire.text("content", content)}
        if expected_version is not None:
            file["expected_version"] = wire.number("expected_version", expected_version)
        return self._write("files_write", "file", path, file, idempotency_key)

    def replace(self, path: str, old: str, new: str, *, idempotency_key: str | None = None) -> FileOutcome:
        """Replace the one place where a text stands in a file, whatever else has been edited meanwhile.

        Args:
            path: The file's whole path.
            old: The text to replace.
            new: The text to put there; empty to take it out.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``edited``, with the lines that were.

        Raises:
            NotFoundError: There is no such file.
            NoMatchError: The text does not stand in it.
            AmbiguousError: It stands in several places; ``detail["lines"]`` has the lines.
        """
        edit: dict[str, Json] = {"old": wire.text("old", old), "new": wire.text("new", new)}
        return self._write("files_replace", "edit", path, edit, idempotency_key)

    def insert(self, path: str, line: int, text: str, *, idempotency_key: str | None = None) -> FileOutcome:
        """Insert lines into a file.

        Args:
            path: The file's whole path.
            line: After which line, 0 for the top.
            text: The lines; a newline at their end makes no further one.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``edited``, with the lines that were.

        Raises:
            NotFoundError: There is no such file.
            LineError: It has no such line; ``detail["lines"]`` has their number.
        """
        edit: dict[str, Json] = {"line": wire.number("line", line), "text": wire.text("text", text)}
        return self._write("files_insert", "edit", path, edit, idempotency_key)

    def remove(
        self, path: str, *, expected_version: int | None = None, idempotency_key: str | None = None
    ) -> FileOutcome:
        """Remove a file, or a folder with all that is below it; what is removed stays in the history.

        Args:
            path: The whole path.
            expected_version: Remove only a file that has this version.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``removed``, with the number of files.

        Raises:
            NotFoundError: There is nothing at that path.
            PathError: That is `/memories` itself, a mounted folder, or no path.
        """
        target: dict[str, Json] = {}
        if expected_version is not None:
            target["expected_version"] = wire.number("expected_version", expected_version)
        return self._write("files_remove", "target", path, target, idempotency_key)

    def move(self, old_path: str, new_path: str, *, idempotency_key: str | None = None) -> FileOutcome:
        """Move a file, or a folder with all that is below it, within one scope.

        Args:
            old_path: The whole path that it has.
            new_path: The whole path that it gets.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``moved``, with the number of files.

        Raises:
            NotFoundError: There is nothing at the old path.
            ExistsError: There is something at the new one.
            PathError: One of them is no path, or they lie in different scopes.
        """
        if self._locate(old_path)[0] is not self._locate(new_path)[0]:
            raise PathError("The two paths lie in different scopes.", hint="Create the file there, and remove it here.")
        move: dict[str, Json] = {"to": self._inner(new_path)}
        return self._write("files_move", "move", old_path, move, idempotency_key)

    def history(self, path: str, limit: int = 1000) -> list[FileRevision]:
        """Every version of what has stood at a path, newest first.

        Args:
            path: The file's whole path.
            limit: How many at most; held between 1 and 1,000.

        Returns:
            The revisions; none when nothing has ever stood there.

        Raises:
            PathError: That is no path of a file.
        """
        mount, _ = self._locate(path)
        target: Json = {"path": self._inner(path), "limit": wire.number("limit", limit)}
        rows = cast("list[dict[str, Any]]", mount.binding.call("files_history", {"target": target}))
        return Listing(FileRevision.from_json(row, mount) for row in rows)

    def restore(self, path: str, version: int, *, idempotency_key: str | None = None) -> FileOutcome:
        """Put an earlier version of a path back, as a new one.

        Args:
            path: The file's whole path.
            version: The version, as in :meth:`history`.
            idempotency_key: See :meth:`memoranda.sync.Facts.save`.

        Returns:
            ``restored`` or ``unchanged``.

        Raises:
            NotFoundError: The path has had no such version.
        """
        target: dict[str, Json] = {"version": wire.number("version", version)}
        return self._write("files_restore", "target", path, target, idempotency_key)

    # Last of the methods, so that `list` means the type in what stands above.
    def list(self, path: str = ROOT, *, known_at: datetime | None = None) -> list[Entry]:
        """Every file below a folder, by path, those of scopes mounted there included.

        Args:
            path: The folder's whole path.
            known_at: As they stood at this time instead of now; see :meth:`view`.

        Returns:
            The files; none when there is no such folder.

        Raises:
            PathError: That is no path.
            TimeError: The time has no zone.
        """
        found = self.view(path, known_at=known_at)
        return Listing() if found is None or isinstance(found, File) else Listing(found)

    def _write(
        self, function: str, argument: str, path: str, values: dict[str, Json], idempotency_key: str | None
    ) -> FileOutcome:
        name = "from" if function == "files_move" else "path"
        binding = self._locate(path)[0].binding
        call = binding.call_context(actor=self._actor, tool_call_id=self._tool_call_id, idempotency_key=idempotency_key)
        row = binding.call(function, {argument: {name: self._inner(path), **values}, "call": call})
        answer = cast("Mapping[str, Any]", row)
        if answer.get("rule") == "erased":
            raise ErasedError
        return FileOutcome.from_json(answer)

    def _in_sight(self, row: Mapping[str, Any], mount: Mount[Binding]) -> bool:
        """Whether a file can be reached: not when a folder of its name is mounted in front of it."""
        return bool(mount.name) or row["path"].partition("/")[0] not in self._mounts

    def _inner(self, path: str) -> str:
        """The path within its scope of what can be changed: not a root."""
        mount, inner = self._locate(path)
        if not inner:
            raise PathError(f"{mount.root} itself cannot be changed.", hint="Name a file or a folder below it.")
        return inner

    def _locate(self, path: str) -> tuple[Mount[Binding], str]:
        """The scope that a whole path lies in, and the path within it, which the database judges further."""
        spelled = unicodedata.normalize("NFC", wire.name("path", path))
        if spelled.rstrip("/") == ROOT:
            return self._mounts[""], ""
        if not spelled.startswith(f"{ROOT}/"):
            raise PathError
        inner = spelled.removeprefix(f"{ROOT}/").removesuffix("/")
        first, _, rest = inner.partition("/")
        return (self._mounts[first], rest) if first in self._mounts and first else (self._mounts[""], inner)
