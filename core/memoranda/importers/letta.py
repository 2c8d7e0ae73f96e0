"""A Letta agent file (.af): the memory blocks of one agent, as files. Its messages, tools and model are left alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from memoranda.errors import InputError
from memoranda.exportformat import Item
from memoranda.importers import rows

_UNFIT = re.compile(r"[^\w .-]+")


def read(path: str | os.PathLike[str], *, agent: str | None = None) -> Iterator[Item]:
    """The blocks of an agent: each as `<label>.md`, since blocks are what goes into every prompt, as files do here.

    Args:
        path: The file, of either form: with one agent and its `core_memory`, or with `agents` and `blocks`.
        agent: The agent's name or id, if the file has several.

    Raises:
        InputError: It is no agent file, or has several agents and none of them is named.
    """
    try:
        data = json.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        if isinstance(data, str):  # some are JSON in JSON
            data = json.loads(data)
    except (OSError, ValueError) as error:
        raise InputError(f"That is no agent file: {path}.") from error
    seen: dict[str, int] = {}
    for number, block in enumerate(_blocks(data, agent), 1):
        label = _UNFIT.sub("_", str(block.get("label") or "block")).strip(" .") or "block"
        seen[label] = seen.get(label, 0) + 1
        name = f"{label}.md" if seen[label] == 1 else f"{label}-{seen[label]}.md"
        value = block.get("value")
        if isinstance(value, str):
            yield rows.file(number, name, value)
        else:
            yield Item(number, "file", name, None, "it has no text")


def _blocks(data: object, agent: str | None) -> list[Mapping[str, Any]]:
    """The blocks of the agent that is meant."""
    if isinstance(data, dict):
        known = cast("Mapping[str, Any]", data)
        if isinstance(known.get("core_memory"), list):
            if agent is not None and agent not in (known.get("name"), known.get("id")):
                raise InputError("There is no such agent in the file.")
            return _objects(known["core_memory"])
        agents, blocks = _objects(known.get("agents")), _objects(known.get("blocks"))
        if agents:
            meant = [each for each in agents if agent is None or agent in (each.get("name"), each.get("id"))]
            if len(meant) != 1:
                names = ", ".join(str(each.get("name")) for each in agents)
                raise InputError(f"Which agent? The file has: {names}.", hint="Name one by its name or id.")
            own = cast("list[str]", meant[0].get("block_ids") or [])
            found = {each.get("id"): each for each in blocks}
            return [found[each] for each in own if each in found] + _objects(meant[0].get("memory_blocks"))
    raise InputError("That is no agent file: it has neither core_memory nor agents.")


def _objects(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", each) for each in items if isinstance(each, dict)]
