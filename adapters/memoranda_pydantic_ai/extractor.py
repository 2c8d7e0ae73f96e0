"""An extractor that asks a model of PydanticAI's, such as the agent's own."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from memoranda.extracting.candidates import MAX_FACTS, Candidate
from memoranda.extracting.errors import ExtractorUnavailableError
from memoranda.extracting.prompt import ask
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn


class ModelExtractor:
    """Finds in a turn what is worth remembering, for :func:`memoranda.open` and the other ways in."""

    def __init__(
        self,
        model: Model | str,
        *,
        settings: ModelSettings | None = None,
        instructions: str = "",
        max_facts: int = MAX_FACTS,
    ) -> None:
        """Make an extractor; nothing is sent.

        Args:
            model: The model, or its name as an agent takes it, such as ``"openai:gpt-5-mini"``.
            settings: The model's settings.
            instructions: What else is to be noted, or left out.
            max_facts: How many facts of a turn to ask for at most.
        """
        self.model = model
        self._settings = settings
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
            ExtractorUnavailableError: The provider could not be reached, or refused the request.
            AnswerError: The model refuses, or what it returned can't be read.
        """
        asked = ask(turn, known, max_facts=self._max_facts, instructions=self._instructions)
        request = ModelRequest([UserPromptPart(asked.input)], instructions=asked.instructions)
        try:
            response = await model_request(self.model, [request], model_settings=self._settings)
        except ModelAPIError as error:
            raise ExtractorUnavailableError(f"The model could not be asked: {type(error).__name__}.") from error
        return asked.read(response.text)
