"""How an extractor is named: ``extractor="openai:gpt-5-mini"``, or an object of yours with the method `extract`."""

from __future__ import annotations

from memoranda.errors import InputError
from memoranda.extracting.candidates import Extraction, Extractor

_HINT = 'Use "openai:<model>", an object with an async method extract(turn, known), or None.'


def as_extractor(spec: object) -> Extractor | None:
    """The extractor that is meant.

    Args:
        spec: ``"openai:<model>"``, an extractor, or None.

    Returns:
        The extractor, or None for None. Whoever passed a name should close it, with
        :func:`memoranda.asking.close_extractor`.

    Raises:
        InputError: That is none of them.
        MissingExtraError: It needs a package that is not installed.
        ExtractorSetupError: It needs a key, and there is none.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        provider, _, model = spec.partition(":")
        if provider == "openai" and model:
            from memoranda.extracting.openai import OpenAIExtractor

            return OpenAIExtractor(model)
        raise InputError(f"There is no extractor {spec!r}.", hint=_HINT)
    if isinstance(spec, Extractor) and not isinstance(spec, type):
        return spec
    raise InputError(f"A {type(spec).__name__} is no extractor.", hint=_HINT)


def is_ours(extractor: Extractor | None) -> bool:
    """Whether an extractor is one of this library's: what that says of its failures quotes no memory.

    Args:
        extractor: What was asked.
    """
    inner = extractor.extractor if isinstance(extractor, Extraction) else extractor
    return type(inner).__module__.partition(".")[0] in ("memoranda", "memoranda_langchain", "memoranda_pydantic_ai")
