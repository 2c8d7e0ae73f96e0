"""Embedders: one is found by name or made of a function, and what it answers is checked."""

from __future__ import annotations

import asyncio
import math
import threading
from array import array
from collections.abc import Awaitable, Callable, Sequence

import pytest

import memoranda
from memoranda.embedders import FunctionEmbedder, LangChainEmbedder, as_embedder
from memoranda.embedders.wrapped import SupportsLangChain
from memoranda.embedding import Embedder, checked, close_embedder, embed_checked, embed_each, embed_in_pieces, failure
from memoranda.errors import (
    EmbedderError,
    EmbedderInputError,
    EmbedderQuotaError,
    EmbedderSetupError,
    EmbedderUnavailableError,
    EmptyError,
    InputError,
    VectorError,
)


def vector_of(text: str) -> list[float]:
    """A vector that tells texts apart."""
    return [float(len(text)), float(ord(text[0])), 1.0]


class Scripted:
    """An embedder that answers as a test wants, and remembers what it was asked."""

    model, dimensions, max_inputs = "scripted", 3, 4

    def __init__(self, answer: Callable[[Sequence[str]], Sequence[Sequence[float]]]) -> None:
        self.answer = answer
        self.calls: list[list[str]] = []

    async def embed(self, texts: Sequence[str], kind: str = "document") -> Sequence[Sequence[float]]:
        self.calls.append(list(texts))
        return self.answer(texts)


def sound(texts: Sequence[str]) -> list[list[float]]:
    return [vector_of(text) for text in texts]


# The checks.


def test_sound_vectors_come_back_as_lists_of_floats() -> None:
    assert checked([(1, 2), array("f", [3, 4])], count=2, dimensions=2) == [[1.0, 2.0], [3.0, 4.0]]
    assert checked([], count=0, dimensions=2) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "0 vectors for 2 texts"),
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0, 2.0]] * 3, "3 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "a vector of 1 numbers where 2 are expected"),
        ([[1.0, 2.0], [1.0, 2.0, 3.0]], "a vector of 3 numbers"),
        ([[1.0, 2.0], []], "a vector of 0 numbers"),
        ([[1.0, 2.0], [0.0, 0.0]], "a zero vector"),
        ([[1.0, 2.0], [1e-30, 0.0]], "a zero vector"),
        ([[1.0, 2.0], [math.nan, 1.0]], "not finite"),
        ([[1.0, 2.0], [math.inf, 1.0]], "not finite"),
        ([[1.0, 2.0], [math.inf, math.nan]], "not finite"),
        ([[1.0, 2.0], [-math.inf, math.inf]], "not finite"),
        ([[1.0, 2.0], [1e200, 1e200]], "not finite"),
        ([[1.0, 2.0], [10**400, 1]], "no vector of numbers"),
        ([[1.0, 2.0], [None, 1.0]], "no vector of numbers"),
        ([[1.0, 2.0], "12"], "no vector of numbers"),
        ([[1.0, 2.0], None], "no vector of numbers"),
        ([1.0, 2.0], "no vector of numbers"),
        (None, "no vector of numbers"),
    ],
)
def test_an_answer_that_is_not_one_usable_vector_a_text_is_refused(answer: object, message: str) -> None:
    with pytest.raises(VectorError, match=message):
        checked(answer, count=2, dimensions=2)


def test_the_error_names_the_vector() -> None:
    with pytest.raises(VectorError) as caught:
        checked([[1.0], [0.0]], count=2, dimensions=1)
    assert caught.value.detail == {"index": 1}
    assert not caught.value.transient


async def test_texts_are_passed_in_batches_and_in_order() -> None:
    embedder = Scripted(sound)
    texts = [f"{n} text" for n in range(10)]
    assert await embed_checked(embedder, texts) == sound(texts)
    assert [len(call) for call in embedder.calls] == [4, 4, 2]
    assert await embed_checked(embedder, []) == []


async def test_a_text_is_embedded_as_it_is_stored() -> None:
    embedder = Scripted(sound)
    await embed_checked(embedder, ["a\0b", "c\ud800", "\ud83d\ude00"])
    assert embedder.calls == [["ab", "c\ufffd", "😀"]]


@pytest.mark.parametrize("blank", ["", " \n\t", "\0", "\u200b\u2060", "\u2800", "\ufeff"])
async def test_a_blank_text_is_refused_before_the_embedder_is_asked(blank: str) -> None:
    embedder = Scripted(sound)
    with pytest.raises(EmptyError) as caught:
        await embed_checked(embedder, ["a", blank])
    assert caught.value.detail == {"index": 1}
    assert embedder.calls == []


class HttpError(Exception):
    def __init__(self, status: int, code: str | None = None) -> None:
        super().__init__("the text was: Alice's secret")
        self.status_code = status
        self.code = code


