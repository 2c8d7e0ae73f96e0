"""An extractor that asks a chat model of LangChain's, such as the agent's own."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from memoranda.extracting.candidates import MAX_FACTS, Candidate
from memoranda.extracting.prompt import ask
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn


class ModelExtractor:
    """Finds in a turn what is worth remembering, for :func:`memoranda.open` and the other ways in."""

    def __init__(self, model: BaseChatModel, *, instructions: str = "", max_facts: int = MAX_FACTS) -> None:
        """Make an extractor; nothing is sent.

        Args:
            model: The model.
            instructions: What else is to be noted, or left out.
            max_facts: How many facts of a turn to ask for at most.
        """
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
            AnswerError: The model refuses, or what it returned can't be read.
        """
        asked = ask(turn, known, max_facts=self._max_facts, instructions=self._instructions)
        request = [SystemMessage(asked.instructions), HumanMessage(asked.input)]
        answer = await self.model.ainvoke(request, {"tags": ["nostream"]})  # LangGraph would stream it to the user
        return asked.read(answer.text)
