"""Long-term memory for LangChain: tools and a runnable on langchain-core, and a middleware for its agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.errors import MissingExtraError
from memoranda_langchain.extractor import ModelExtractor
from memoranda_langchain.runnable import with_memory
from memoranda_langchain.tools import memory_tools

if TYPE_CHECKING:
    from memoranda_langchain.middleware import MemoryMiddleware as MemoryMiddleware

__all__ = ["MemoryMiddleware", "ModelExtractor", "memory_tools", "with_memory"]


def __getattr__(name: str) -> object:
    """What needs more than langchain-core is imported when it is asked for."""
    if name != "MemoryMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from memoranda_langchain.middleware import MemoryMiddleware
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("langchain", "langgraph"):
            raise
        raise MissingExtraError("The middleware needs langchain.", hint="pip install langchain") from error
    return MemoryMiddleware
