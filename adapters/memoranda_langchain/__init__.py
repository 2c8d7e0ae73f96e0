"""Long-term memory for LangChain: tools and a runnable on langchain-core, and a middleware for its agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memoranda.errors import MissingExtraError
from memoranda_langchain.extractor import ModelExtractor
from memoranda_langchain.runnable import with_memory
from memoranda_langchain.tools import memory_tools

if TYPE_CHECKING:
    from memoranda_langchain.middleware import MemoryMiddleware as MemoryMiddleware
    from memoranda_langchain.store import MemorandaStore as MemorandaStore

__all__ = ["MemorandaStore", "MemoryMiddleware", "ModelExtractor", "memory_tools", "with_memory"]

_ELSEWHERE = {"MemorandaStore": ("store", "langgraph"), "MemoryMiddleware": ("middleware", "langchain")}


def __getattr__(name: str) -> object:
    """What needs more than langchain-core is imported when it is asked for."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, package = _ELSEWHERE[name]
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("langchain", "langgraph"):
            raise
        raise MissingExtraError(f"{name} needs {package}.", hint=f"pip install {package}") from error
