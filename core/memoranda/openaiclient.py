"""What the embedder and the extractor share that speak OpenAI's protocol."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from memoranda.errors import MissingExtraError

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

_SECRET = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{6,}")


def openai_client(api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> AsyncOpenAI | None:
    """A client of our own.

    Args:
        api_key: The key; by default what OPENAI_API_KEY holds.
        base_url: The server; by default what OPENAI_BASE_URL holds, or OpenAI.
        timeout: Seconds until a request is given up.
        max_retries: How often the client repeats a request that failed for now.

    Returns:
        The client, or None when there is no key.

    Raises:
        MissingExtraError: The package openai is not installed.
    """
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError(
            "This needs the package openai.", hint="Install it with: pip install 'memoranda[openai]'"
        ) from error
    try:
        return openai.AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=max_retries)
    except openai.OpenAIError:
        return None


def is_openai(client: AsyncOpenAI) -> bool:
    """Whether a client speaks to OpenAI itself, and not to a server with its protocol."""
    return f".{client.base_url.host}".endswith(".openai.com")


def said(error: APIError, key: str, texts: Iterable[str]) -> str:
    """What a server said of an error, if it repeats no text; without anything that looks like a key."""
    body: object = error.body
    message = str(cast("dict[str, object]", body).get("message") or "") if isinstance(body, dict) else ""
    if any(text[:40] in message for text in texts if text):
        return ""
    return _SECRET.sub("…", message.replace(key, "…") if key else message)[:200]


def retry_after(header: str | None) -> float | None:
    """The seconds in a Retry-After header, which are a number or a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
