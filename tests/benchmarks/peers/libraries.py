"""Which libraries are compared."""

from __future__ import annotations

from typing import NamedTuple


class Library(NamedTuple):
    """A library: its module in `stores`, the class in it, and the file of what it needs (none: what runs this)."""

    name: str
    module: str
    store: str
    requirements: str | None
    ways: str
    """By what it searches."""


OURS = "memoranda"

LIBRARIES = {
    each.name: each
    for each in (
        Library(OURS, "ours", "Ours", None, "vectors, words, names"),
        Library("langgraph", "langgraph", "LangGraph", "langgraph.txt", "vectors"),
        Library("mem0", "mem0", "Mem0", "mem0.txt", "vectors, words, entities"),
        Library("langchain", "langchain", "LangChain", "langchain.txt", "vectors, words"),
        Library("llama-index", "llamaindex", "LlamaIndex", "llamaindex.txt", "vectors, words"),
    )
}
