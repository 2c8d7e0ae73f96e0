"""An end to waiting, whatever the other side does meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from memoranda.errors import CallTimeoutError


@asynccontextmanager
async def within(seconds: float) -> AsyncGenerator[None]:
    """Do something in time, or not to its end.

    Args:
        seconds: How long it may take.

    Raises:
        CallTimeoutError: It took longer. It may have been done.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise CallTimeoutError from None