class ClientConnectFailure(Exception):
    """Named as HTTP clients name theirs."""


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (ValueError("Alice's secret"), EmbedderError),
        (ConnectionResetError(), EmbedderUnavailableError),
        (TimeoutError(), EmbedderUnavailableError),
        (ClientConnectFailure(), EmbedderUnavailableError),
        (HttpError(429), EmbedderUnavailableError),
        (HttpError(429, "insufficient_quota"), EmbedderQuotaError),
        (HttpError(503), EmbedderUnavailableError),
        (HttpError(401), EmbedderSetupError),
        (HttpError(404), EmbedderSetupError),
        (HttpError(400), EmbedderInputError),
    ],
)
async def test_what_an_embedder_raises_becomes_a_typed_error(cause: Exception, kind: type[EmbedderError]) -> None:
    def fail(texts: Sequence[str]) -> list[list[float]]:
        raise cause

    with pytest.raises(EmbedderError) as caught:
        await embed_checked(Scripted(fail), ["a"])
    assert type(caught.value) is kind
    assert caught.value.transient == (kind is EmbedderUnavailableError)
    assert caught.value.__cause__ is cause
    assert type(cause).__name__ in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_status_may_be_on_the_response() -> None:
    error = Exception()
    error.response = HttpError(500)  # type: ignore[attr-defined]
    assert isinstance(failure(error), EmbedderUnavailableError)


# One text at fault.


def poisoned(texts: Sequence[str]) -> list[list[float]]:
    """Fails for texts with a certain word, as servers do: the whole call."""
    if any("poison" in text for text in texts):
        raise HttpError(400)
    return sound(texts)


async def test_a_text_that_is_refused_does_not_hold_up_the_others() -> None:
    embedder = Scripted(poisoned)
    texts = ["a", "b", "poison", "d", "e", "", "g", "poison too"]
    results = await embed_each(embedder, texts)
    assert [result for result in results if isinstance(result, list)] == sound(["a", "b", "d", "e", "g"])
    assert [type(results[place]) for place in (2, 5, 7)] == [EmbedderInputError, EmptyError, EmbedderInputError]


async def test_a_vector_that_is_unusable_concerns_its_text_alone() -> None:
    def nan(texts: Sequence[str]) -> list[list[float]]:
        return [[math.nan] * 3 if text == "c" else vector_of(text) for text in texts]

    results = await embed_each(Scripted(nan), ["a", "b", "c", "d"])
    assert isinstance(results[2], VectorError)
    assert [results[place] for place in (0, 1, 3)] == sound(["a", "b", "d"])


@pytest.mark.parametrize(
    "error", [ConnectionError(), HttpError(401), HttpError(429), EmbedderQuotaError(), ValueError(), HttpError(400)]
)
async def test_an_embedder_that_fails_whatever_the_text_is_says_nothing_about_texts(error: Exception) -> None:
    def fail(texts: Sequence[str]) -> list[list[float]]:
        raise error

    embedder = Scripted(fail)
    with pytest.raises(EmbedderError):
        await embed_each(embedder, [str(n) for n in range(100)])
    assert len(embedder.calls) <= 2  # and isn't hammered


async def test_wrong_dimensions_are_the_embedders_fault() -> None:
    with pytest.raises(VectorError):
        await embed_each(Scripted(lambda texts: [[1.0] for _ in texts]), ["a", "b"])


# Long texts.


@pytest.mark.parametrize("text", ["word " * 500, "x" * 2_000, "字" * 999, "a " + "b" * 1_500, "\n" * 10 + "é" * 800])
async def test_a_long_text_is_embedded_in_pieces_that_fit_and_lose_nothing(text: str) -> None:
    seen: list[str] = []

    async def embed(pieces: list[str]) -> list[list[float]]:
        seen.extend(pieces)
        return [[float(len(piece)), 1.0] for piece in pieces]

    short, long = await embed_in_pieces(["short", text], lambda piece: len(piece) <= 100, embed)
    assert list(short) == [5.0, 1.0]
    assert math.isclose(math.hypot(*long), 1.0)
    assert all(len(piece) <= 100 for piece in seen)
    assert "".join(seen[1:]).split() == text.split() or "".join(seen[1:]) == text.replace("\n", "")
    if " " in text.strip() and "b" not in text:
        assert all(piece.strip() in {"short", " ".join(["word"] * len(piece.split()))} for piece in seen)


async def test_pieces_count_by_their_length() -> None:
    async def embed(pieces: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "a" in piece else [0.0, 1.0] for piece in pieces]

    (vector,) = await embed_in_pieces(["a" * 30 + " " + "b" * 27], lambda piece: len(piece) <= 40, embed)
    assert vector[0] / vector[1] == pytest.approx(30 / 28)


async def test_a_missing_piece_is_noticed() -> None:
    async def embed(pieces: list[str]) -> list[list[float]]:
        return [[1.0]]

    with pytest.raises(VectorError, match="1 vectors for 4 pieces"):
        await embed_in_pieces(["a" * 100], lambda piece: len(piece) <= 25, embed)


# Embedders of functions.


