"""What a folder of files is, in the plainest Python, for machines that compare: texts, and the six commands."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ROOT = "/memories"
REFUSED = "Error: "
"""Any error: a path that is no path here, or that a file or a folder is in the way of."""


class Folder:
    """What a folder of files is, in the plainest Python: paths and texts."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def run(self, command: dict[str, Any]) -> str:
        arguments = {name: value for name, value in command.items() if name != "command"}
        return str(getattr(self, command["command"])(**arguments))

    def below(self, folder: str) -> list[str]:
        return [path for path in self.files if path.startswith(f"{folder}/")]

    def is_blocked(self, path: str) -> bool:
        parts = path.split("/")
        return bool(self.below(path)) or any("/".join(parts[:end]) in self.files for end in range(len(parts)))

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        if path in self.files:
            numbered = [f"{number:>6}\t{line}" for number, line in enumerate(lines(self.files[path]), 1)]
            if view_range is not None:
                first, last = view_range
                last = len(numbered) if last == -1 else last
                if not (1 <= first <= max(len(numbered), 1) and first <= last):
                    return REFUSED
                numbered = numbered[first - 1 : last]
            return "\n".join([f"Here's the content of {path} with line numbers:", *numbered])
        if path != ROOT and not self.below(path):
            return f"The path {path} does not exist. Please provide a valid path."
        shown: dict[str, int] = {path: 0}
        for file in self.below(path):
            inner = file.removeprefix(f"{path}/").split("/")
            if not any(part.startswith(".") for part in inner):
                size = len(self.files[file].encode())
                for place in (path, *("/".join([path, *inner[:depth]]) for depth in (1, 2) if depth <= len(inner))):
                    shown[place] = shown.get(place, 0) + size
        header = (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        )
        return "\n".join(
            [header, *(f"{shown[each]}B\t{each}" for each in sorted(shown, key=lambda each: each.split("/")))]
        )

    def create(self, path: str, file_text: str) -> str:
        if path in self.files:
            return f"Error: File {path} already exists"
        if path == ROOT or self.is_blocked(path):
            return REFUSED
        self.files[path] = file_text
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        if path == ROOT:
            return REFUSED
        if path not in self.files:
            return f"Error: The path {path} does not exist. Please provide a valid path."
        text = self.files[path]
        pieces = text.split(old_str) if old_str else [text]
        if len(pieces) == 1:
            return f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
        starts = [old_str.join(pieces[:end]).count("\n") + 1 for end in range(1, len(pieces))]
        if len(starts) > 1:
            numbers = ", ".join(map(str, starts))
            return (
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        self.files[path] = new_str.join(pieces)
        last = starts[0] + new_str.count("\n")
        numbered = [f"{number:>6}\t{line}" for number, line in enumerate(lines(self.files[path]), 1)]
        return "\n".join(["The memory file has been edited.", *numbered[max(starts[0] - 3, 0) : last + 2]])

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        if path == ROOT:
            return REFUSED
        if path not in self.files:
            return f"Error: The path {path} does not exist"
        there = lines(self.files[path])
        if not 0 <= insert_line <= len(there):
            within = f"It should be within the range of lines of the file: [0, {len(there)}]"
            return f"Error: Invalid `insert_line` parameter: {insert_line}. {within}"
        there.insert(insert_line, insert_text.removesuffix("\n"))
        self.files[path] = "\n".join(there) + "\n"
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        if path == ROOT:
            return REFUSED
        gone = [each for each in [path, *self.below(path)] if each in self.files]
        for each in gone:
            del self.files[each]
        return f"Successfully deleted {path}" if gone else f"Error: The path {path} does not exist"

    def rename(self, old_path: str, new_path: str) -> str:
        if ROOT in (old_path, new_path):
            return REFUSED
        moved = [each for each in [old_path, *self.below(old_path)] if each in self.files]
        if not moved:
            return f"Error: The path {old_path} does not exist"
        if new_path in self.files or self.below(new_path):
            return f"Error: The destination {new_path} already exists"
        if self.is_blocked(new_path) or new_path.startswith(f"{old_path}/"):
            return REFUSED
        for each in moved:
            self.files[new_path + each.removeprefix(old_path)] = self.files.pop(each)
        return f"Successfully renamed {old_path} to {new_path}"


def lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


names = st.sampled_from(["a", "b", "a-b", "aa", ".h", "é", "日"])
paths = st.lists(names, max_size=3).map(lambda parts: "/".join([ROOT, *parts]))
texts = st.text("ab\n", max_size=12) | st.sampled_from(["", "\n", "a\r\nb\r\n", "é\n€", "a\n\n\n", "aaa", "%s\\1$&"])
numbers = st.integers(-2, 6)
