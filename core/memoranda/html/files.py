"""Files, their histories, and the log of files and facts in one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memoranda.html.facts import by
from memoranda.html.parts import badge, badges, details, diff, table, when
from memoranda.html.tags import Html, content, joined, tag

if TYPE_CHECKING:
    from memoranda.audit import AuditEntry
    from memoranda.filetypes import Entry, File, FileOutcome, FileRevision


def file(shown: File) -> Html:
    """One file with its text."""
    head = tag(
        "div", tag("code", shown.path), f" · version {shown.version} · ", when(shown.updated_at), class_="beside"
    )
    return tag("div", head, _marks(shown.tainted), tag("pre", content(shown.content)), class_="card")


def entries(shown: Sequence[Entry]) -> Html:
    """A list of files."""
    return table(
        ["file", "bytes", "version", "changed", ""],
        [
            [
                tag("code", each.path),
                (f"{each.bytes:,}", "number"),
                (str(each.version), "number"),
                when(each.updated_at),
                _marks(each.tainted),
            ]
            for each in shown
        ],
    )


def revisions(shown: Sequence[FileRevision]) -> Html:
    """The story of a file, newest first: what each write changed."""
    return table(
        ["", "file", "text", "", "when", "by", "reason"],
        [
            [
                (str(each.version), "number"),
                tag("code", each.path),
                _change(each, shown[number + 1 :]),
                joined(badge(each.verb), _marks(each.tainted)),
                when(each.at),
                by(each.actor, each.run_id, each.tool_call_id),
                None if each.reason is None else content(each.reason),
            ]
            for number, each in enumerate(shown)
        ],
    )


def outcome(shown: FileOutcome) -> Html:
    """What became of a write."""
    lines = None if shown.line is None else f"{shown.line} to {shown.line + max(1, shown.lines or 1) - 1}"
    rows = [("version", shown.version), ("files", shown.files), ("lines", lines)]
    return tag("div", badge(shown.outcome), badges("done before" if shown.replayed else None), details(rows))


def log(shown: Sequence[AuditEntry]) -> Html:
    """The log, newest first: what was written, and over what."""
    return table(
        ["when", "what", "", "text", "by", "reason"],
        [
            [
                when(each.at),
                joined(each.subject, tag("div", tag("code", each.name or str(each.id)[:8]), class_="beside")),
                joined(badge(each.verb), _marks(each.tainted), tag("div", f"version {each.version}", class_="beside")),
                _left(each, shown[number + 1 :]),
                by(each.actor, each.run_id, each.tool_call_id),
                None if each.reason is None else content(each.reason),
            ]
            for number, each in enumerate(shown)
        ],
    )


def _change(shown: FileRevision, older: Iterable[FileRevision]) -> Html:
    before = next((each.content for each in older if each.path == shown.path), None)
    return _against(before, shown.content, gone=shown.verb == "removed")


def _left(shown: AuditEntry, older: Iterable[AuditEntry]) -> Html:
    of = (shown.id, shown.replaces)
    before = next((each.content for each in older if each.id in of), None)
    return _against(before, shown.content, gone=shown.verb in ("forgotten", "removed", "rejected"))


def _against(before: str | None, now: str, *, gone: bool) -> Html:
    if gone:
        return tag("del", content(now))
    return content(now) if before in (None, now) else diff(before or "", now)


def _marks(tainted: bool) -> Html | None:
    return badge("tainted", "waits") if tainted else None
