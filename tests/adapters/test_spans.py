"""What OpenTelemetry sees of a run: our spans under the framework's, with counts and no content."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda import tracing
from memoranda_pydantic_ai import MemoryCapability

SECRET = "a word that nobody else uses: xylotomous"


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart(SECRET)])
    created = {"command": "create", "path": "/memories/a.md", "file_text": SECRET}
    return ModelResponse(parts=[ToolCallPart("memory", created, "c1")])


async def test_a_run(store: memoranda.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_tracer", lambda: provider.get_tracer("memoranda"))
    seen = Instrumentation(settings=InstrumentationSettings(tracer_provider=provider, include_content=False))
    memory = MemoryCapability[str](store, identity=lambda ctx: ctx.deps)
    await store.memory("alice").facts.save(SECRET)
    await Agent(FunctionModel(model), deps_type=str, capabilities=[memory, seen]).run(SECRET, deps="alice")
    spans = exporter.get_finished_spans()
    ours = [span for span in spans if span.name.startswith("memoranda.")]
    assert [span.name for span in ours] == ["memoranda.context", "memoranda.tool", "memoranda.turn"]
    named = {span.context.span_id: span.name for span in spans if span.context}
    assert named[ours[1].parent.span_id if ours[1].parent else 0].startswith("execute_tool")
    assert all(span.parent for span in ours[:2])
    context = ours[0].attributes or {}
    assert context["memory.items"] == 1
    assert len({str((span.attributes or {})["memory.scope_hash"]) for span in ours}) == 1
    assert "xylotomous" not in "".join(span.to_json() for span in spans)


async def test_what_fails_leaves_the_name_of_its_error(store: memoranda.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_tracer", lambda: provider.get_tracer("memoranda"))
    memory = store.memory("alice")
    with pytest.raises(ValueError, match="xylotomous"), tracing.span("context", memory.identity, memory.scope):
        raise ValueError(SECRET)
    (span,) = exporter.get_finished_spans()
    assert (span.attributes or {})["memory.error"] == "ValueError"
    assert "xylotomous" not in span.to_json()
