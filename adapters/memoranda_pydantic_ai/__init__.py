"""Long-term memory for PydanticAI agents: one capability with the memory tool, the recall tool and the block."""

from memoranda_pydantic_ai.capability import MemoryCapability

__all__ = ["MemoryCapability"]
