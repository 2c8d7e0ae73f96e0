"""Vectors for messages: made when a turn is stored, or later by whoever takes the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from memoranda import wire
from memoranda.embedding import Embedder, Vector, embed_each
from memoranda.errors import EmbedderError, EmptyError
from memoranda.facttypes import Embedded
from memoranda.transport import Json
from memoranda.vectors import model_of

if TYPE_CHECKING:
    from memoranda.memory import Binding

PIECE = 2_000
"""Characters of a piece. A vector of more says less of each part; see docs/messages.md."""


@dataclass(frozen=True, slots=True)
class Said:
    """What there is to embed of a message: its id in the database, and the version of its text."""

    ref: str
    version: int
    text: str
    at: datetime
    author: str | None


async def embed_said(binding: Binding, embedder: Embedder, said: Sequence[Said]) -> Embedded:
    """Give messages their vectors, and take that off the list of work.

    Args:
        binding: The memory that they are in.
        embedder: What makes the vectors.
        said: The messages. One whose text was changed meanwhile gets none, and stays work.

    Returns:
        How many were embedded, and how many were set aside, since the embedder refuses their text.

    Raises:
        EmbedderError: The embedder fails whatever the text is.
    """
    texts = [heard(each) for each in said]
    results = iter(await embed_each(embedder, [piece for parts in texts for piece in parts]))
    made: list[Json] = []
    for each, parts in zip(said, texts, strict=True):
        vectors = [next(results) for _ in parts]
        refusal = next((one for one in vectors if isinstance(one, EmbedderError | EmptyError)), None)
        row: dict[str, Json] = {"id": each.ref, "version": each.version}
        if refusal is None:
            row["pieces"] = [wire.vector(cast("Vector", one)) for one in vectors]
        else:
            row["reason"] = f"{refusal.code}: {refusal.message}"
        made.append(row)
    if not made:
        return Embedded(0, 0, left=False)
    answer = await binding.call("message_vectors_put", {"pieces": {"model": model_of(embedder), "vectors": made}})
    counts = cast("Mapping[str, int]", answer)
    return Embedded(counts["put"], counts["set_aside"], left=False)


async def queue_missing(binding: Binding, embedder: Embedder, limit: int) -> int:
    """Put messages without a vector of an embedder's model on the list of work; see :meth:`memoranda.Messages`.

    Args:
        binding: The memory that they are in.
        embedder: The embedder.
        limit: How many at most.

    Returns:
        How many were put on the list.
    """
    work: Json = {"model": model_of(embedder), "most": limit}
    return cast("Mapping[str, int]", await binding.call("work_missing", {"work": work}))["queued"]


def heard(said: Said) -> list[str]:
    """What is embedded of a message: its text, in pieces if it is long, each with the day and who said it.

    Args:
        said: The message.
    """
    day = said.at.astimezone(UTC)
    who = f"{said.author}: " if said.author else ""
    return [f"[{day.day} {day:%B %Y}] {who}{piece}" for piece in pieces(said.text, PIECE)]


def pieces(text: str, size: int) -> list[str]:
    """A text in pieces of about a size, cut between lines, or sentences, or words, where it has any.

    Args:
        text: The text.
        size: Characters that a piece may have; the last one a quarter more, rather than leave a crumb.
    """
    found: list[str] = []
    while len(text) > size * 1.25:
        cuts = (text.rfind(mark, size // 2, size) + len(mark.rstrip()) for mark in ("\n", ". ", "。", " "))
        cut = next((cut for cut in cuts if cut > size // 2), size)
        found.append(text[:cut].strip())
        text = text[cut:].strip()
    return [piece for piece in (*found, text) if piece]
