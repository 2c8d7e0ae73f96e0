"""An event loop on a thread of its own, for what is async alone; written by hand."""

from __future__ import annotations

import threading
from collections.abc import Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

Found = TypeVar("Found")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="memoranda-async", daemon=True).start()
    return loop


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """Wait for what runs in the loop; an interrupt of the wait ends the work too."""
    import asyncio

    task = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return task.result()
    except BaseException:
        task.cancel()
        raise
