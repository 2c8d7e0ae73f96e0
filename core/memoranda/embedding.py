"""Vectors for texts: what an embedder is, and the checks between it and the database.

A vector belongs to a text and a model. So whatever an embedder answers is checked before anything is made of it: one
vector a text, all of the model's length, finite, not zero. :func:`embed_checked` is for texts that should all succeed,
such as a query; :func:`embed_each` is for stored texts, where one that the embedder refuses must not hold up the rest.

The embedders themselves are in :mod:`memoranda.embedders`.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal, Protocol, TypeVar, cast, runtime_checkable

from memoranda.errors import (
    EmbedderError,
    EmbedderInputError,
    EmbedderQuotaError,
    EmbedderSetupError,
    EmbedderUnavailableError,
    EmptyError,
    MemorandaError,
    VectorError,
)
from memoranda.text import is_blank, storable

Kind = Literal["document", "query"]
"""What a text is embedded as. Models such as e5 treat what is asked and what is found differently."""

Vector = list[float]

_Item = TypeVar("_Item")


@runtime_checkable
class Embedder(Protocol):
    """Makes a vector of a text; any object with these four members is one.

    What is embedded is never blank, and holds neither NUL nor lone surrogates. It may be longer than the model takes:
    then it is for the embedder to make one vector of it (see :func:`embed_in_pieces`). An embedder may be called from
    several tasks at once.
    """

    @property
    def model(self) -> str:
        """What made the vectors, exactly: two embedders with equal names give comparable vectors, and no others do."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def max_inputs(self) -> int:
        """How many texts to pass in one call at most."""
        ...

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> Sequence[Sequence[float]]:
        """Embed some texts.

        Args:
            texts: One to `max_inputs` texts.
            kind: What they are.

        Returns:
            One vector a text, in their order.

        Raises:
            EmbedderUnavailableError: It can't be reached now.
            EmbedderError: It fails for good.
        """
        ...


async def embed_checked(embedder: Embedder, texts: Sequence[str], kind: Kind = "document") -> list[Vector]:
    """Embed texts that should all succeed.

    Args:
        embedder: The embedder.
        texts: Any number of texts. What Postgres can't hold is taken out first, as it is of what is stored.
        kind: What they are.

    Returns:
        One sound vector a text, in their order.

    Raises:
        EmptyError: A text is blank.
        VectorError: The embedder's answer is not one usable vector a text.
        EmbedderUnavailableError: It can't be reached now.
        EmbedderError: It fails for good.
    """
    cleaned = [_embeddable(text, place) for place, text in enumerate(texts)]
    vectors: list[Vector] = []
    for batch in _batches(cleaned, embedder.max_inputs):
        try:
            answer = await embedder.embed(batch, kind)
        except MemorandaError:
            raise
        except Exception as error:
            raise failure(error) from error
        vectors += checked(answer, count=len(batch), dimensions=embedder.dimensions)
    return vectors


async def embed_each(
    embedder: Embedder, texts: Sequence[str], kind: Kind = "document"
) -> list[Vector | EmbedderError | EmptyError]:
    """Embed texts one of which may be impossible.

    When a batch fails, a harmless text is tried. If that fails too, the fault is the embedder's, and nothing is said
    about any text. Else the batch is halved until the texts at fault are alone.

    Args:
        embedder: The embedder.
        texts: Any number of texts.
        kind: What they are.

    Returns:
        For each text, its vector, or the error that it will meet again: blank, refused, or without a usable vector.

    Raises:
        EmbedderError: The embedder fails whatever the text is; try them all again when it is mended.
    """
    results: list[Vector | EmbedderError | EmptyError] = [EmptyError() for _ in texts]
    filled = [place for place, text in enumerate(texts) if not is_blank(text)]
    waiting = list(_batches(filled, embedder.max_inputs))[::-1]
    works = False  # whether the harmless text was embedded
    while waiting:
        places = waiting.pop()
        try:
            vectors = await embed_checked(embedder, [texts[place] for place in places], kind)
        except EmbedderError as error:
            if error.transient or isinstance(error, EmbedderQuotaError | EmbedderSetupError):
                raise
            if not works:
                await embed_checked(embedder, ["memory"], kind)
                works = True
            if len(places) == 1:
                results[places[0]] = error
            else:
                half = len(places) // 2
                waiting += [places[half:], places[:half]]
        else:
            for place, vector in zip(places, vectors, strict=True):
                results[place] = vector
    return results


# Lengths of vectors between which single precision can compute a cosine: it squares each number.
_SHORTEST, _LONGEST = 1e-12, 1e12


def checked(answer: object, *, count: int, dimensions: int) -> list[Vector]:
    """Check an embedder's answer.

    Args:
        answer: What it gave: a sequence of sequences of numbers, or an array of two dimensions.
        count: How many texts it was given.
        dimensions: The length that every vector must have.

    Returns:
        The vectors, as lists of floats.

    Raises:
        VectorError: Their count or a length is wrong, one holds what is no finite number, or one is zero (or so near
            to it, or so long, that no cosine can be computed).
    """
    try:
        vectors = [_floats(vector) for vector in cast("Iterable[object]", answer)]
    except (TypeError, ValueError, OverflowError) as error:
        raise VectorError("The embedder's answer holds something that is no vector of numbers.") from error
    if len(vectors) != count:
        raise VectorError(f"The embedder gave {len(vectors)} vectors for {count} texts.")
    zero = (0.0,) * dimensions
    for place, vector in enumerate(vectors):
        detail = {"index": place}
        if len(vector) != dimensions:
            message = f"The embedder gave a vector of {len(vector)} numbers where {dimensions} are expected."
            raise VectorError(message, detail=detail)
        length = math.dist(vector, zero)  # nan or infinite when a number is
        if not math.isfinite(length) or length > _LONGEST:
            raise VectorError("The embedder gave a vector that is not finite.", detail=detail)
        if length < _SHORTEST:
            raise VectorError("The embedder gave a zero vector.", detail=detail)
    return vectors


