"""Hostile paths: nothing outside the scope moves, and nothing of the machine shows."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import memoranda
from support.databases import Database

ROOT = "/memories"

_UP = ("..", "../..", "../../etc/passwd", "a/../..", "a/../../b", "./..", ".", "./a", "a/.", "a/./b", "a/..", "...//..")
_DOTS = (".", "\u2024", "\uff0e", "\ufe52", "\u3002", "\uff61", "\u0701", "\u2025", "\u2026", "\u00b7", "%2e", "%2E")
_SLASHES = (
    "\\", "\\\\", "/\\", "\uff0f", "\u2044", "\u2215", "\u29f8", "\uff3c", "\u2216", "\ufe68", "\u29f5", "\u2100",
    "%2f", "%2F", "%5c", "%252f", "%25252f", "%c0%af", "%e0%80%af", "%c1%9c", "%u2215", "%uff0f", "&#47;", "&sol;",
)  # fmt: skip
_HIDDEN = (
    "\0", "\x01", "\x07", "\b", "\t", "\n", "\r", "\r\n", "\x1b[2J", "\x7f", "\x85", "\x9b", "\u00ad", "\u034f",
    "\u061c", "\u115f", "\u17b4", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029",
    "\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\u206f", "\u2800", "\u3164", "\ue000", "\ufdd0", "\ufe00",
    "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\uffff", "\U000e0001", "\U000e0041", "\U000e0100", "\U000f0000",
    "\U0010ffff", "\ud800", "\udc00", "\udfff",
)  # fmt: skip
_SPACES = (" ", "\u00a0", "\u2003", "\u202f", "\u205f", "\u3000")


def _hostile() -> Iterator[str]:
    yield from (
        "",
        " ",
        "/",
        "//",
        ".",
        "..",
        "memories",
        "memories/a",
        "a",
        "~",
        "~/a",
        "C:\\a",
        "\\\\host\\a",
        "file:///a",
    )
    yield from (
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/null",
        "/memoriesfoo",
        "/memoriesfoo/a",
        "/memories-a",
        "/memories.",
    )
    yield from ("/memory", "/Memories/a", "/MEMORIES", "/memories\\a", "/memories%2fa", "/memories\0/a", " /memories/a")
    yield from (
        "//memories/a",
        "/./memories/a",
        "/x/../memories/a",
        "/memories\uff0fa",
        "\uff0fmemories/a",
        "/mem\u043eries/a",
    )
    # The root, which is there to stay.
    yield from (
        f"{ROOT}{rest}" for rest in ("", "/", "//", "///", "/.", "/./", "/./.", "//.", "/a/..", "/a/../", "/\\", "/%2e")
    )
    yield from (f"{ROOT}/{up}" for up in _UP)
    for slash in _SLASHES:
        yield from (
            f"{ROOT}/..{slash}..{slash}etc{slash}passwd",
            f"{ROOT}/a{slash}b",
            f"{ROOT}{slash}..",
            f"{ROOT}/{slash}",
        )
    for dot in _DOTS:
        yield from (f"{ROOT}/{dot}{dot}/secret", f"{ROOT}/a/{dot}{dot}/b", f"{ROOT}/{dot}", f"{ROOT}/a/{dot}")
    for text in ("../secret", "../../etc/passwd"):
        once = quote(text, safe="").replace(".", "%2e")
        yield from (f"{ROOT}/{once}", f"{ROOT}/{quote(once)}", f"{ROOT}/{quote(quote(once))}", f"{ROOT}/{once.upper()}")
    for hidden in _HIDDEN:
        yield from (f"{ROOT}/{hidden}", f"{ROOT}/a{hidden}b", f"{ROOT}{hidden}", f"{ROOT}/.{hidden}./secret")
    for space in _SPACES:
        yield from (
            f"{ROOT}/{space}",
            f"{ROOT}/{space}a",
            f"{ROOT}/a{space}",
            f"{ROOT}/a/{space}/b",
            f"{ROOT}/..{space}/b",
        )
    yield from (
        f"{ROOT}/{rest}" for rest in ("a//b", "/a", "a//", "a/b//c", "//", "a.", "a..", "a/", "a./", ".a", "...")
    )
    # A file below a file, a folder as a file, two spellings of one name.
    yield from (f"{ROOT}/{rest}" for rest in ("file/below", "file/", "folder", "folder/", "folder/file/below/this"))
    yield from (f"{ROOT}/{unicodedata.normalize(form, 'é/ﬁ/Å/가')}" for form in ("NFC", "NFD", "NFKC", "NFKD"))
    yield from (
        f"{ROOT}/{'x' * 10_000}",
        f"{ROOT}/{'x/' * 5_000}x",
        f"{ROOT}/{'../' * 3_333}x",
        "/" * 10_000,
        "x" * 10_000,
    )
    yield from (
        f"{ROOT}/{'x' * 480}",
        f"{ROOT}/{'x' * 481}",
        f"{ROOT}/{'/'.join('x' * 20)}",
        f"{ROOT}/{'/'.join('x' * 21)}",
    )
    # What other layers would make something of.
    yield from (
        f"{ROOT}/{rest}"
        for rest in ("'; drop table files; --", "$(id)", "`id`", "{0.__class__}", "%s%n", "*", "?", "|")
    )
    yield from (
        f"{ROOT}/{rest}" for rest in ("NUL", "con", "a:stream", "<script>", "{{7*7}}", "${jndi:x}", "-rf", "a b", "%")
    )


HOSTILE = tuple(dict.fromkeys(_hostile()))

# Neither of Python, nor of the database, nor of this machine.
_LEAKS = re.compile(
    r"Traceback|\bObject at 0x|<class|<memoranda|\w+(Error|Exception)\b"
    r"|errno|psycopg|plpgsql|memoranda_private|SQLSTATE",
    re.IGNORECASE,
)


def commands_at(path: str) -> Iterator[dict[str, Any]]:
    yield {"command": "view", "path": path}
    yield {"command": "create", "path": path, "file_text": "forged"}
    yield {"command": "str_replace", "path": path, "old_str": "text", "new_str": "forged"}
    yield {"command": "insert", "path": path, "insert_line": 0, "insert_text": "forged"}
    yield {"command": "rename", "old_path": path, "new_path": f"{ROOT}/moved"}
    yield {"command": "rename", "old_path": f"{ROOT}/file", "new_path": path}
    yield {"command": "delete", "path": path}


async def texts(files: memoranda.Files) -> Mapping[str, str]:
    found = [await files.read(entry.path) for entry in await files.list()]
    return {file.path: file.content for file in found if file is not None}


async def test_no_hostile_path_reaches_anything_outside_its_scope(
    database: Database, store: memoranda.Store, alice: memoranda.Memory, bob: memoranda.Memory
) -> None:
    """Every path through every command, both paths of a rename; what was there is put back after each change."""
    assert len(HOSTILE) >= 200
    outside = [bob, store.memory("alice", scope=memoranda.Scope.agent("a")), store.memory("alice", tenant="acme")]
    await store.members.set("acme", "alice", "read")
    for memory in outside:
        for path in ("secret", "file", "folder/file", "etc/passwd"):
            await memory.files.write(f"{ROOT}/{path}", "text of another place")
    before = [await texts(memory.files) for memory in outside]
    inside = {f"{ROOT}/file": "text\n", f"{ROOT}/folder/file": "text\n", f"{ROOT}/kept": "kept\n"}
    for path, text in inside.items():
        await alice.files.write(path, text)

    answers: dict[str, str] = {}
    for path in HOSTILE:
        for command in commands_at(path):
            result = await alice.files.run(command)
            answers[result.text.replace(path, "{path}") if path.startswith(f"{ROOT}/") else result.text] = repr(path)
            if not result.is_error and command["command"] != "view":
                after = await texts(alice.files)
                assert after.get(f"{ROOT}/kept") == "kept\n", f"{command} reached another file"
                for made in after.keys() - inside.keys():
                    await alice.files.remove(made)
                for lost, text in inside.items():
                    if after.get(lost) != text:
                        await alice.files.write(lost, text)
        assert await texts(alice.files) == inside, f"a refused command changed something: {path!r}"

    assert [await texts(memory.files) for memory in outside] == before
    assert (await alice.files.run({"command": "view", "path": ROOT})).text.splitlines()[1] == f"15B\t{ROOT}"
    leaking = {answer: path for answer, path in answers.items() if _LEAKS.search(answer) or machine(answer)}
    assert leaking == {}
    for answer in answers:
        answer.encode()
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", answer), answer
    print(f"{len(HOSTILE)} paths, {len(HOSTILE) * 7} commands, {len(answers)} different answers")
    with database.admin() as conn:
        stored = conn.execute(
            "select path, memoranda_private.is_path(path) from memoranda_private.files union all "
            "select state ->> 'path', memoranda_private.is_path(state ->> 'path') from memoranda_private.revisions"
        ).fetchall()
    assert [path for path, fine in stored if not fine] == []
    assert [path for path, _ in stored if alike(path)] == [], "a path can be taken for another"


def machine(answer: str) -> bool:
    """Whether a text tells where this runs."""
    return any(place in answer for place in (os.getcwd(), sys.prefix, os.path.expanduser("~"), "/tmp", "site-packages"))


def alike(path: str) -> bool:
    """Whether a path would be another one, were it decoded, normalised or stripped by whatever reads it next."""
    folded = unicodedata.normalize("NFKC", path)
    segments = [segment.strip() for segment in folded.split("/")]
    return folded.count("/") != path.count("/") or bool({"", ".", ".."} & {*segments}) or "\\" in folded


async def test_the_database_refuses_what_the_library_would_have(database: Database, alice: memoranda.Memory) -> None:
    """Past the library, with raw calls: a scope's paths are relative, so everything but the prefix is judged there."""
    await alice.files.write(f"{ROOT}/kept", "kept")
    accepted = set[str]()
    with database.admin() as conn:
        for path in HOSTILE:
            for relative in {path, path.removeprefix(f"{ROOT}/")}:
                if "\0" in relative or re.search(r"[\ud800-\udfff]", relative):
                    continue  # no database text can hold it
                if conn.execute("select memoranda_private.is_path(%s)", [relative]).fetchone() == (True,):
                    accepted.add(relative)
    assert [path for path in accepted if alike(path)] == []
    assert accepted, "some of them are names like any other"


