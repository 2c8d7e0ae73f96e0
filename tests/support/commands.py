"""What a model sends to the memory tool, and to the letter what it gets back: as documented, and beyond that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memoranda.errors import PathError

HEADER = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"
CONTENT = "Here's the content of {} with line numbers:"
A = "/memories/a.txt"


@dataclass(frozen=True)
class Row:
    """Files that are there, what the model sends, and what it gets back."""

    command: Mapping[str, Any]
    text: str
    is_error: bool = False
    given: Mapping[str, str] = field(default_factory=lambda: {A: "one\ntwo\n"})
    then: Mapping[str, str] | None = None
    """The files afterwards; as given when None."""


def view(path: str, *lines: int) -> dict[str, Any]:
    return {"command": "view", "path": path} | ({"view_range": list(lines)} if lines else {})


def create(path: str, text: str) -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": text}


def replace(path: str, old: str, *new: str) -> dict[str, Any]:
    return {"command": "str_replace", "path": path, "old_str": old} | dict(zip(["new_str"], new, strict=False))


def insert(path: str, line: object, text: str) -> dict[str, Any]:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path: str) -> dict[str, Any]:
    return {"command": "delete", "path": path}


def rename(old: str, new: str) -> dict[str, Any]:
    return {"command": "rename", "old_path": old, "new_path": new}


def lines(*texts: str, first: int = 1) -> str:
    return "\n".join(f"{number:>6}\t{text}" for number, text in enumerate(texts, first))


DOCUMENTED: dict[str, Row] = {
    "view a folder": Row(
        view("/memories"),
        HEADER.format("/memories")
        + "\n1.5K\t/memories\n1.5K\t/memories/a\n1.5K\t/memories/a/b.txt\n0B\t/memories/c.txt",
        given={"/memories/a/b.txt": "x" * 1536, "/memories/c.txt": ""},
    ),
    "view an empty store": Row(view("/memories"), HEADER.format("/memories") + "\n0B\t/memories", given={}),
    "view a file": Row(view(A), f"{CONTENT.format(A)}\n{lines('one', 'two')}"),
    "view lines": Row(view(A, 2, 2), f"{CONTENT.format(A)}\n{lines('two', first=2)}"),
    "view what is not there": Row(
        view("/memories/b"), "The path /memories/b does not exist. Please provide a valid path.", True
    ),
    "create": Row(
        create("/memories/b.txt", "text"),
        "File created successfully at: /memories/b.txt",
        then={A: "one\ntwo\n", "/memories/b.txt": "text"},
    ),
    "create what is there": Row(create(A, "text"), f"Error: File {A} already exists", True),
    "str_replace": Row(
        replace(A, "two", "2"),
        f"The memory file has been edited.\n{lines('one', '2')}",
        then={A: "one\n2\n"},
    ),
    "str_replace shows the change with two lines around it": Row(
        replace(A, "l5", "L5\nL5b"),
        f"The memory file has been edited.\n{lines('l3', 'l4', 'L5', 'L5b', 'l6', 'l7', first=3)}",
        given={A: "\n".join(f"l{n}" for n in range(1, 10))},
        then={A: "l1\nl2\nl3\nl4\nL5\nL5b\nl6\nl7\nl8\nl9"},
    ),
    "str_replace in a file that is not there": Row(
        replace("/memories/b", "x", "y"),
        "Error: The path /memories/b does not exist. Please provide a valid path.",
        True,
    ),
    "str_replace in a folder": Row(
        replace("/memories/d", "x", "y"),
        "Error: The path /memories/d does not exist. Please provide a valid path.",
        True,
        given={"/memories/d/a": "x"},
    ),
    "str_replace of what is not in it": Row(
        replace(A, "three", "3"),
        f"No replacement was performed, old_str `three` did not appear verbatim in {A}.",
        True,
    ),
    "str_replace of what is in it more than once": Row(
        replace(A, "o", "0"),
        "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. Please ensure it is unique",
        True,
    ),
    "str_replace names a line once for each place": Row(
        replace(A, "x", "y"),
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3, 3. "
        "Please ensure it is unique",
        True,
        given={A: "x\n\nxx"},
    ),
    "insert": Row(insert(A, 1, "between"), f"The file {A} has been edited.", then={A: "one\nbetween\ntwo\n"}),
    "insert at the top": Row(insert(A, 0, "top\n"), f"The file {A} has been edited.", then={A: "top\none\ntwo\n"}),
    "insert at the end": Row(insert(A, 2, "end"), f"The file {A} has been edited.", then={A: "one\ntwo\nend\n"}),
    "insert into what is not there": Row(
        insert("/memories/b", 0, "x"), "Error: The path /memories/b does not exist", True
    ),
    "insert into a folder": Row(
        insert("/memories/d", 0, "x"), "Error: The path /memories/d does not exist", True, given={"/memories/d/a": "x"}
    ),
    "insert after a line that is not there": Row(
        insert(A, 3, "x"),
        "Error: Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]",
        True,
    ),
    "insert before the top": Row(
        insert(A, -1, "x"),
        "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 2]",
        True,
    ),
    "delete a file": Row(delete(A), f"Successfully deleted {A}", then={}),
    "delete a folder": Row(
        delete("/memories/d"),
        "Successfully deleted /memories/d",
        given={"/memories/d/a": "x", "/memories/d/e/b": "y", "/memories/da": "z"},
        then={"/memories/da": "z"},
    ),
    "delete what is not there": Row(delete("/memories/b"), "Error: The path /memories/b does not exist", True),
    "rename a file": Row(
        rename(A, "/memories/d/b"), f"Successfully renamed {A} to /memories/d/b", then={"/memories/d/b": "one\ntwo\n"}
    ),
    "rename a folder": Row(
        rename("/memories/d", "/memories/e"),
        "Successfully renamed /memories/d to /memories/e",
        given={"/memories/d/a": "x", "/memories/d/f/b": "y"},
        then={"/memories/e/a": "x", "/memories/e/f/b": "y"},
    ),
    "rename what is not there": Row(
        rename("/memories/b", "/memories/c"), "Error: The path /memories/b does not exist", True
    ),
    "rename to what is there": Row(
        rename(A, "/memories/b"),
        "Error: The destination /memories/b already exists",
        True,
        given={A: "x", "/memories/b": "y"},
    ),
    "rename to a folder that is there": Row(
        rename(A, "/memories/d"),
        "Error: The destination /memories/d already exists",
        True,
        given={A: "x", "/memories/d/b": "y"},
    ),
}

BIG = "\n".join(f"line {number} " + "." * 90 for number in range(1, 401))

SENT: dict[str, Row] = {
    "the root with a slash": Row(
        view("/memories/"), HEADER.format("/memories") + f"\n8B\t/memories\n8B\t{A}",
    ),
    "a null range": Row(view(A) | {"view_range": None}, f"{CONTENT.format(A)}\n{lines('one', 'two')}"),
    "a range to the end": Row(view(A, 2, -1), f"{CONTENT.format(A)}\n{lines('two', first=2)}"),
    "a range as text": Row(
        view(A) | {"view_range": ["1", "-1"]}, f"{CONTENT.format(A)}\n{lines('one', 'two')}"
    ),
    "a range past the end": Row(view(A, 1, 50), f"{CONTENT.format(A)}\n{lines('one', 'two')}"),
    "a range that begins past the end": Row(
        view(A, 5, 9), "Error: Invalid `view_range`: [5, 9]. The file has 2 lines; -1 stands for the last.", True
    ),
    "a range backwards": Row(
        view(A, 2, 1), "Error: Invalid `view_range`: [2, 1]. The file has 2 lines; -1 stands for the last.", True
    ),
    "a range from line 0": Row(
        view(A, 0, 1), "Error: Invalid `view_range`: [0, 1]. The file has 2 lines; -1 stands for the last.", True
    ),
    "a range of one number": Row(view(A, 1), "Error: `view_range` is a list of two whole numbers.", True),
    "a range of truth values": Row(
        view(A) | {"view_range": [True, True]}, "Error: `view_range` is a list of two whole numbers.", True
    ),
    "an empty file": Row(view(A), CONTENT.format(A), given={A: ""}),
    "a file of one empty line": Row(view(A), f"{CONTENT.format(A)}\n{lines('')}", given={A: "\n"}),
    "empty lines at the end": Row(view(A), f"{CONTENT.format(A)}\n{lines('x', '', '')}", given={A: "x\n\n\n"}),
    "a folder below": Row(
        view("/memories/a/b"),
        HEADER.format("/memories/a/b") + "\n1B\t/memories/a/b\n1B\t/memories/a/b/c",
        given={"/memories/a/b/c": "x", "/memories/d": "y"},
    ),
    "three levels": Row(
        view("/memories"),
        HEADER.format("/memories") + "\n3B\t/memories\n2B\t/memories/a\n2B\t/memories/a/b\n1B\t/memories/a-b",
        given={"/memories/a/b/c": "xx", "/memories/a-b": "y"},
    ),
    "hidden files and node_modules": Row(
        view("/memories"),
        HEADER.format("/memories") + "\n0B\t/memories",
        given={"/memories/.env": "xx", "/memories/node_modules/x": "y", "/memories/.git/z": ""},
    ),
    "a hidden file itself": Row(
        view("/memories/.env"), f"{CONTENT.format('/memories/.env')}\n{lines('x')}", given={"/memories/.env": "x"}
    ),
    "a path in another spelling": Row(
        view("/memories/cafe\u0301"),
        HEADER.format("/memories/café") + "\n1B\t/memories/café\n1B\t/memories/café/menü",
        given={"/memories/café/menü": "x"},
    ),
    "sizes": Row(
        view("/memories"),
        HEADER.format("/memories") + "\n2.0K\t/memories\n1023B\t/memories/a\n1.0K\t/memories/b\n3B\t/memories/c",
        given={"/memories/a": "x" * 1023, "/memories/b": "x" * 1024 + "y" * 20, "/memories/c": "€"},
    ),
    "a nested file": Row(
        create("/memories/a/b/c/d.md", "x"),
        "File created successfully at: /memories/a/b/c/d.md",
        given={},
        then={"/memories/a/b/c/d.md": "x"},
    ),
    "no text": Row(create(A, ""), f"File created successfully at: {A}", given={}, then={A: ""}),
    "a unicode name": Row(
        create("/memories/заметки/日本語 🦊.md", "x"),
        "File created successfully at: /memories/заметки/日本語 🦊.md",
        given={},
        then={"/memories/заметки/日本語 🦊.md": "x"},
    ),
    "lines of Windows": Row(
        create(A, "a\r\nb\r\n"), f"File created successfully at: {A}", given={}, then={A: "a\r\nb\r\n"}
    ),
    "unknown keys": Row(
        create(A, "x") | {"view_range": None, "insert_line": None, "overwrite": True, "encoding": "utf-8"},
        f"File created successfully at: {A}",
        given={},
        then={A: "x"},
    ),
    "a file where a folder is": Row(
        create("/memories/d", "x"),
        f"Error: There is a folder of that path. {PathError.remedy}",
        True,
        given={"/memories/d/a": "x"},
    ),
    "no file_text": Row(
        {"command": "create", "path": A}, "Error: The command needs the text `file_text`.", True, given={}
    ),
    "a number as text": Row(create(A, "x") | {"file_text": 5}, "Error: The command needs the text `file_text`.", True),
    "no new_str": Row(replace(A, "one\n"), f"The memory file has been edited.\n{lines('two')}", then={A: "two\n"}),
    "a null new_str": Row(
        replace(A, "two") | {"new_str": None},
        f"The memory file has been edited.\n{lines('one', '')}",
        then={A: "one\n\n"},
    ),
    "all of it away": Row(replace(A, "one\ntwo\n"), "The memory file has been edited.", then={A: ""}),
    "lines of Windows to replace": Row(
        replace(A, "b\r\n", "c\r\n"),
        "The memory file has been edited.\n" + lines("a\r", "c\r"),
        given={A: "a\r\nb\r\n"},
        then={A: "a\r\nc\r\n"},
    ),
    "pattern characters": Row(
        replace(A, ".*", "\\1 & $1"),
        f"The memory file has been edited.\n{lines('abc', chr(92) + '1 & $1')}",
        given={A: "abc\n.*"},
        then={A: "abc\n\\1 & $1"},
    ),
    "nothing to replace": Row(
        replace(A, "", "x"), f"No replacement was performed, old_str `` did not appear verbatim in {A}.", True
    ),
    "new_str to insert": Row(
        {"command": "insert", "path": A, "insert_line": 2, "new_str": "end\n"},
        f"The file {A} has been edited.",
        then={A: "one\ntwo\nend\n"},
    ),
    "insert_text before new_str": Row(
        insert(A, 0, "this") | {"new_str": "that"}, f"The file {A} has been edited.", then={A: "this\none\ntwo\n"}
    ),
    "a line as text": Row(insert(A, "1", "x"), f"The file {A} has been edited.", then={A: "one\nx\ntwo\n"}),
    "a line that is none": Row(insert(A, "end", "x"), "Error: The command needs the whole number `insert_line`.", True),
    "half a line": Row(insert(A, 1.5, "x"), "Error: The command needs the whole number `insert_line`.", True),
    "an insert into an empty file": Row(
        insert(A, 0, "x"), f"The file {A} has been edited.", given={A: ""}, then={A: "x\n"}
    ),
    "an insert into a file without a newline": Row(
        insert(A, 1, "y\nz"), f"The file {A} has been edited.", given={A: "x"}, then={A: "x\ny\nz\n"}
    ),
    "an empty line": Row(insert(A, 1, ""), f"The file {A} has been edited.", then={A: "one\n\ntwo\n"}),
    "a folder with a slash": Row(
        delete("/memories/d/"), "Successfully deleted /memories/d/", given={"/memories/d/a": "x"}, then={}
    ),
    "a rename with a null path": Row(
        rename(A, "/memories/b") | {"path": None},
        f"Successfully renamed {A} to /memories/b",
        then={"/memories/b": "one\ntwo\n"},
    ),
    "a rename into itself": Row(rename(A, A), f"Error: The destination {A} already exists", True),
    "no new_path": Row(
        {"command": "rename", "old_path": A}, "Error: The command needs the text `new_path`.", True
    ),
    "no path": Row({"command": "view"}, "Error: The command needs the text `path`.", True),
    "no command": Row(
        {"path": A},
        "Error: Unknown command of type NoneType. Use view, create, str_replace, insert, delete or rename.",
        True,
    ),
    "a command that there is not": Row(
        {"command": "undo_edit", "path": A},
        "Error: Unknown command `undo_edit`. Use view, create, str_replace, insert, delete or rename.",
        True,
    ),
    "a command that is no text": Row(
        {"command": ["view"], "path": A},
        "Error: Unknown command of type list. Use view, create, str_replace, insert, delete or rename.",
        True,
    ),
}  # fmt: skip