async def close_embedder(embedder: Embedder | None) -> None:
    """Close an embedder that holds something, such as connections; idempotent.

    Args:
        embedder: Any embedder, or None.
    """
    close: Callable[[], Awaitable[None] | None] | None = getattr(embedder, "close", None)
    closing = close() if close else None
    if closing is not None:
        await closing


# So many characters can't take long to count, whatever they are, and are no more tokens than any model takes.
_SHORT = 2_000


async def embed_in_pieces(
    texts: Sequence[str],
    fits: Callable[[str], bool],
    embed: Callable[[list[str]], Awaitable[Sequence[Sequence[float]]]],
) -> Sequence[Sequence[float]]:
    """Embed texts some of which are too long for the model.

    A text that doesn't fit is halved, between words where it has any, until all pieces fit. Its vector is the average
    of theirs, weighted by their lengths in characters, and then of length 1.

    Args:
        texts: The texts.
        fits: Whether the model takes a text whole. Called in a thread when they are long.
        embed: Embeds texts that fit.

    Returns:
        One vector a text, in their order.

    Raises:
        VectorError: The embedder didn't give one vector a piece.
    """
    if sum(map(len, texts)) < _SHORT:
        pieces = [_pieces(text, fits) for text in texts]
    else:  # it may take a while to find out
        import asyncio

        pieces = await asyncio.to_thread(lambda: [_pieces(text, fits) for text in texts])
    flat = [piece for parts in pieces for piece in parts]
    vectors = await embed(flat)
    if len(flat) == len(texts):
        return vectors
    if len(vectors) != len(flat):
        raise VectorError(f"The embedder gave {len(vectors)} vectors for {len(flat)} pieces of texts.")
    each = iter(vectors)
    return [_average([(len(piece), next(each)) for piece in parts]) for parts in pieces]


def failure(error: Exception) -> EmbedderError:
    """What an exception from somebody else's code means to us.

    Args:
        error: An exception, such as one of an HTTP client; its status, if it has one, tells most.

    Returns:
        The error to raise from it. Its message names the exception and repeats nothing of what that says, which may
        be the text.
    """
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    message = f"The embedder failed with {type(error).__name__}."
    if getattr(error, "code", None) == "insufficient_quota":  # what OpenAI's client says, through whatever wraps it
        return EmbedderQuotaError(message)
    if isinstance(status, int):
        return failure_of_status(status, f"{message[:-1]}, status {status}.")
    # Python's own errors of connections and timeouts, and those of HTTP clients, which all are called so.
    names = [kind.__name__ for kind in type(error).__mro__]
    if isinstance(error, OSError) or any(
        word in name for name in names for word in ("Connect", "Timeout", "Transport")
    ):
        return EmbedderUnavailableError(message)
    return EmbedderError(message)


def failure_of_status(status: int, message: str, retry_after: float | None = None) -> EmbedderError:
    """What an HTTP status of an embedder's server means to us.

    Args:
        status: The status, 400 or more.
        message: What to say.
        retry_after: Seconds that the server asks to wait.

    Returns:
        The error.
    """
    if status in {408, 409, 425, 429} or status >= 500:
        return EmbedderUnavailableError(message, retry_after=retry_after)
    if status in {400, 413, 422}:
        return EmbedderInputError(message)
    return EmbedderSetupError(message)


def _embeddable(text: str, place: int) -> str:
    """A text as it is stored; blank is refused."""
    if is_blank(text):
        raise EmptyError("There is nothing to embed: the text is blank.", detail={"index": place})
    return storable(text)


def _batches(items: Sequence[_Item], size: int) -> Iterable[Sequence[_Item]]:
    """Consecutive parts of no more than a size."""
    size = max(1, size)
    return (items[start : start + size] for start in range(0, len(items), size))


def _floats(vector: object) -> Vector:
    """A vector as a list of floats; of an array, by its own fast way."""
    if isinstance(vector, str | bytes):
        raise TypeError
    numbers = getattr(vector, "tolist", None)
    return list(map(float, cast("Iterable[float]", numbers() if callable(numbers) else vector)))


def _pieces(text: str, fits: Callable[[str], bool]) -> list[str]:
    """A text in pieces that fit; a single character always does."""
    if len(text) < 2 or fits(text):
        return [text]
    middle = len(text) // 2
    reach = len(text) // 4
    before = text.rfind(" ", middle - reach, middle)
    after = text.find(" ", middle, middle + reach)
    nearest = [place for place in (before, after) if place > 0]
    cut = min(nearest, key=lambda place: abs(place - middle)) if nearest else middle
    pieces = [piece for half in (text[:cut], text[cut:]) for piece in _pieces(half, fits)]
    return [piece for piece in pieces if piece.strip()] or pieces[:1]


def _average(vectors: Sequence[tuple[int, Sequence[float]]]) -> Sequence[float]:
    """One vector for the pieces of a text: their average by weight, of length 1."""
    if len(vectors) == 1:
        return vectors[0][1]
    weighted = ([weight * x for x in vector] for weight, vector in vectors)
    total = [math.fsum(column) for column in zip(*weighted, strict=True)]
    length = math.hypot(*total)
    return [x / length for x in total] if length else total
