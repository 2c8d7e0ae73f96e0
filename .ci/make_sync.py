#!/usr/bin/env python3
"""Writes `memoranda.sync`, which is `memoranda` without `await`, from the async source.

    .ci/make_sync.py            # writes the files anew
    .ci/make_sync.py --check    # fails when they are not up to date

Only what waits for the database is generated: definitions with `async` in them, or one of the names below, and those
that use such a definition. All others (records, errors, helpers) are imported from the async module, so that they are
the same objects in both. A statement whose first line ends in `# async only` is left out. Needs ruff.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ruff import find_ruff_bin

SOURCES = [
    *("__init__", "store", "memory", "facts", "factreads", "changes", "review", "judging", "query", "vectors", "files"),
    *("commands", "agents", "audit", "members", "schema", "settings", "erasure", "purging", "extraction", "messages"),
    *(
        "documents",
        "gathering",
        "messagevectors",
        "recalling",
        "reembedding",
        "exporting",
        "service",
        "transfer",
        "turns",
        "worker",
        "working",
    ),
    *("transport/__init__", "transport/postgres", "transport/local", "transport/supabase"),
]
BY_HAND = ["asking", "embedding", "transport/deadline", "transport/patience", "loop", "twin"]  # most have a counterpart
NAMES = {
    "AsyncClient": "Client",
    "AbstractAsyncContextManager": "AbstractContextManager",
    "AsyncConnection": "Connection",
    "AsyncConnectionPool": "ConnectionPool",
    "AsyncGenerator": "Generator",
    "AsyncIterable": "Iterable",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "asynccontextmanager": "contextmanager",
}
# For comments and docstrings too; in code the first two are keywords, and so mean nothing else.
PATTERNS = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bfrom asyncio import sleep\b", "from time import sleep"),
    (r"\basyncio\.to_thread\(([\w.]+)(, )?", r"\1("),
    (r"\bAwaitable\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]", r"\1"),  # what is awaited may have brackets, too
    *((rf"\b{name}\b", other) for name, other in NAMES.items()),
]
HEADER = "# Generated from core/memoranda/{}.py by .ci/make_sync.py: change that file, then run this.\n"
PRIVATE = "# pyright: reportPrivateUsage=false\n"  # the two modules of a pair are one
PACKAGE = '"""`memoranda` without `await`: the same names and signatures, over connections that block."""\n'


class Module:
    """A module of the async source, cut into its top-level statements."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.name = path.removesuffix("__init__").rstrip("/").replace("/", ".")
        self.tree, self.statements = ast.parse(trimmed(text)), list(statements(trimmed(text)))
        self.waits: set[str] = set()  # names of the definitions to generate
        self.is_private = False  # whether the generated module uses what is private to this one

    def look(self, others: dict[str, Module]) -> bool:
        """Find what waits, as far as it is known what waits elsewhere; returns whether that was news."""
        known, before = {*NAMES, "Awaitable", *self.waits}, len(self.waits)
        for node in ast.walk(self.tree):
            name = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if isinstance(node, ast.ImportFrom) and (other := others.get(name.removeprefix("memoranda."))):
                known |= {alias.name for alias in node.names} & other.waits
        self.waits.update(name for node, _ in self.statements if waiting(node, known) for name in defined(node))
        return len(self.waits) > before

    def twin(self, modules: dict[str, Module]) -> str:
        """The text of the generated module, before ruff."""
        head, body, shared = list[str](), list[str](), list[str]()
        for node, text in self.statements:
            names = defined(node)
            if isinstance(node, ast.Import | ast.ImportFrom | ast.If | ast.Expr):
                head.append(text)
            elif self.waits.intersection(names) or names == ["__all__"]:
                body.append(text)
            else:  # `as` makes it public here too; ruff takes out what is private and not used
                shared += [name if name.startswith("_") else f"{name} as {name}" for name in names]
        if not self.name:
            head[0] = PACKAGE
        if shared:
            last = next((n for n, text in enumerate(head) if text.lstrip().startswith("if TYPE_CHECKING")), len(head))
            head.insert(last, f"from the_source import {', '.join(shared)}\n")
        self.is_private = any(name.startswith("_") for name in shared)
        text = "".join(head + body)
        for pattern, replacement in PATTERNS:
            text = re.sub(pattern, replacement, text)
        text = re.sub(r"^( *)from memoranda import (.+)$", lambda it: parted(it, modules), text, flags=re.MULTILINE)
        text = re.sub(r"\bmemoranda\.([\w.]*\w)", lambda it: placed(it[1], modules), text)
        return text.replace("from the_source", f"from memoranda.{self.name}")


