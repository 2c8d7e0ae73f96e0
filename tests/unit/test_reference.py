"""The reference is made of the docstrings: every public name is in it, and nothing of their notation is left.

The page in docs/ has the same names, and no other.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import memoranda
from memoranda.settings import Settings
from support.documents import DOCS

SCRIPT = Path(__file__).parents[2] / ".ci" / "reference.py"


def written(folder: Path, *modules: str) -> dict[str, str]:
    """The pages of a reference, as text, by their paths."""
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    assert spec
    assert spec.loader
    script: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with warnings.catch_warnings():
        script.write(folder, *([modules] if modules else []))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}


def test_every_public_name_is_in_the_reference(tmp_path: Path) -> None:
    page = written(tmp_path, "memoranda")["memoranda.html"]
    assert not [name for name in memoranda.__all__ if f'id="{name}"' not in page]
    assert not re.search(r":(class|meth|func|data|attr):", page)
    assert 'href="#Facts.save"' in page  # a name in a docstring leads to what it names


@pytest.mark.slow
def test_all_of_the_reference_is_written(tmp_path: Path) -> None:
    pages = written(tmp_path)
    for name, module in {"MemoryCapability": "memoranda_pydantic_ai", "with_memory": "memoranda_langchain"}.items():
        assert f'id="{name}"' in pages[f"{module}.html"]
    assert 'id="MemoryMiddleware"' in pages["memoranda_langchain/middleware.html"]
    assert 'id="Facts.save"' in pages["memoranda/sync.html"]


BOUND: dict[str, type] = {
    "store": memoranda.Store,
    "store.members": memoranda.Members,
    "store.settings": Settings,
    "store.documents": memoranda.Documents,
    "memory": memoranda.Memory,
    "memory.facts": memoranda.Facts,
    "memory.files": memoranda.Files,
    "memory.review": memoranda.Review,
    "memory.turns": memoranda.Turns,
    "memory.messages": memoranda.Messages,
}
"""The objects that calls are made on, as the page names them."""

BESIDE = ["memoranda.embedders", "memoranda.testing"] + [
    f"memoranda_{adapter}" for adapter in ("anthropic", "langchain", "mcp", "pydantic_ai")
]


def test_the_page_of_the_python_has_every_name_and_no_other() -> None:
    page = re.findall(r"^\| `([\w.]+)` \| \w", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    names = {f"{path}.{name}" for path, kind in BOUND.items() for name in dir(kind) if not name.startswith("_")}
    names |= {f"memoranda.{name}" for name in set(memoranda.__all__) - {kind.__name__ for kind in BOUND.values()}}
    names |= {f"{module}.{name}" for module in BESIDE for name in importlib.import_module(module).__all__}
    assert sorted(page) == sorted(names)
