"""Prints the lowest versions that pyproject.toml allows of what the library and its tests use, for `pip -c`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]

named = (
    *(
        "anthropic",
        "bench",
        "cli",
        "docs",
        "langchain",
        "mcp",
        "notebooks",
        "openai",
        "pydantic-ai",
        "supabase",
        "tokens",
    ),
    "test",
)
used = [*project["dependencies"], *(need for extra in named for need in extras[extra])]
for requirement in used:
    if bound := re.match(r"([\w-]+)(?:\[.*\])?>=([\w.]+)", requirement):  # the rest is exact, or an extra of our own
        print("==".join(bound.groups()))
