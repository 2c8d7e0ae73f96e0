# Generated from core/memoranda/agents.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""One run of an agent with its memory: what every adapter does, in no framework's words.

An adapter makes an :class:`AgentRun` when a run begins, puts :meth:`AgentRun.block` into the user part of each request
and :attr:`AgentRun.guidance` into its system prompt, gives the model the tools of :mod:`memoranda.tools`, reports the
results of all other tools to :meth:`AgentRun.saw`, and hands the turn's messages to :meth:`AgentRun.finish`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal

from memoranda import tools, tracing
from memoranda.agents import _ANSWERED, _MEMORY, _brief, _digest, _log, _named, _said_of, _say_read_only, _text
from memoranda.agents import ORIGIN as ORIGIN
from memoranda.agents import AgentOptions as AgentOptions
from memoranda.agents import Tainted as Tainted
from memoranda.errors import CommandError, ForbiddenError
from memoranda.facttypes import NewFact
from memoranda.messageshapes import conversation
from memoranda.sync import commands
from memoranda.sync.memory import Memory


class AgentRun:
    """One run of an agent, with the memory of the user whom it serves.

    Attributes:
        memory: Whose memory, bound by the application.
        options: How it is used.
        said: What the user has asked in this run, in their own words: what the model remembers is checked against it.
    """

    guidance = Memory.guidance
    """Trusted text for the system prompt, the same in every run."""

    def __init__(self, memory: Memory, options: AgentOptions | None = None) -> None:
        """Begin a run.

        Args:
            memory: The user's memory, made with the run's id.
            options: How it is used.
        """
        self.memory = memory
        self.options = options or AgentOptions()
        self.said = ""
        self._block: str | None = None
        self._seen = set[str]()
        self._stored = False

    def block(self, said: str) -> str:
        """The block for the requests of this run: rendered once, so that each of them carries the same bytes.

        Args:
            said: What the user has asked in this run, in their own words.

        Returns:
            The block, for the user part; empty when nothing is remembered.
        """
        self.said = said
        if self._block is None:
            options = self.options
            with self._span("context") as note:
                shown: Literal["show", "hold"] = "hold" if options.tainted == "hold" else "show"
                block = self.memory.context(
                    said[:2000] or None, budget=options.budget, tokens=options.tokens, tainted=shown
                )
                note(items=len(block.items), cut=len(block.cut), tokens=block.tokens, waiting=block.waiting)
            if any(item.data.get("tainted") for item in block.items):
                self._was_shown_what_is_tainted()
            self._block = block.text
        return self._block

    def saw(self, tool: str) -> None:
        """Say that the run has read a tool's result; one that is not trusted taints it.

        Args:
            tool: The tool's name.
        """
        if not self.options.trusts(tool) and tool not in self._seen:
            self.memory.taint(f"tool:{tool}"[:200])
            self._seen.add(tool)

    def call(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> commands.Result:
        """Do what the model asks of one of our tools.

        Args:
            tool: The tool's name.
            given: Its input, as the model sent it.
            tool_call_id: The call's id: names the write, so that a call that is made again happens once.

        Returns:
            The text for the model, and whether it is an error. That the database is out of reach is raised.
        """
        with self._span("tool") as note:
            result = self._call(tool, given, tool_call_id)
            note(tool=tool, is_error=result.is_error)
            return result

    def _call(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> commands.Result:
        key = self._write_key(tool, given, tool_call_id)
        tool_call_id = _named(tool_call_id)
        try:
            match tool:
                case tools.MEMORY.name:
                    result = self.memory.files.run(given, tool_call_id=tool_call_id, idempotency_key=key)
                    if self.options.tainted == "mark" and not result.is_error:
                        self._has_seen_files(given.get("path"))
                    return result
                case tools.RECALL.name:
                    hold = self.options.tainted == "hold"
                    result = self.memory.run_recall(
                        given, tokens=self.options.tokens, tainted="hold" if hold else "show"
                    )
                    if '"tainted":true' in result.text:  # in a content, quotes are escaped
                        self._was_shown_what_is_tainted()
                    return result
                case tools.REMEMBER.name:
                    return self._remember(given, tool_call_id, key)
                case _:
                    raise CommandError(f"There is no tool {tool!r}.")
        except _ANSWERED as error:
            return commands.Result(f"Error: {' '.join(filter(None, (error.message, error.hint)))}", is_error=True)

    def finish(self, messages: Iterable[object]) -> None:
        """End the turn: what was said is stored. Whatever fails here is logged, and never the user's error.

        Args:
            messages: The turn's messages, in any of the shapes that :meth:`memoranda.sync.Turns.add` takes. They may be
                made as they are asked for; that this fails is not the user's error, either.
        """
        if not self.options.turns:
            return
        try:
            with self._span("turn") as note:
                said = conversation(list(messages))
                # Of a turn that is stored as far as it has come, and goes on, the user's words are read once.
                extract = "off" if self._stored else self.options.extract
                done = self.memory.turns.add(said, turn=self.memory.run_id, extract=extract)
                self._stored = True
                note(messages=len(done.messages), replayed=done.replayed)
                for message, became in zip(said, done.messages, strict=False):  # none, of a temporary chat
                    if became.id and message.text and became.rule == "same id, another text":  # edited, and sent again
                        self.memory.messages.edit(became.id, message.text, chat=self.memory.chat)
        except Exception as error:
            if isinstance(error, ForbiddenError) and self.memory.scope.name == "organization":
                _say_read_only(self.memory.identity.tenant)
            else:
                _log.warning("A turn was not stored: %s", type(error).__name__)  # its text may quote what was said

    def _remember(self, given: Mapping[str, Any], tool_call_id: str | None, key: str | None) -> commands.Result:
        named = _text(given, "key") if given.get("key") else None
        fact = NewFact(_text(given, "content"), named, quote=_text(given, "quote"))
        facts = self.memory.facts.by_model(tool_call_id)
        (outcome,) = facts.save_extracted([fact], said=self.said, idempotency_key=key)
        return commands.Result(_said_of(outcome), is_error=outcome.outcome == "failed")

    def _has_seen_files(self, path: object) -> None:
        """The tool has shown a file, or a piece of it: that of a tainted run marks this one."""
        file = self.memory.files.read(path) if isinstance(path, str) else None
        if file is not None and file.tainted:
            self._was_shown_what_is_tainted()

    def _was_shown_what_is_tainted(self) -> None:
        if self.options.tainted == "mark" and _MEMORY not in self._seen:
            self._seen.add(_MEMORY)
            self.memory.taint(_MEMORY)

    def _span(self, operation: str) -> AbstractContextManager[tracing.Note]:
        return tracing.span(operation, self.memory.identity, self.memory.scope)

    def _write_key(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> str | None:
        """Names a write by its run, its call and its input: with some models all calls of a run have the same id."""
        run = self.memory.run_id
        if run is None or tool_call_id is None:
            return None
        texts = [(name, value) for name, value in sorted(given.items()) if isinstance(value, str | int)]
        return _digest("\0".join([run, tool_call_id, tool, *(f"{name}\0{_brief(value)}" for name, value in texts)]))
