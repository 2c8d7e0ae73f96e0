"""People and rows for the tests: everybody has something that nobody else may see, and it says whose it is.

What a person may read and change is said here in Python, apart from the SQL that has to keep it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias
from uuid import UUID

import psycopg

Row: TypeAlias = "Mapping[str, Any]"

NOBODY = "00000000-0000-0000-0000-000000000000"
"""The owner of an organisation's memory."""

COMMON = "currency"
"""A key of a fact, a path of a file, a run, a source and an idempotency key, that everybody uses."""

VECTOR, MODEL = "[1,2,3]", "model/3"

NOW = "2100-01-01T00:00:00Z"
"""A time by which all has been written. The database takes what is to come for now."""

MEMBERS = {
    "member": ("acme", "read"),
    "manager": ("acme", "manage"),
    "ex-member": ("acme", "manage"),  # and then no more
    "neighbour": ("umbrella", "manage"),
}
LEFT = "ex-member"

PEOPLE = {
    name: str(UUID(f"{number:08x}-0000-4000-8000-{number:012x}"))
    for number, name in enumerate(("owner", "other", *MEMBERS), start=1)
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody at the door: a role, and the claims of a connection."""

    name: str
    role: str
    user: str | None
    tenants: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where they may be, and with which permission."""

    @property
    def claims(self) -> str:
        return json.dumps({"role": self.role} | ({"sub": self.user} if self.user else {}))

    def may_read(self, row: Row) -> bool:
        """Whether a row of any table is theirs to see."""
        if self.user is None or row.get("tenant_id") not in self.tenants:
            return False
        if "owner_id" in row:
            return str(row["owner_id"]) in (self.user, NOBODY)
        return str(row.get("user_id", self.user)) == self.user

    def may_write(self, row: Row) -> bool:
        """Whether a row of any table is theirs to add or change."""
        if self.role == "service_role":
            return "owner_id" not in row and "tenant_id" in row  # tenants, members and settings; no memory of anybody
        if not self.may_read(row) or ("owner_id" not in row and ("user_id" in row or "value" in row)):
            return False  # members and settings are for the service
        return row.get("owner_id") != NOBODY or self.tenants[row["tenant_id"]] == "manage"

    def may_erase(self, row: Row) -> bool:
        """Whether the ring that erases may meet or change a row for them: theirs also where they have left."""
        if self.user is None or self.role == "service_role":
            return False
        if row.get("scope") == "organization" and self.tenants.get(row["tenant_id"]) == "manage":
            return True
        return self.user in (row.get("owner_id", row.get("user_id", row["tenant_id"])), row.get("user_id"))


@dataclass(frozen=True, slots=True)
class Place:
    """A scope with rows in it, every text of which names the place."""

    name: str
    writer: str
    tenant_id: str
    owner_id: str
    scope: str
    scope_id: str
    ids: list[str] = field(default_factory=list[str])
    """Of its facts; the first is in force under the key `canary("key")`."""
    file_ids: list[str] = field(default_factory=list[str])
    """Of its files; the first is at the path `canary("file")`."""
    message_ids: list[str] = field(default_factory=list[str])
    """Of its messages, all in the chat `canary("chat")`; the first is called `canary("message")`."""

    @property
    def row(self) -> Row:
        return {"tenant_id": self.tenant_id, "owner_id": self.owner_id, "scope": self.scope, "scope_id": self.scope_id}

    @property
    def argument(self) -> dict[str, str]:
        return {"tenant": self.tenant_id, "scope": self.scope, "scope_id": self.scope_id}

    def canary(self, what: str) -> str:
        return f"canary.{self.name}.{what}"


@dataclass(frozen=True)
class World:
    tenants: Mapping[str, str]
    callers: Mapping[str, Caller]
    places: Mapping[str, Place]

    @cached_property
    def homes(self) -> Mapping[str, Place]:
        """Where each fact, each file and each message is, by its id."""
        return {
            each: place for place in self.places.values() for each in (*place.ids, *place.file_ids, *place.message_ids)
        }

    def readers(self, place: Place) -> list[Caller]:
        return [caller for caller in self.callers.values() if caller.may_read(place.row)]

    def marks(self, text: str) -> dict[str, Place]:
        """What in a text tells of a place: canaries, and ids of facts, files and messages."""
        canaries = {found[0]: self.places[found[1]] for found in re.finditer(r"canary\.([\w-]+)\.[\w. ]+", text)}
        ids = {found[0] for found in re.finditer(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)}
        return canaries | {each: self.homes[each] for each in ids if each in self.homes}

    def leaks(self, caller: Caller, text: str, asked: str = "", named: Place | None = None) -> set[str]:
        """The marks in a text that this caller should not meet, less those that they named themselves.

        With a place, it is service work for whom it belongs to, and may tell of it.
        """
        known = self.marks(asked)
        return {
            mark
            for mark, home in self.marks(text).items()
            if mark not in known and home is not named and not caller.may_read(home.row)
        }


def bind(conn: psycopg.Connection[Any], caller: Caller) -> None:
    """Be somebody for the rest of the transaction, as our transports do it."""
    conn.execute(
        "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)", (caller.role, caller.claims)
    )


def become(conn: psycopg.Connection[Any], caller: Caller) -> None:
    """The same from a superuser's connection, which is as good as a connection of theirs until the transaction ends."""
    conn.execute("set local session authorization authenticator")
    bind(conn, caller)


def call(conn: psycopg.Connection[Any], caller: Caller, function: str, **arguments: object) -> Any:
    """Call a door as somebody, and be a superuser again."""
    with conn.transaction():
        become(conn, caller)
        names = ", ".join(f"{name} => %s::jsonb" for name in arguments)
        values = [json.dumps(value) for value in arguments.values()]
        row = conn.execute(f"select memoranda.{function}({names})".encode(), values).fetchone()
        conn.execute("set local session authorization default")
    assert row is not None
    return row[0]


def build(conn: psycopg.Connection[Any]) -> World:
    """Fill a database with rows of everybody, in every kind of scope, with a history; one member leaves at last."""
    service = Caller("service", "service_role", None)
    tenants: dict[str, str] = {}
    for person, (tenant, permission) in MEMBERS.items():
        member = {"tenant": tenant, "user": PEOPLE[person], "permission": permission}
        tenants[tenant] = call(conn, service, "members_set", member=member)["tenant"]
    for tenant in (*tenants.values(), *PEOPLE.values()):
        call(conn, service, "settings_set", setting={"tenant": tenant, "name": "files", "value": 900})
    places = {place.name: place for place in _places(tenants)}
    for place in places.values():
        _fill(conn, place)
        _fill_files(conn, place)
        _fill_messages(conn, place)
        _fill_documents(conn, place)
    call(conn, service, "members_remove", member={"tenant": MEMBERS[LEFT][0], "user": PEOPLE[LEFT]})
    people = [_person(name, tenants) for name in PEOPLE]
    anon = Caller("anon", "anon", PEOPLE["owner"])
    nobody = Caller("no identity", "authenticated", None)
    return World(tenants, {caller.name: caller for caller in (*people, anon, nobody, service)}, places)


def _person(name: str, tenants: Mapping[str, str]) -> Caller:
    permissions = {PEOPLE[name]: "read"}  # one's own tenant has no organisation to manage
    if name in MEMBERS and name != LEFT:
        tenant, permission = MEMBERS[name]
        permissions[tenants[tenant]] = permission
    return Caller(name, "authenticated", PEOPLE[name], permissions)


def _places(tenants: Mapping[str, str]) -> Iterator[Place]:
    for name, user in PEOPLE.items():
        homes = {"home": user}
        if name in MEMBERS:
            homes[MEMBERS[name][0]] = tenants[MEMBERS[name][0]]
        scopes = {"user": "", "agent": "writer"} | ({"chat": "c-1", "project": "p-1"} if name == "owner" else {})
        for home, tenant in homes.items():
            for scope, scope_id in scopes.items():
                yield Place(f"{name}-{home}-{scope}", name, tenant, user, scope, scope_id)
    for name, writer in (("acme", "manager"), ("umbrella", "neighbour")):
        yield Place(f"{name}-organization", writer, tenants[name], NOBODY, "organization", "")


def _fill(conn: psycopg.Connection[Any], place: Place) -> None:
    """A fact that was corrected, one under everybody's key, one that was forgotten, one rejected and one that waits."""
    writer = Caller(place.writer, "authenticated", PEOPLE[place.writer])

    def save(key: str, version: int, idempotency_key: str) -> str:
        texts = {what: place.canary(f"{what}.{version}") for what in ("content", "source")}
        fact = {"key": key, **texts, "tags": [place.canary("tag")], "metadata": {"note": place.canary("metadata")}}
        fact |= {"entities": [place.canary("entity")], "vector": VECTOR, "model": MODEL}
        call_ = {"idempotency_key": idempotency_key, "run_id": place.canary("run"), "reason": place.canary("reason")}
        return str(call(conn, writer, "facts_save", place=place.argument, fact=fact, call=call_)["id"])

    first = save(place.canary("key"), 1, place.canary("first write"))
    current = save(place.canary("key"), 2, place.canary("second write"))
    common = save(COMMON, 1, COMMON)
    gone = save(place.canary("gone"), 1, place.canary("third write"))
    place.ids.extend((current, first, common, gone))
    refused = {"model": "picky/3", "vectors": [{"id": current, "reason": place.canary("refusal")}]}
    call(conn, writer, "vectors_put", place=place.argument, made=refused)
    call(conn, writer, "facts_search", place=place.argument, query={"text": COMMON})  # which counts as used
    call_ = {"reason": place.canary("why forgotten")}
    call(conn, writer, "facts_forget", place=place.argument, target={"id": gone}, call=call_)
    for what in ("refused value", "waiting value"):
        fact = {"content": place.canary(what), "vector": VECTOR, "model": MODEL, "review": True, "dedup": "off"}
        place.ids.append(call(conn, writer, "facts_save", place=place.argument, fact=fact, call=call_)["id"])
    call(conn, writer, "review_reject", place=place.argument, target={"id": place.ids[-2]}, call=call_)


def _fill_files(conn: psycopg.Connection[Any], place: Place) -> None:
    """A file that was corrected, one at everybody's path and one that was removed, by runs that had read something."""
    writer = Caller(place.writer, "authenticated", PEOPLE[place.writer])

    def write(path: str, version: int, run: str) -> str:
        file = {"path": path, "content": f"{COMMON} {place.canary(f'text.{version}')}"}
        call_ = {"run_id": run, "reason": place.canary("reason"), "tool_call_id": place.canary("tool call")}
        return str(call(conn, writer, "files_write", place=place.argument, file=file, call=call_)["id"])

    for run, source in ((place.canary("run"), place.canary("material")), (COMMON, COMMON)):
        call(conn, writer, "runs_taint", place=place.argument, run={"run_id": run, "source": source})
    write(place.canary("file"), 1, "an earlier run")
    place.file_ids.append(write(place.canary("file"), 2, place.canary("run")))
    place.file_ids.append(write(COMMON, 1, COMMON))
    place.file_ids.append(write(place.canary("gone file"), 1, place.canary("run")))
    call(conn, writer, "files_remove", place=place.argument, target={"path": place.canary("gone file")}, call={})


def _fill_messages(conn: psycopg.Connection[Any], place: Place) -> None:
    """A turn by a run that had read something, with work that is left, and one in everybody's chat, in part deleted."""
    writer = Caller(place.writer, "authenticated", PEOPLE[place.writer])

    def message(name: str, role: str) -> dict[str, object]:
        said = f"{COMMON} {place.canary(f'said by {role}')}"
        return {
            "id": name,
            "role": role,
            "text": said,
            "author": place.canary("author"),
            "data": {"n": place.canary("data")},
        }

    for chat, name, run in (
        (place.canary("chat"), place.canary("message"), place.canary("run")),
        (COMMON, COMMON, COMMON),
    ):
        messages = [message(name, "user"), message(f"{name} 2", "assistant"), message(f"{name} 3", "tool")]
        turn = {"turn": f"{name} turn", "chat": chat, "messages": messages, "work": ["embed", "extract"]}
        call_ = {"run_id": run, "idempotency_key": place.canary(f"{chat} turn")}
        stored = call(conn, writer, "turns_add", place=place.argument, turn=turn, call=call_)
        ids = [each["id"] for each in stored["messages"]]
        place.message_ids.extend((*ids, stored["turn"]) if chat != COMMON else ())
        made = {"model": MODEL, "vectors": [{"id": ids[0], "version": 1, "pieces": [VECTOR, VECTOR]}]}
        call(conn, writer, "message_vectors_put", place=place.argument, pieces=made)
    gone = {"chat": COMMON, "id": f"{COMMON} 2"}
    call(conn, writer, "messages_delete", place=place.argument, message=gone)


def _fill_documents(conn: psycopg.Connection[Any], place: Place) -> None:
    """A document under a key of its own, and one under everybody's."""
    service = Caller("service", "service_role", None)
    for key in (place.canary("document"), COMMON):
        document = {
            "user": PEOPLE[place.writer],
            **place.argument,
            "key": key,
            "content": place.canary("content of it"),
        }
        call(conn, service, "documents_put", document=document)
