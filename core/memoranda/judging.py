"""A judge of what the guard of near duplicates leaves open: asked after a save, outside any transaction."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from memoranda.errors import MemorandaError
from memoranda.facttypes import Fact, NewFact, Outcome
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

Verdict: TypeAlias = Literal["same", "update", "other"]

Judge: TypeAlias = Callable[[Fact, NewFact], Awaitable[Verdict]]
"""From a fact in force, and one that was saved beside it because the two are alike: whether the second says the
``same``, is an ``update`` of the first, or is something ``other``. How long it may take is for the judge to limit."""

_log = logging.getLogger("memoranda")


async def judged(binding: Binding, judge: Judge, outcome: Outcome, fact: NewFact) -> Outcome:
    """What becomes of a fact that was kept beside one that it is like. A judge that fails changes nothing."""
    if (outcome.outcome, outcome.rule) != ("stored", "similar") or outcome.replayed:
        return outcome
    try:
        query: Json = {"id": str(outcome.compared)}
        rows = cast("list[Mapping[str, Any]]", await binding.call("facts_recall", {"query": query}))
        if not rows:
            return outcome  # it has gone out of force meanwhile
        old = Fact.from_json(rows[0])
        verdict = await judge(old, fact)
        if verdict not in ("same", "update", "other"):
            raise ValueError(f"{verdict!r:.40} is not a verdict")
        lasts = (fact.valid_from, fact.valid_until, fact.expires_at) == (
            old.valid_from,
            old.valid_until,
            old.expires_at,
        )
        if verdict == "same" and lasts:
            await _supersede(binding, str(outcome.id), str(old.id), "judged the same")
            return replace(
                outcome, outcome="duplicate", rule="judged the same", id=old.id, version=old.version, embedded=None
            )
        if verdict == "update" and old.key is None:
            await _supersede(binding, str(old.id), str(outcome.id), "judged an update")
            return replace(outcome, outcome="superseded", rule="judged an update", supersedes=old.id)
    except MemorandaError as error:  # one of the two was changed meanwhile, or the database is out of reach: both stay
        _log.warning("Kept beside what it is like: %s", error)
    except Exception as error:  # a judge may raise anything
        _log.warning("Kept beside what it is like, since the judge failed: %s", type(error).__name__)  # may quote texts
    return outcome


async def _supersede(binding: Binding, old: str, new: str, reason: str) -> None:
    call: Json = dict(binding.call_context(reason=reason))
    await binding.call("facts_supersede", {"target": {"id": old, "by": new}, "call": call})