def trimmed(text: str) -> str:
    """The text without what is async only, and with `(await x).name` as `x.name`."""
    lines, cuts = [line.encode() for line in text.splitlines(keepends=True)], set[tuple[int, int, int]]()
    nodes = list(ast.walk(ast.parse(text)))
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(wait := node.value, ast.Await):
            start, end = wait.col_offset, wait.end_col_offset or 0
            if lines[wait.lineno - 1][start - 1 : start] == b"(":  # else they stand on lines of their own
                cuts |= {(wait.lineno, start - 1, start + len("await ")), (wait.end_lineno or 0, end, end + 1)}
    for line, start, end in sorted(cuts, reverse=True):
        lines[line - 1] = lines[line - 1][:start] + lines[line - 1][end:]
    for node in nodes:
        if isinstance(node, ast.stmt) and lines[node.lineno - 1].endswith(b"# async only\n"):
            first = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
            lines[first - 1 : node.end_lineno] = [b""] * ((node.end_lineno or 0) - first + 1)
    return b"".join(lines).decode()


def statements(text: str) -> Iterator[tuple[ast.stmt, str]]:
    """Top-level statements, each with the comments before it and the docstring after it."""
    lines, body, start = text.splitlines(keepends=True), ast.parse(text).body, 0
    for node, after in zip(body, [*body[1:], None], strict=True):
        end = node if after is None or not isinstance(after, ast.Expr) else after
        if start < (end.end_lineno or 0):
            yield node, "".join(lines[start : end.end_lineno])
            start = end.end_lineno or 0


def defined(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def waiting(statement: ast.stmt, known: set[str]) -> bool:
    """Whether there is `async`, or a name that is known to wait, in a statement."""
    for node in ast.walk(statement):
        if isinstance(node, ast.AsyncFunctionDef | ast.AsyncWith | ast.AsyncFor | ast.Await):
            return True
        names = [node.id] if isinstance(node, ast.Name) else []
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            names = [node.attr]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant):  # a TypeAlias, as text
            names = re.findall(r"\w+", str(node.value.value))
        if known.intersection(names):
            return True
    return False


def parted(found: re.Match[str], modules: dict[str, Module]) -> str:
    """`from memoranda import a, b`, where one may be generated and the other not."""
    ours = [name for name in found[2].split(", ") if name in modules]
    rest = [name for name in found[2].split(", ") if name not in modules]
    parts = (("memoranda", rest), ("memoranda.sync", ours))
    return "\n".join(f"{found[1]}from {place} import {', '.join(names)}" for place, names in parts if names)


def placed(path: str, modules: dict[str, Module]) -> str:
    """What stands behind `memoranda.`, in `memoranda.sync` if it is there."""
    parts, written = path.split("."), {each.replace("/", ".") for each in BY_HAND}
    length = next(n for n in range(len(parts), -1, -1) if ".".join(parts[:n]) in {*modules, *written})
    module, rest = modules.get(".".join(parts[:length])), parts[length:]
    return f"memoranda.sync.{path}" if not rest or module is None or rest[0] in module.waits else f"memoranda.{path}"


def ruff(texts: list[str], config: Path) -> list[str]:
    """The texts without imports that are not used, and formatted; all at once, since to start it takes longest."""
    # What is not written yet is ours, too; and a line may be too long until it is formatted.
    ours = ("--config=line-length=320", '--config=lint.isort.known-first-party=["memoranda"]')
    with tempfile.TemporaryDirectory() as folder:
        # Each under a name of its own: ruff leaves unused imports of an __init__ alone.
        files = [Path(folder, f"module_{number}.py") for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        for command in (["check", "--fix-only", "--select=F401,I,SIM117,TC005", *ours], ["format"]):
            program = [find_ruff_bin(), *command, "--quiet", "--no-cache", f"--config={config}", *map(str, files)]
            subprocess.run(program, check=True)
        return [file.read_text(encoding="utf-8") for file in files]


def twins(package: Path) -> dict[Path, str]:
    """Every generated file of the package, with its text."""
    found = [Module(path, (package / f"{path}.py").read_text(encoding="utf-8")) for path in SOURCES]
    modules = {module.name: module for module in found}
    while any([module.look(modules) for module in found]):  # each of them, every time
        pass
    modules[""].waits = set[str]().union(*(module.waits for module in found))
    texts = ruff([module.twin(modules) for module in found], package.parents[1] / "pyproject.toml")
    return {
        package / "sync" / f"{module.path}.py": HEADER.format(module.path) + PRIVATE * module.is_private + text
        for module, text in zip(found, texts, strict=True)
    }


def main(package: Path, check: bool) -> int:
    """Write what is out of date, or only say so; returns the exit status."""
    texts = twins(package)
    there = {path: path.read_text(encoding="utf-8") for path in (package / "sync").rglob("*.py")}
    by_hand = {package / "sync" / f"{path}.py" for path in BY_HAND}
    stale = [path for path, text in texts.items() if there.get(path) != text]
    extra = [path for path in there if path not in texts and path not in by_hand]
    for path in sorted([*stale, *extra]):
        print(f"{'not up to date' if check else 'written' if path in texts else 'removed'}: {path}")
        if check:
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(texts[path], encoding="utf-8") if path in texts else path.unlink()
    return int(check and bool(stale or extra))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1] / "core" / "memoranda", "--check" in sys.argv[1:]))
