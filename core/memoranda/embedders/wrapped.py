"""Embedders made of what an application has already: a function, or LangChain's embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memoranda.embedding import Kind, embed_in_pieces
from memoranda.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Awaitable

Vectors = Sequence[Sequence[float]]
"""One vector a text: lists, tuples, or an array of two dimensions."""


class FunctionEmbedder:
    """A function from texts to vectors as an embedder.

    ``FunctionEmbedder(encoder.encode, model="my-encoder/2", dimensions=384)``. For a model that treats queries
    differently, such as e5, pass `query` too.
    """

    def __init__(
        self,
        function: Callable[[list[str]], Vectors | Awaitable[Vectors]],
        *,
        model: str,
        dimensions: int,
        query: Callable[[list[str]], Vectors | Awaitable[Vectors]] | None = None,
        max_inputs: int = 64,
        max_characters: int | None = None,
    ) -> None:
        """Wrap a function.

        Args:
            function: Embeds a list of texts; async, or plain, and then called in a thread.
            model: What makes the vectors, exactly: another name is another model.
            dimensions: The length of every vector.
            query: Embeds queries; by default `function`.
            max_inputs: How many texts to pass at once.
            max_characters: What is longer is passed in pieces, whose vectors are averaged. By default a text is passed
                whole, whatever its length.

        Raises:
            InputError: The name is empty, or a number isn't positive.
        """
        if not model.strip():
            raise InputError("An embedder's model is a name that says which vectors it makes.")
        if min(dimensions, max_inputs, max_characters or 1) < 1:
            raise InputError("dimensions, max_inputs and max_characters are positive numbers.")
        self.model = model
        self.dimensions = dimensions
        self.max_inputs = max_inputs
        self._functions = {"document": function, "query": query or function}
        self._max_characters = max_characters

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Embed some texts; see :class:`memoranda.embedding.Embedder`.

        Args:
            texts: The texts.
            kind: What they are.

        Returns:
            What the function gave.
        """
        function = self._functions[kind]
        limit = self._max_characters

        async def embed(pieces: list[str]) -> Vectors:
            vectors: list[Sequence[float]] = []
            for start in range(0, len(pieces), self.max_inputs):
                vectors += await _called(function, pieces[start : start + self.max_inputs])
            return vectors

        if limit is None:
            return await _called(function, list(texts))
        return await embed_in_pieces(texts, lambda text: len(text) <= limit, embed)


async def _called(function: Callable[[list[str]], Vectors | Awaitable[Vectors]], texts: list[str]) -> Vectors:
    """What a function gives, whether it is async or not."""
    import asyncio
    import inspect

    # An object that is called has its function on its class.
    is_async = any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))
    answer = function(texts) if is_async else await asyncio.to_thread(function, texts)
    return await answer if inspect.isawaitable(answer) else answer


@runtime_checkable
class SupportsLangChain(Protocol):
    """The async half of LangChain's ``Embeddings``."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts that are to be found."""
        ...

    async def aembed_query(self, text: str) -> list[float]:
        """Embed what is asked."""
        ...


class LangChainEmbedder:
    """LangChain's ``Embeddings`` as an embedder. What it does with long texts is its own affair."""

    def __init__(
        self,
        embeddings: SupportsLangChain,
        *,
        model: str | None = None,
        dimensions: int | None = None,
        max_inputs: int = 64,
    ) -> None:
        """Wrap embeddings.

        Args:
            embeddings: LangChain's embeddings, or anything with the same two methods.
            model: What makes the vectors, exactly. By default their class and the model that they name.
            dimensions: The length of every vector. By default what they say, or what OpenAI's model is known to have.
            max_inputs: How many texts to pass at once.

        Raises:
            InputError: The model or the dimensions are neither given nor said.
        """
        named = next((name for name in map(_attribute(embeddings), _MODEL) if isinstance(name, str) and name), None)
        length = dimensions or _attribute(embeddings)("dimensions") or OPENAI_DIMENSIONS.get(named or "")
        if (model is None and named is None) or not isinstance(length, int):
            raise InputError(
                f"These {type(embeddings).__name__} don't say which vectors they make.",
                hint="Wrap them: memoranda.embedders.LangChainEmbedder(embeddings, model=..., dimensions=...).",
            )
        self.model = model or f"langchain:{type(embeddings).__name__}:{named}@{length}"
        self.dimensions = length
        self.max_inputs = max_inputs
        self._embeddings = embeddings

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Embed some texts; see :class:`memoranda.embedding.Embedder`.

        Args:
            texts: The texts.
            kind: What they are.

        Returns:
            What the embeddings gave.
        """
        if kind == "query":
            return [await self._embeddings.aembed_query(text) for text in texts]
        return await self._embeddings.aembed_documents(list(texts))


OPENAI_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""The length of the vectors of OpenAI's models, when it isn't asked to shorten them."""

# Where the classes of LangChain's packages say their model.
_MODEL = ("model", "model_name", "model_id", "repo_id")


def _attribute(thing: object) -> Callable[[str], object]:
    """Reads an object's attributes; None for one that it hasn't."""
    return lambda name: getattr(thing, name, None)
