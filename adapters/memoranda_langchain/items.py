"""Items of a LangGraph store as facts: their names, what is searched of them, and what a filter asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from langgraph.store.base import PutOp, SearchOp, get_text_at_path, tokenize_path

from memoranda.errors import InputError
from memoranda.facttypes import Fact, NewFact
from memoranda.text import storable

Namespace = tuple[str, ...]

_VALUE = "value."
_OPERATORS = {"$eq": "eq", "$ne": "ne", "$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}
_LONGEST_KEY = 200
"""What a key of metadata may have in a condition."""

_GONE = datetime(1970, 1, 1, tzinfo=UTC)


def key_of(namespace: Namespace, key: str) -> str:
    """The key of the fact that holds an item: of one length, and for no two items the same."""
    return "item:" + _digest([namespace, key])


def marks(namespace: Namespace) -> list[str]:
    """A mark for each beginning of a namespace, itself and nothing included: one that is shared is a common prefix."""
    return [mark(namespace[:length]) for length in range(len(namespace) + 1)]


def mark(prefix: Namespace) -> str:
    """The mark of everything whose namespace begins so."""
    return "in:" + _digest(prefix)[:24]


def name_of(namespace: Namespace) -> str:
    """A namespace as one of the names that a fact is about: folding case and accents leaves it as it is."""
    return "namespace:" + json.dumps(namespace, ensure_ascii=False).encode().hex()


def namespace_of(name: str) -> Namespace | None:
    """The namespace that such a name stands for; None for a name of something else."""
    kind, _, written = name.partition(":")
    try:
        labels = json.loads(bytes.fromhex(written)) if kind == "namespace" else None
    except ValueError:
        return None
    return _labels(labels)


def checked(labels: Sequence[object]) -> None:
    """Refuse labels, or a key, that would not come back as they are: the operations of a batch are checked by nobody.

    Raises:
        InputError: One is no text, is empty, or has characters that no database text can hold.
    """
    for label in labels:
        if not isinstance(label, str) or not label or storable(label) != label:
            raise InputError("A label of a namespace, and a key, are texts with something in them, and without NUL.")


def fact_of(put: PutOp, fields: Sequence[str]) -> NewFact:
    """The fact that holds an item.

    Args:
        put: The item.
        fields: The paths that are searched, where the item does not say.

    Raises:
        InputError: The value is no mapping, or the time to live is not positive.
    """
    value = cast("object", put.value)
    if not isinstance(value, Mapping):
        raise InputError(f"The value of an item is a mapping, not {type(value).__name__}.")
    value = cast("Mapping[str, Any]", value)
    searched = None if put.index is False else _text(value, fields if put.index is None else put.index)
    if put.ttl is not None and put.ttl <= 0:
        raise InputError(f"The time to live is {put.ttl} minutes.", hint="Pass a positive number, or None.")
    return NewFact(
        searched or f"An item that is not searched ({key_of(put.namespace, put.key)[5:13]}).",
        key=key_of(put.namespace, put.key),
        tags=marks(put.namespace),
        entities=[*marks(put.namespace), name_of(put.namespace)],
        metadata={
            "namespace": list(put.namespace),
            "key": put.key,
            "ttl": put.ttl,
            "searched": searched is not None,
            **{_VALUE + name: each for name, each in value.items()},
        },
        expires_at=None if put.ttl is None else datetime.now(UTC) + timedelta(minutes=put.ttl),
    )


def gone(namespace: Namespace, key: str) -> NewFact:
    """What stands in the place of an item that was deleted: expired, so that it is found by nobody, and purged."""
    return NewFact("An item that was deleted.", key=key_of(namespace, key), entities=(), expires_at=_GONE)


def refreshed(fact: Fact) -> NewFact | None:
    """The fact with its time to live begun anew; None if there is nothing to do yet.

    Each is a write, so they are not made for what is less than a tenth of that time.
    """
    ttl = fact.metadata.get("ttl")
    if ttl is None or fact.expires_at is None:
        return None
    until = datetime.now(UTC) + timedelta(minutes=ttl)
    if until - fact.expires_at < timedelta(minutes=ttl) / 10:
        return None
    return NewFact(
        fact.content,
        key=fact.key,
        tags=fact.tags,
        entities=fact.entities,
        metadata=fact.metadata,
        expires_at=until,
        expected_version=fact.version,
    )


def is_item(fact: Fact) -> bool:
    """Whether a fact is one of ours, and not somebody's with the same labels."""
    place, key = _labels(fact.metadata.get("namespace")), fact.metadata.get("key")
    return place is not None and isinstance(key, str) and fact.key == key_of(place, key)


