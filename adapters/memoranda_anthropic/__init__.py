"""Long-term memory for the Anthropic SDK: its memory tool, and turns of a loop over the Messages API that remember."""

from memoranda_anthropic.extractor import ModelExtractor
from memoranda_anthropic.memory import MessagesMemory
from memoranda_anthropic.tools import AsyncMemoryTool, MemoryTool, memory_tools
from memoranda_anthropic.turns import AsyncTurn, Turn

__all__ = ["AsyncMemoryTool", "AsyncTurn", "MemoryTool", "MessagesMemory", "ModelExtractor", "Turn", "memory_tools"]