async def test_the_root_survives_in_every_spelling(alice: memoranda.Memory) -> None:
    await alice.files.write(f"{ROOT}/kept", "kept")
    roots = [
        f"{ROOT}{rest}" for rest in ("", "/", "//", "///", "/.", "/./", "//.", "/a/..", "/kept/..", "/\u200b", "/ ")
    ]
    for root in roots:
        for command in commands_at(root):
            if command["command"] != "view":
                assert (await alice.files.run(command)).is_error, command
    assert await texts(alice.files) == {f"{ROOT}/kept": "kept"}


async def test_a_file_and_a_folder_never_share_a_path(alice: memoranda.Memory) -> None:
    await alice.files.write(f"{ROOT}/file", "x")
    await alice.files.write(f"{ROOT}/folder/file", "x")
    before = await texts(alice.files)
    for command in (
        {"command": "create", "path": f"{ROOT}/file/below", "file_text": "y"},
        {"command": "create", "path": f"{ROOT}/file/far/below", "file_text": "y"},
        {"command": "create", "path": f"{ROOT}/folder", "file_text": "y"},
        {"command": "rename", "old_path": f"{ROOT}/folder", "new_path": f"{ROOT}/file/folder"},
        {"command": "rename", "old_path": f"{ROOT}/folder", "new_path": f"{ROOT}/folder/in/itself"},
        {"command": "rename", "old_path": f"{ROOT}/file", "new_path": f"{ROOT}/file/in/itself"},
        {"command": "rename", "old_path": f"{ROOT}/file", "new_path": f"{ROOT}/folder"},
        {"command": "rename", "old_path": f"{ROOT}/folder/file", "new_path": f"{ROOT}/folder"},
    ):
        assert (await alice.files.run(command)).is_error, command
    assert await texts(alice.files) == before


async def test_two_spellings_of_a_name_are_one_file(alice: memoranda.Memory) -> None:
    await alice.files.write(f"{ROOT}/cafe\u0301", "x")
    assert await texts(alice.files) == {f"{ROOT}/caf\u00e9": "x"}
    assert (await alice.files.run({"command": "create", "path": f"{ROOT}/caf\u00e9", "file_text": ""})).is_error
    await alice.files.remove(f"{ROOT}/cafe\u0301")
    assert await texts(alice.files) == {}
