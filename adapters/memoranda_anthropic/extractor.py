"""An extractor that asks a model of Anthropic's, such as the application's own."""

from __future__ import annotations

from collections.abc import Sequence

from anthropic import APIError, AsyncAnthropic

from memoranda.extracting.candidates import MAX_FACTS, Candidate
from memoranda.extracting.errors import ExtractorUnavailableError
from memoranda.extracting.prompt import ask
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn

_MOST_TOKENS = 4096


class ModelExtractor:
    """Finds in a turn what is worth remembering, for :func:`memoranda.open` and the other ways in."""

    def __init__(
        self, client: AsyncAnthropic, model: str, *, instructions: str = "", max_facts: int = MAX_FACTS
    ) -> None:
        """Make an extractor; nothing is sent.

        Args:
            client: The client, which stays yours to close.
            model: The model's name.
            instructions: What else is to be noted, or left out.
            max_facts: How many facts of a turn to ask for at most.
        """
        self.client = client
        self.model = model
        self._instructions = instructions
        self._max_facts = max_facts

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        """Propose facts; see :class:`memoranda.extraction.Extractor`.

        Args:
            turn: The turn.
            known: Facts in force that it is about.

        Returns:
            The candidates.

        Raises:
            ExtractorUnavailableError: Anthropic could not be reached, or refused the request.
            AnswerError: The model refuses, or what it returned can't be read.
        """
        asked = ask(turn, known, max_facts=self._max_facts, instructions=self._instructions)
        try:
            answer = await self.client.messages.create(
                model=self.model,
                max_tokens=_MOST_TOKENS,
                system=asked.instructions,
                messages=[{"role": "user", "content": asked.input}],
            )
        except APIError as error:
            raise ExtractorUnavailableError(f"The model could not be asked: {type(error).__name__}.") from error
        return asked.read("".join(block.text for block in answer.content if block.type == "text"))
