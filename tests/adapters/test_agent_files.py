"""Agents that are written in a file: what stands there of their memory, and what cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic_ai import Agent
from pydantic_ai.agent.spec import AgentSpec
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda import Scope
from memoranda.errors import InputError, ScopeError
from memoranda_pydantic_ai import MemoryCapability

FILE = """
instructions: Be brief.
capabilities:
  - MemoryCapability:
      scope: agent:writer
      mounts: {notes: "project:notes"}
      budget: 900
      remember: true
      trusted_tools: [clock]
"""


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    tools = ",".join(tool.name for tool in info.function_tools)
    return ModelResponse(parts=[TextPart(f"{'GBP' in str(messages)} {tools}")])


def agent_in(path: Path, text: str, kind: type[MemoryCapability[Any]]) -> Agent[str, str]:
    path.write_text(text)
    return Agent.from_file(path, deps_type=str, model=FunctionModel(answer), custom_capability_types=[kind])


@pytest.mark.parametrize("suffix", ["yaml", "json"])
async def test_an_agent_in_a_file_remembers(store: memoranda.Store, tmp_path: Path, suffix: str) -> None:
    options = {"scope": "agent:writer", "budget": 900, "remember": True, "trusted_tools": ["clock"]}
    text = FILE if suffix == "yaml" else json.dumps({"capabilities": [{"MemoryCapability": options}]})
    served = MemoryCapability.for_files(store, identity=lambda ctx: ctx.deps)
    agent = agent_in(tmp_path / f"agent.{suffix}", text, served)
    await store.memory("alice", scope=Scope.agent("writer")).facts.save("Prefers figures in GBP.")
    for user, sees in (("alice", True), ("bob", False)):
        assert (await agent.run("Draft the invoice.", deps=user)).output == f"{sees} memory,recall,remember"
    assert len(await store.memory("alice", scope=Scope.agent("writer")).messages.list()) == 2


async def test_each_class_serves_its_own_store(store: memoranda.Store, tmp_path: Path) -> None:
    first = MemoryCapability.for_files(store, identity=lambda _: "alice")
    second = MemoryCapability.for_files(store, identity=lambda _: "bob")
    made = [kind.from_spec(scope="project:x", mounts={"o": "organization"}) for kind in (first, second)]
    assert [cast("Any", each).identity(None) for each in made] == ["alice", "bob"]
    assert [(each.scope, each.mounts) for each in made] == [(Scope.project("x"), {"o": Scope.organization()})] * 2
    bare = agent_in(tmp_path / "agent.yaml", "capabilities: [MemoryCapability]", first)
    assert (await bare.run("hello", deps="nobody is asked")).output == "False memory,recall"


async def test_what_cannot_stand_in_a_file_is_said(store: memoranda.Store, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="for_files") as caught:
        agent_in(tmp_path / "agent.yaml", FILE, MemoryCapability)
    assert isinstance(caught.value.__cause__, InputError)
    served = MemoryCapability.for_files(store, identity=lambda ctx: ctx.deps)
    for wrong in ("scope: nowhere", "mounts: {x: agent}"):
        with pytest.raises(ValueError, match="scope") as caught:
            agent_in(tmp_path / "agent.yaml", f"capabilities: [MemoryCapability: {{{wrong}}}]", served)
        assert isinstance(caught.value.__cause__, ScopeError)
    with pytest.raises(ValueError, match="identity"):  # whom a run serves is for code to say
        agent_in(tmp_path / "agent.yaml", "capabilities: [MemoryCapability: {identity: alice}]", served)


def test_editors_get_a_schema_of_the_options() -> None:
    schema = json.dumps(AgentSpec.model_json_schema_with_capabilities([MemoryCapability]))
    for option in ("scope", "mounts", "budget", "remember", "trusted_tools", "extract"):
        assert f'"{option}"' in schema
    assert '"identity"' not in schema
    assert '"store"' not in schema
