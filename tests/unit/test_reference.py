"""The reference is made of the docstrings: every public name is in it, and nothing of their notation is left."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import memoranda

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