def as_item(fact: Fact) -> dict[str, Any]:
    """What :class:`langgraph.store.base.Item` is made of."""
    return {
        "namespace": tuple(fact.metadata["namespace"]),
        "key": fact.metadata["key"],
        "value": value_of(fact),
        "created_at": fact.created_at,
        "updated_at": fact.updated_at,
    }


def value_of(fact: Fact) -> dict[str, Any]:
    """The value of an item."""
    return {name.removeprefix(_VALUE): each for name, each in fact.metadata.items() if name.startswith(_VALUE)}


def where(search: SearchOp) -> dict[str, Any]:
    """What the database can judge of a filter; :func:`meets` judges the whole.

    Raises:
        InputError: It has an operator that there is not.
    """
    asked: dict[str, Any] = {}
    for name, wanted in (search.filter or {}).items():
        conditions = _conditions(wanted)
        plain = conditions is not None and all(_is_plain(op, each) for op, each in conditions.items())
        if conditions and plain and len(_VALUE + name) <= _LONGEST_KEY:
            asked[_VALUE + name] = {_OPERATORS[op]: each for op, each in conditions.items()}
    return asked | {"searched": True}


def meets(value: object, wanted: object) -> bool:
    """Whether a value, or a part of one, is what a filter wants: an equal one, or one that its operators allow.

    Args:
        value: The value.
        wanted: A value; a mapping of operators to values; or a mapping of which each part has to be met.

    Raises:
        InputError: It has an operator that there is not.
    """
    if not isinstance(wanted, Mapping):
        return _equal(value, wanted)
    if (conditions := _conditions(cast("object", wanted))) is not None:
        return all(_compared(value, op, each) for op, each in conditions.items())
    parts, held = cast("Mapping[str, object]", wanted), cast("Mapping[str, object]", value)
    return isinstance(value, Mapping) and all(meets(held.get(name), each) for name, each in parts.items())


def _conditions(wanted: object) -> Mapping[str, object] | None:
    """Operators and what they compare with; None where a value is wanted part by part."""
    if not isinstance(wanted, Mapping):
        return {"$eq": wanted}
    given = cast("Mapping[str, object]", wanted)
    if not any(name.startswith("$") for name in given):
        return None
    if unknown := sorted(set(given) - set(_OPERATORS)):
        raise InputError(f"A filter has no operator {unknown[0]!r}.", hint=f"There are {', '.join(_OPERATORS)}.")
    return given


def _compared(value: object, op: str, wanted: object) -> bool:
    if op in ("$eq", "$ne"):
        return _equal(value, wanted) == (op == "$eq")
    if not (_is_number(value) and _is_number(wanted)) and not (isinstance(value, str) and isinstance(wanted, str)):
        return False
    less, same = bool(cast("Any", value) < cast("Any", wanted)), value == wanted
    match op:
        case "$lt":
            return less
        case "$lte":
            return less or same
        case "$gt":
            return not less and not same
        case _:
            return not less


def _equal(value: object, wanted: object) -> bool:
    """As JSON has it: true is not 1, and a tuple is a list."""
    if isinstance(wanted, tuple):
        wanted = list(cast("Iterable[object]", wanted))
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_plain(op: str, value: object) -> bool:
    """Whether the database compares it as :func:`meets` does; texts it orders by other rules."""
    return _is_number(value) or (op in ("$eq", "$ne") and isinstance(value, str | bool))


def _text(value: Mapping[str, Any], fields: Sequence[str]) -> str | None:
    """What is searched of a value; None if there is nothing at the paths."""
    texts = [text for path in fields for text in _texts(value, path)]
    return "\n".join(text for text in texts if text.strip()) or None


def _texts(value: Mapping[str, Any], path: str) -> list[str]:
    """The texts at a path. The whole of a value that is one text is that text, and else JSON."""
    if path == "$":
        parts = list(value.values())
        if len(parts) == 1 and isinstance(parts[0], str):
            return parts
        return [json.dumps(dict(value), sort_keys=True, ensure_ascii=False, default=str)]
    return get_text_at_path(dict(value), tokenize_path(path))


def _labels(written: object) -> Namespace | None:
    """A namespace as JSON holds it."""
    labels = cast("list[object]", written) if isinstance(written, list) else [None]
    return tuple(cast("list[str]", labels)) if all(isinstance(each, str) for each in labels) else None


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()
