"""The embedders, and how one is named.

``embedder="local"`` and ``"openai:text-embedding-3-small"`` are names; an object of yours that has the four members of
:class:`memoranda.embedding.Embedder` is one itself; a function becomes one in :class:`FunctionEmbedder`, and
LangChain's ``Embeddings`` in :class:`LangChainEmbedder`.
"""

from __future__ import annotations

from memoranda.embedders.wrapped import FunctionEmbedder, LangChainEmbedder, SupportsLangChain
from memoranda.embedding import Embedder
from memoranda.errors import InputError

__all__ = ["FunctionEmbedder", "LangChainEmbedder", "as_embedder"]

_HINT = (
    'Use "local", "openai:<model>" or "openai:<model>@<dimensions>", None, an object with model, dimensions, '
    "max_inputs and embed, or a function in FunctionEmbedder(function, model=..., dimensions=...)."
)


def as_embedder(spec: object) -> Embedder | None:
    """The embedder that is meant.

    An embedder's `model`, such as ``openai:text-embedding-3-large@1024``, is a name too, and leads to an equal one.

    Args:
        spec: ``"local"``; ``"openai:<model>"``, with ``@<dimensions>`` for shorter vectors; an embedder; LangChain's
            embeddings, if they say their model and dimensions; or None.

    Returns:
        The embedder, or None for None. Whoever passed a name should close it, with
        :func:`memoranda.embedding.close_embedder`.

    Raises:
        InputError: That is none of them, or it doesn't say which vectors it makes.
        MissingExtraError: It needs a package that is not installed.
        EmbedderSetupError: It needs a key, and there is none.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, Embedder):
        _check_members(spec)
        return spec
    if isinstance(spec, SupportsLangChain):
        return LangChainEmbedder(spec)
    if callable(spec):
        raise InputError(
            "A function doesn't say which vectors it makes.",
            hint="Wrap it: FunctionEmbedder(function, model=..., dimensions=...).",
        )
    raise InputError(f"A {type(spec).__name__} is no embedder.", hint=_HINT)


def _named(name: str) -> Embedder:
    """The embedder with a name."""
    provider, _, model = name.partition(":")
    if provider == "local":
        from memoranda.embedders.local import LocalEmbedder

        embedder = LocalEmbedder()
        if name in {"local", embedder.model}:
            return embedder
        raise InputError(f"This release's local embedder is {embedder.model!r}, not {name!r}.", hint=_HINT)
    if provider == "openai" and model:
        from memoranda.embedders.openai import OpenAIEmbedder

        base, at, dimensions = model.rpartition("@")
        if at and base and dimensions.isascii() and dimensions.isdigit():
            return OpenAIEmbedder(base, dimensions=int(dimensions))
        return OpenAIEmbedder(model)
    raise InputError(f"There is no embedder {name!r}.", hint=_HINT)


def _check_members(embedder: Embedder) -> None:
    """Refuse an embedder whose members can't be meant."""
    members: dict[str, object] = {name: getattr(embedder, name) for name in ("model", "dimensions", "max_inputs")}
    for name, member in members.items():
        if name == "model":
            if not isinstance(member, str) or not member.strip():
                raise InputError("An embedder's model is a name that says which vectors it makes.")
        elif not isinstance(member, int) or isinstance(member, bool) or member < 1:
            raise InputError(f"An embedder's {name} is a positive number, not {member!r}.")
