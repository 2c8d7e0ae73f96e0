"""A durable agent: what waits for the database is done in steps, and not again when a run goes on elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent, RunContext
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda.context import LABEL
from memoranda.errors import IdentityError
from memoranda_pydantic_ai import MemoryCapability

SAID = "I live in Porto now."
REMEMBER = ToolCallPart("remember", {"content": "Lives in Porto.", "quote": "I live in Porto now", "key": "city"}, "c1")

seen: list[str] = []
"""The blocks that the model saw, request by request."""


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    parts = [part for message in messages for part in message.parts]
    seen.append(next((str(getattr(part, "content", "")) for part in parts if LABEL in str(part)), ""))
    returned = [part.tool_name for part in parts if isinstance(part, ToolReturnPart)]
    calls = [ToolCallPart("web", {}, "c0"), REMEMBER]
    return ModelResponse(parts=[TextPart("done")] if len(returned) == len(calls) else [calls[len(returned)]])


stores: list[memoranda.Store] = []
"""The store of the test that runs: agents and workflows are registered once, before DBOS is launched."""


class Served:
    """A store that is chosen when it is used."""

    def memory(self, **bound: Any) -> memoranda.Memory:
        return stores[-1].memory(**bound)


def served(ctx: RunContext[str]) -> str:
    assert DBOS.step_status is not None, "asked outside of a step"
    return ctx.deps


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    class Store(memoranda.Store):
        def __init__(self) -> None: ...

        memory = Served.memory  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

    memory = MemoryCapability[str](Store(), identity=served, remember=True, trusted_tools=["web"])
    agent = Agent(FunctionModel(model), name="durable", deps_type=str, capabilities=[memory, DBOSDurability()])

    @agent.tool_plain
    def web() -> str:
        return "a page"

    path: Path = tmp_path_factory.mktemp("dbos") / "steps.db"
    DBOS(config={"name": "memoranda", "system_database_url": f"sqlite:///{path}"})

    @DBOS.workflow()
    async def turn(user: str, chat: str) -> str:
        return (await agent.run(SAID, deps=user, conversation_id=chat)).output

    DBOS.launch()
    yield turn
    DBOS.destroy()


async def names(workflow: str) -> list[str]:
    return [
        step["function_name"].rpartition("memoranda.")[2] for step in await DBOS.list_workflow_steps_async(workflow)
    ]


async def test_the_database_is_asked_in_steps_alone(
    launched: Any, store: memoranda.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores.append(store)
    transport: Any = store.transport
    calls, asked = transport.calls, list[str]()

    async def watched(several: Any, caller: Any) -> Any:  # a single one is made through it, too
        assert DBOS.step_status is not None, f"{several[0][0]} was called outside of a step"
        asked.extend(function for function, _ in several)
        return await calls(several, caller)

    monkeypatch.setattr(transport, "calls", watched)
    with SetWorkflowID("steps"):
        assert await launched("alice", "c") == "done"
    monkeypatch.undo()
    ours = [name for name in await names("steps") if name in ("begin", "block", "taint", "tool", "turn")]
    assert ours == ["begin", "block", "tool", "turn"]
    assert {"facts_search", "facts_save_extracted", "turns_add"} <= set(asked)
    assert [fact.content for fact in await store.memory("alice").facts.recall()] == ["Lives in Porto."]
    assert len(await store.memory("alice", chat="c").messages.list()) == 6


async def test_a_run_that_goes_on_elsewhere_asks_and_writes_nothing_again(
    launched: Any, store: memoranda.Store
) -> None:
    stores.append(store)
    memory = store.memory("alice", chat="c")
    await memory.facts.save("Prefers figures in GBP.", key="currency")
    seen.clear()
    with SetWorkflowID("first"):
        await launched("alice", "c")
    assert len(set(seen)) == 1
    assert "GBP" in seen[0]
    await memory.facts.forget("currency")
    before = await memory.messages.list()
    steps = await DBOS.list_workflow_steps_async("first")
    (tool,) = [step["function_id"] for step in steps if step["function_name"].endswith("memoranda.tool")]
    forked = await DBOS.fork_workflow_async("first", tool + 1)  # until then the journal is read
    assert await forked.get_result() == "done"
    assert len(set(seen)) == 1, "the block is that of the run's begin"
    assert len(await memory.facts.history("city")) == 1
    assert {each.text for each in await memory.messages.list()} == {each.text for each in before}


async def test_runs_of_several_users_at_once_stay_apart(launched: Any, store: memoranda.Store) -> None:
    stores.append(store)
    users = [f"user {number}" for number in range(4)]

    async def one(user: str) -> None:
        with SetWorkflowID(user):
            await launched(user, "c")

    await asyncio.gather(*map(one, users))
    for user in users:
        memory = store.memory(user, chat="c")
        assert len(await memory.messages.list()) == 6
        assert len(await memory.facts.recall()) == 1


async def test_nobody_to_serve_ends_the_run_before_the_model(launched: Any, store: memoranda.Store) -> None:
    stores.append(store)
    seen.clear()
    with SetWorkflowID("nobody"), pytest.raises(IdentityError):
        await launched("", "c")
    assert seen == []


def test_what_a_journal_knows_it_by() -> None:
    """A change of one of these names loses the runs that are under way when a program is upgraded."""
    found = {
        marker.name
        for method in vars(MemoryCapability).values()
        if (marker := getattr(method, "__pydantic_ai_durable_operation__", None)) is not None
    }
    assert found == {"begin", "block", "taint", "tool", "turn"}
    assert MemoryCapability.id == "memoranda"
