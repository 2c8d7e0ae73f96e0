"""One run of an agent with its memory: what every adapter does, in no framework's words.

An adapter makes an :class:`AgentRun` when a run begins, puts :meth:`AgentRun.block` into the user part of each request
and :attr:`AgentRun.guidance` into its system prompt, gives the model the tools of :mod:`memoranda.tools`, reports the
results of all other tools to :meth:`AgentRun.saw`, and hands the turn's messages to :meth:`AgentRun.finish`.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import commands, tools, tracing
from memoranda.errors import CommandError, ForbiddenError, InputError, QuotaError
from memoranda.facttypes import NewFact, Outcome
from memoranda.memory import Memory
from memoranda.messageshapes import conversation
from memoranda.text import storable
from memoranda.tokens import token_counter

ORIGIN = "memoranda.block"
"""How adapters mark the block in a request, so that it is never taken for what a user said."""

Tainted: TypeAlias = Literal["show", "mark", "hold"]
"""What an agent does with what tainted runs have left in memory."""

_log = logging.getLogger("memoranda")

_MEMORY = "memory"
"""The source that marks a run which was shown what tainted runs have left; a tool's begins with ``tool:``."""

_ANSWERED = (InputError, ForbiddenError, QuotaError)
"""What a model can do something about. Anything else is the application's to see."""


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How an agent uses its memory; the same for all its runs.

    Attributes:
        budget: Tokens that the block may take.
        tokens: How they are counted; see :meth:`memoranda.Memory.context`.
        tainted: What a tainted run wrote is shown, marked as such; or shown, and the run that is shown it is tainted by
            it as by a foreign tool (``"mark"``); or held back from the block and from what the model recalls.
        remember: Whether the model gets the tool ``remember``, too.
        turns: Whether what was said is stored when a turn has ended, for recall.
        extract: Whether facts are extracted from it when a turn has ended, by a worker, or not at all; None is the
            first where there is an extractor.
        trusted_tools: Tools of the application whose results do not taint the run. Any other tool's may hold what a
            stranger has written: a web page, a mail, a document.
    """

    budget: int = 1500
    tokens: str | None = None
    tainted: Tainted = "show"
    remember: bool = False
    turns: bool = True
    extract: Literal["inline", "worker", "off"] | None = None
    trusted_tools: Collection[str] = ()

    def __post_init__(self) -> None:
        """Refuse what would fail in the first run only.

        Raises:
            InputError: The budget is no positive whole number, the encoding is unknown, the tools are one text, or
                another option has none of its values.
            MissingExtraError: The encoding's package is not installed.
        """
        if type(cast(object, self.budget)) is not int or self.budget <= 0:
            raise InputError(f"The budget is {self.budget!r}.", hint="Pass a positive whole number of tokens.")
        if isinstance(self.trusted_tools, str):
            raise InputError("The trusted tools stand in a list, not alone.")
        if self.tainted not in ("show", "mark", "hold"):
            raise InputError(f"`tainted` is {self.tainted!r}.", hint='Pass "show", "mark" or "hold".')
        if self.extract not in ("inline", "worker", "off", None):
            raise InputError(f"`extract` is {self.extract!r}.", hint='Pass "inline", "worker", "off" or None.')
        token_counter(self.tokens)

    @property
    def specs(self) -> tuple[tools.ToolSpec, ...]:
        """The tools that the model gets."""
        return (tools.MEMORY, tools.RECALL, *((tools.REMEMBER,) if self.remember else ()))

    def trusts(self, tool: str) -> bool:
        """Whether a tool's result is not foreign: it is one of those that the model gets from us, or trusted.

        Args:
            tool: The tool's name.
        """
        return tool in self.trusted_tools or any(tool == spec.name for spec in self.specs)


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

    async def block(self, said: str) -> str:
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
                block = await self.memory.context(
                    said[:2000] or None, budget=options.budget, tokens=options.tokens, tainted=shown
                )
                note(items=len(block.items), cut=len(block.cut), tokens=block.tokens, waiting=block.waiting)
            if any(item.data.get("tainted") for item in block.items):
                await self._was_shown_what_is_tainted()
            self._block = block.text
        return self._block

    async def saw(self, tool: str) -> None:
        """Say that the run has read a tool's result; one that is not trusted taints it.

        Args:
            tool: The tool's name.
        """
        if not self.options.trusts(tool) and tool not in self._seen:
            await self.memory.taint(f"tool:{tool}"[:200])
            self._seen.add(tool)

    async def call(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> commands.Result:
        """Do what the model asks of one of our tools.

        Args:
            tool: The tool's name.
            given: Its input, as the model sent it.
            tool_call_id: The call's id: names the write, so that a call that is made again happens once.

        Returns:
            The text for the model, and whether it is an error. That the database is out of reach is raised.
        """
        with self._span("tool") as note:
            result = await self._call(tool, given, tool_call_id)
            note(tool=tool, is_error=result.is_error)
            return result

    async def _call(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> commands.Result:
        key = self._write_key(tool, given, tool_call_id)
        tool_call_id = _named(tool_call_id)
        try:
            match tool:
                case tools.MEMORY.name:
                    result = await self.memory.files.run(given, tool_call_id=tool_call_id, idempotency_key=key)
                    if self.options.tainted == "mark" and not result.is_error:
                        await self._has_seen_files(given.get("path"))
                    return result
                case tools.RECALL.name:
                    hold = self.options.tainted == "hold"
                    result = await self.memory.run_recall(
                        given, tokens=self.options.tokens, tainted="hold" if hold else "show"
                    )
                    if '"tainted":true' in result.text:  # in a content, quotes are escaped
                        await self._was_shown_what_is_tainted()
                    return result
                case tools.REMEMBER.name:
                    return await self._remember(given, tool_call_id, key)
                case _:
                    raise CommandError(f"There is no tool {tool!r}.")
        except _ANSWERED as error:
            return commands.Result(f"Error: {' '.join(filter(None, (error.message, error.hint)))}", is_error=True)

    async def finish(self, messages: Iterable[object]) -> None:
        """End the turn: what was said is stored. Whatever fails here is logged, and never the user's error.

        Args:
            messages: The turn's messages, in any of the shapes that :meth:`memoranda.Turns.add` takes. They may be
                made as they are asked for; that this fails is not the user's error, either.
        """
        if not self.options.turns:
            return
        try:
            with self._span("turn") as note:
                said = conversation(list(messages))
                # Of a turn that is stored as far as it has come, and goes on, the user's words are read once.
                extract = "off" if self._stored else self.options.extract
                done = await self.memory.turns.add(said, turn=self.memory.run_id, extract=extract)
                self._stored = True
                note(messages=len(done.messages), replayed=done.replayed)
                for message, became in zip(said, done.messages, strict=False):  # none, of a temporary chat
                    if became.id and message.text and became.rule == "same id, another text":  # edited, and sent again
                        await self.memory.messages.edit(became.id, message.text, chat=self.memory.chat)
        except Exception as error:
            if isinstance(error, ForbiddenError) and self.memory.scope.name == "organization":
                _say_read_only(self.memory.identity.tenant)
            else:
                _log.warning("A turn was not stored: %s", type(error).__name__)  # its text may quote what was said

    async def _remember(self, given: Mapping[str, Any], tool_call_id: str | None, key: str | None) -> commands.Result:
        named = _text(given, "key") if given.get("key") else None
        fact = NewFact(_text(given, "content"), named, quote=_text(given, "quote"))
        facts = self.memory.facts.by_model(tool_call_id)
        (outcome,) = await facts.save_extracted([fact], said=self.said, idempotency_key=key)
        return commands.Result(_said_of(outcome), is_error=outcome.outcome == "failed")

    async def _has_seen_files(self, path: object) -> None:
        """The tool has shown a file, or a piece of it: that of a tainted run marks this one."""
        file = await self.memory.files.read(path) if isinstance(path, str) else None
        if file is not None and file.tainted:
            await self._was_shown_what_is_tainted()

    async def _was_shown_what_is_tainted(self) -> None:
        if self.options.tainted == "mark" and _MEMORY not in self._seen:
            self._seen.add(_MEMORY)
            await self.memory.taint(_MEMORY)

    def _span(self, operation: str) -> AbstractContextManager[tracing.Note]:
        return tracing.span(operation, self.memory.identity, self.memory.scope)

    def _write_key(self, tool: str, given: Mapping[str, Any], tool_call_id: str | None) -> str | None:
        """Names a write by its run, its call and its input: with some models all calls of a run have the same id."""
        run = self.memory.run_id
        if run is None or tool_call_id is None:
            return None
        texts = [(name, value) for name, value in sorted(given.items()) if isinstance(value, str | int)]
        return _digest("\0".join([run, tool_call_id, tool, *(f"{name}\0{_brief(value)}" for name, value in texts)]))


@lru_cache(maxsize=1024)
def _say_read_only(tenant: UUID) -> None:
    """Say it once for each organisation: that some of its members may only read its memory is as it was set up."""
    _log.warning("Turns of those who may only read organisation %s are not stored in its scope.", tenant)


def _brief(value: str | int) -> str:
    return value if isinstance(value, str) else hex(value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _named(tool_call_id: str | None) -> str | None:
    """A call's id as the log takes it: some servers send none, or put more into it than a name holds."""
    if not tool_call_id:
        return None
    return (
        tool_call_id if len(tool_call_id) <= 200 and storable(tool_call_id) == tool_call_id else _digest(tool_call_id)
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    """A text that a tool needs."""
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"The tool needs the text `{name}`.")
    return value


def _said_of(outcome: Outcome) -> str:
    """What became of a fact, for the model."""
    match outcome.outcome:
        case "stored" | "superseded":
            return "Remembered."
        case "duplicate":
            return "This was remembered already."
        case "pending":
            return "Noted; it will be remembered once a person has approved it."
        case "rejected":
            return "Not remembered: this was rejected or forgotten before."
        case _:
            return "Error: this could not be remembered."