async def test_a_plain_function_runs_in_a_thread_and_an_async_one_does_not() -> None:
    threads: list[threading.Thread] = []

    def plain(texts: list[str]) -> list[list[float]]:
        threads.append(threading.current_thread())
        return sound(texts)

    async def later(texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return plain(texts)

    class Called:
        async def __call__(self, texts: list[str]) -> list[list[float]]:
            return await later(texts)

    def handed_on(texts: list[str]) -> Awaitable[list[list[float]]]:
        return later(texts)

    for function in (plain, later, Called(), handed_on):
        embedder = FunctionEmbedder(function, model="mine/1", dimensions=3)
        assert await embed_checked(embedder, ["abc"]) == [[3.0, 97.0, 1.0]]
    assert [thread is threading.main_thread() for thread in threads] == [False, True, True, True]


async def test_queries_can_have_a_function_of_their_own() -> None:
    embedder = FunctionEmbedder(
        lambda texts: sound(["passage: " + text for text in texts]),
        query=lambda texts: sound(["query: " + text for text in texts]),
        model="e5",
        dimensions=3,
    )
    assert await embed_checked(embedder, ["a"]) == sound(["passage: a"])
    assert await embed_checked(embedder, ["a"], "query") == sound(["query: a"])


async def test_a_function_can_get_long_texts_in_pieces() -> None:
    calls: list[list[str]] = []

    def function(texts: list[str]) -> list[list[float]]:
        calls.append(texts)
        return sound(texts)

    embedder = FunctionEmbedder(function, model="m", dimensions=3, max_inputs=2, max_characters=10)
    await embed_checked(embedder, ["word " * 20])
    assert max(len(piece) for call in calls for piece in call) <= 10
    assert {len(call) for call in calls} <= {1, 2}


@pytest.mark.parametrize(
    ("model", "dimensions", "max_inputs", "max_characters"),
    [(" ", 3, 64, None), ("m", 0, 64, None), ("m", 3, 0, None), ("m", 3, 64, -1)],
)
def test_senseless_arguments_are_refused(
    model: str, dimensions: int, max_inputs: int, max_characters: int | None
) -> None:
    with pytest.raises(InputError):
        FunctionEmbedder(
            sound, model=model, dimensions=dimensions, max_inputs=max_inputs, max_characters=max_characters
        )


class Embeddings:
    """As LangChain's, from which none is imported."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return sound(texts)

    async def aembed_query(self, text: str) -> list[float]:
        return vector_of("query: " + text)


async def test_langchain_embeddings_are_taken_as_they_are() -> None:
    embedder = as_embedder(Embeddings(model="small", dimensions=3))
    assert isinstance(embedder, LangChainEmbedder)
    assert (embedder.model, embedder.dimensions) == ("langchain:Embeddings:small@3", 3)
    assert await embed_checked(embedder, ["a", "b"]) == sound(["a", "b"])
    assert await embed_checked(embedder, ["a"], "query") == sound(["query: a"])


def test_the_dimensions_of_openais_models_are_known() -> None:
    embedder = as_embedder(Embeddings(model="text-embedding-3-large", dimensions=None))
    assert embedder is not None
    assert embedder.dimensions == 3072


@pytest.mark.parametrize("attributes", [{}, {"model": "x"}, {"dimensions": 3}, {"model_name": "", "dimensions": 3}])
def test_langchain_embeddings_that_do_not_say_enough_can_be_wrapped(attributes: dict[str, object]) -> None:
    embeddings: SupportsLangChain = Embeddings(**attributes)
    with pytest.raises(InputError, match=r"LangChainEmbedder\(embeddings, model=..., dimensions=...\)"):
        as_embedder(embeddings)
    assert LangChainEmbedder(embeddings, model="m", dimensions=3).model == "m"


# Finding one.


def test_none_is_none_and_an_embedder_is_itself() -> None:
    embedder = Scripted(sound)
    assert as_embedder(None) is None
    assert as_embedder(embedder) is embedder
    assert isinstance(embedder, memoranda.Embedder)
    typed: Embedder = embedder
    assert typed.dimensions == 3


@pytest.mark.parametrize("spec", ["", "locl", "openai", "openai:", "local:other@1", "sentence-transformers:x"])
def test_an_unknown_name_is_refused_with_the_known_ones(spec: str) -> None:
    with pytest.raises(InputError, match='"local", "openai:<model>"'):
        as_embedder(spec)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [(3, "FunctionEmbedder"), (object(), "FunctionEmbedder"), (sound, r"FunctionEmbedder\(function")],
)
def test_what_is_no_embedder_is_refused(spec: object, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        as_embedder(spec)


@pytest.mark.parametrize(
    "members", [{"model": ""}, {"model": None}, {"dimensions": 0}, {"dimensions": "3"}, {"max_inputs": True}]
)
def test_an_embedder_with_senseless_members_is_refused(members: dict[str, object]) -> None:
    embedder = Scripted(sound)
    embedder.__dict__.update(members)
    with pytest.raises(InputError):
        as_embedder(embedder)


async def test_closing_closes_what_can_be_closed() -> None:
    closed: list[str] = []

    class Plain(Scripted):
        def close(self) -> None:
            closed.append("plain")

    class Later(Scripted):
        async def close(self) -> None:
            closed.append("later")

    for embedder in (None, Scripted(sound), Plain(sound), Later(sound)):
        await close_embedder(embedder)
    assert closed == ["plain", "later"]
