#!/usr/bin/env python3
"""Writes the reference of the Python API, from its docstrings, as HTML.

pip install -e '.[docs]'
.ci/reference.py FOLDER
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pdoc
import pdoc.docstrings
import pdoc.render

# What users import. The rest is how it works.
MODULES = [
    *("memoranda", "memoranda.sync", "memoranda.errors", "memoranda.settings", "memoranda.tools", "memoranda.testing"),
    *("memoranda.embedders", "memoranda.embedders.openai", "memoranda.importers"),
    *("memoranda_anthropic", "memoranda_langchain", "memoranda_langchain.middleware", "memoranda_mcp"),
    "memoranda_pydantic_ai",
]
_ROLE = re.compile(r":(?:class|meth|func|data|attr|mod|exc):`~?([\w.]+)`")
_google = pdoc.docstrings.google


def google(docstring: str) -> str:
    """A docstring in Google's style; names with a role are set as names in backticks, which pdoc links."""
    return _google(_ROLE.sub(r"`\1`", docstring))


def write(folder: Path, modules: Sequence[str] = MODULES) -> None:
    """Write the reference into a folder."""
    # What a type checker alone can evaluate is shown as it is written, and what is imported when asked for is in its
    # own module; pdoc would say so each time.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"pdoc\.")
    pdoc.docstrings.google = google
    pdoc.render.configure(docformat="google", show_source=False, footer_text="memoranda")
    pdoc.pdoc(*modules, output_directory=folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
