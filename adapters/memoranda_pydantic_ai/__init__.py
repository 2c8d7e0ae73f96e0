"""Long-term memory for PydanticAI agents: one capability with the memory tool, the recall tool and the block."""

from memoranda_pydantic_ai.capability import MemoryCapability
from memoranda_pydantic_ai.extractor import ModelExtractor

__all__ = ["MemoryCapability", "ModelExtractor"]
