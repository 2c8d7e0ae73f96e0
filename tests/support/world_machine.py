"""The whole machine against a plain model: two tenants, three users who come and go, and all that they keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import memoranda.sync
from memoranda import NewMessage, Scope
from memoranda.errors import ForbiddenError, MemorandaError, NotFoundError

from .chat_model import WORDS, Chats
from .facts_machine import Facts, Row, contents, keys, picks
from .folder_model import REFUSED, ROOT, Folder, numbers, texts

USERS = (0, 1, 2)
TENANTS = (0, 1)
PERMISSIONS = (None, "read", "manage")

users = st.sampled_from(USERS)
wheres = st.sampled_from([0, 0, 0, 10, 10, 10, 4, 3, 11])
"""Numbers of the places where something happens: few, so that it meets. In the others, nothing may appear."""
paths = st.sampled_from([f"{ROOT}{rest}" for rest in ("/a", "/a", "/aa", "/a/b", "/b", "/b/c", "")])
chats = st.sampled_from(["c1", "c1", "c2"])
ids = st.sampled_from([f"m{n}" for n in range(5)])
roles = st.sampled_from(["user", "assistant", "assistant", "tool"])
words = st.sampled_from([*WORDS, " ".join(WORDS[:2])])


def save_something(memory: Any) -> None:
    memory.facts.save("never")


class PlainFacts(Facts):
    """The facts of one place: what the machine of facts knows of them, without the machine."""

    def __init__(self) -> None:
        self.rows, self.buried = {}, set()

    def edit_and_approve(self, pick: int, content: str) -> None:
        """Put what waits into force, in other words."""
        id_ = self.pick(pick, "pending")
        row = self.rows[id_]
        old = self.would_replace(row)
        outcome = self.memory.review.edit_and_approve(id_, content)
        if self.is_buried(content, None):
            assert outcome.outcome == "rejected"
            return
        known = self.known(content, row, old)
        if known is not None:
            assert (outcome.outcome, outcome.id) == ("duplicate", known)
        else:
            assert outcome.outcome == ("stored" if old is None else "superseded")
            assert outcome.id is not None
            self.put(outcome.id, Row(content, row.key, "confirmed"), old)
        if row.status == "pending":
            row.status, row.superseded_by = "superseded", outcome.id

    def would_replace(self, row: Row) -> UUID | None:
        if row.key is not None and (old := self.in_force(row.key)) is not None:
            return old
        if row.proposes is None:
            return None
        last = self.successor(row.proposes)
        return last if self.rows[last].status == "confirmed" else None

    def known(self, content: str, row: Row, old: UUID | None) -> UUID | None:
        """What is in force and says just that, where nothing is to be replaced."""
        if row.key is None and old is not None:
            return None
        return self.expected(content, row.key, waits=False)[1]


@dataclass
class Place:
    """A place in the model: a user's own (at home or in a tenant), an agent's, or an organisation's."""

    owner: int | None
    tenant: int | None
    scope: Scope
    facts: PlainFacts = field(default_factory=PlainFacts)
    folder: Folder = field(default_factory=Folder)
    versions: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])
    at: dict[str, int] = field(default_factory=dict[str, int])
    chats: Chats = field(default_factory=Chats)

    def erase(self) -> None:
        self.facts, self.folder, self.versions, self.at = PlainFacts(), Folder(), {}, {}
        self.chats = Chats()

    def noted(self, before: dict[str, str], moved: tuple[str, str] | None = None) -> None:
        """Number what has changed since: a version of a path names one text for ever."""
        for path in [path for path in before if path not in self.folder.files]:
            version = self.at.pop(path)
            to = path if moved is None else moved[1] + path.removeprefix(moved[0])
            self.number(to, before[path], version + 1)
            if moved is None:
                del self.at[path]
        for path, text in self.folder.files.items():
            if moved is None and before.get(path) != text:
                self.number(path, text, self.at.get(path, 0) + 1)

    def number(self, path: str, text: str, least: int) -> None:
        there = self.versions.setdefault(path, {})
        self.at[path] = max([least, *(version + 1 for version in there)])
        there[self.at[path]] = text


class World(RuleBasedStateMachine):
    """Tenants, users, places, and what everybody may do and see."""

    store: memoranda.sync.Store
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.users, self.tenants = [uuid4() for _ in USERS], [uuid4() for _ in TENANTS]
        self.permissions: dict[tuple[int, int], str] = {}
        self.runs = 0
        self.places = [
            *(Place(user, None, Scope.user()) for user in USERS),
            Place(0, None, Scope.agent("writer")),
            *(Place(user, tenant, Scope.user()) for user in USERS for tenant in TENANTS),
            *(Place(None, tenant, Scope.organization()) for tenant in TENANTS),
        ]
        self.touched: set[int] = set()
        for user, tenant, permission in ((0, 0, "manage"), (1, 0, "read"), (1, 1, "read"), (2, 1, "manage")):
            self.membership(user, tenant, permission)

    # Who may what

    def membership(self, user: int, tenant: int, permission: Any) -> None:
        if permission is None:
            removed = self.store.members.remove(self.tenants[tenant], self.users[user])
            assert removed == (self.permissions.pop((user, tenant), None) is not None)
        else:
            self.store.members.set(self.tenants[tenant], self.users[user], permission)
            self.permissions[user, tenant] = permission

    def may(self, user: int, place: Place, *, write: bool) -> bool:
        held = "manage" if place.tenant is None else self.permissions.get((user, place.tenant))
        return held == "manage" or (held == "read" and not (write and place.owner is None))

    def memory(self, user: int, place: Place, run: str | None = None, chat: str | None = None) -> Any:
        tenant = None if place.tenant is None else self.tenants[place.tenant]
        return self.store.memory(self.users[user], tenant=tenant, scope=place.scope, run_id=run, chat=chat)

    def enter(self, user: int, where: int, attempt: Callable[[Any], object] | None = None) -> Place | None:
        """The place where something is written, if that user may; else what is attempted is refused."""
        place = self.places[where]
        user = user if place.owner is None else place.owner
        place.facts.memory = self.memory(user, place)
        if self.may(user, place, write=True):
            self.touched.add(where)
            return place
        with pytest.raises(ForbiddenError):
            (attempt or save_something)(place.facts.memory)
        return None

    @rule(user=users, tenant=st.sampled_from(TENANTS), permission=st.sampled_from(PERMISSIONS))
    def comes_or_goes(self, user: int, tenant: int, permission: str | None) -> None:
        self.membership(user, tenant, permission)
        for place in self.places:
            if place.tenant == tenant:
                self.check(place, USERS)

    # Facts and review

    @rule(user=users, where=wheres, content=contents, key=keys, waits=st.booleans(), restore=st.booleans())
    def save(self, user: int, where: int, content: str, key: str | None, waits: bool, restore: bool) -> None:
        if place := self.enter(user, where):
            place.facts.save(content, key, waits, restore)

    @rule(user=users, where=wheres, pick=picks, other=picks, content=contents, verb=st.integers(0, 5))
    def change_a_fact(self, user: int, where: int, pick: int, other: int, content: str, verb: int) -> None:
        place = self.enter(user, where, lambda memory: memory.facts.forget("k1"))
        if place is None:
            return
        facts = place.facts
        in_force, gone = facts.some("confirmed"), facts.some("superseded", "forgotten", "rejected")
        match verb:
            case 0 if in_force:
                facts.supersede(pick, content)
            case 1 if in_force:
                facts.correct(pick, content)
            case 2 if len(in_force) > 1:
                facts.link(pick, other)
            case 3 if facts.rows:
                facts.forget(pick)
            case 4 if gone:
                facts.restore(pick)
            case 5 if facts.rows:
                facts.try_what_makes_no_sense(pick, other)
            case _:
                pass

    @rule(user=users, where=wheres, pick=picks, content=contents, verb=st.integers(0, 2))
    def review(self, user: int, where: int, pick: int, content: str, verb: int) -> None:
        place = self.enter(user, where, lambda memory: memory.review.approve(uuid4()))
        if place is None or not place.facts.some("pending"):
            return
        match verb:
            case 0:
                place.facts.approve(pick)
            case 1:
                place.facts.reject(pick)
            case _:
                place.facts.edit_and_approve(pick, content)

    # Files

    def command(self, user: int, where: int, **command: Any) -> None:
        place = self.enter(user, where, lambda memory: memory.files.write("/memories/a", "never"))
        if place is None:
            return
        before = dict(place.folder.files)
        expected, result = place.folder.run(command), place.facts.memory.files.run(command)
        said = REFUSED if expected == REFUSED and result.text.startswith(REFUSED) else result.text
        assert said == expected, command
        moved = (command["old_path"], command["new_path"]) if command["command"] == "rename" else None
        place.noted(before, moved)

    @rule(user=users, where=wheres, path=paths, view_range=st.none() | st.lists(numbers, min_size=2, max_size=2))
    def view(self, user: int, where: int, path: str, view_range: list[int] | None) -> None:
        self.command(user, where, command="view", path=path, view_range=view_range)

    @rule(user=users, where=wheres, path=paths, text=texts)
    def create(self, user: int, where: int, path: str, text: str) -> None:
        self.command(user, where, command="create", path=path, file_text=text)

    @rule(user=users, where=wheres, pick=picks, old=texts, new=texts)
    def replace(self, user: int, where: int, pick: int, old: str, new: str) -> None:
        path = self.some_file(where, pick)
        self.command(user, where, command="str_replace", path=path, old_str=old, new_str=new)

    @rule(user=users, where=wheres, pick=picks, line=numbers, text=texts)
    def insert(self, user: int, where: int, pick: int, line: int, text: str) -> None:
        path = self.some_file(where, pick)
        self.command(user, where, command="insert", path=path, insert_line=line, insert_text=text)

    @rule(user=users, where=wheres, path=paths)
    def delete(self, user: int, where: int, path: str) -> None:
        self.command(user, where, command="delete", path=path)

    @rule(user=users, where=wheres, old=paths, new=paths)
    def rename(self, user: int, where: int, old: str, new: str) -> None:
        self.command(user, where, command="rename", old_path=old, new_path=new)

    @rule(user=users, where=wheres, pick=picks, text=texts)
    def write(self, user: int, where: int, pick: int, text: str) -> None:
        path = self.some_file(where, pick)
        if place := self.enter(user, where, lambda memory: memory.files.write(path, "never")):
            before = dict(place.folder.files)
            fresh, same = path not in before, before.get(path) == text
            if fresh and (place.folder.is_blocked(path) or path == ROOT):
                with pytest.raises(MemorandaError):
                    place.facts.memory.files.write(path, text)
                return
            place.folder.files[path] = text
            place.noted(before)
            outcome = place.facts.memory.files.write(path, text)
            assert outcome.outcome == ("created" if fresh else "unchanged" if same else "edited")
            assert outcome.version == place.at[path]

    @rule(user=users, where=wheres, pick=picks, version=st.integers(1, 8))
    def restore_a_file(self, user: int, where: int, pick: int, version: int) -> None:
        place = self.enter(user, where, lambda memory: memory.files.restore("/memories/a", 1))
        if place is None or not place.versions:
            return
        path = sorted(place.versions)[pick % len(place.versions)]
        before, files = dict(place.folder.files), place.facts.memory.files
        text = place.versions[path].get(version)
        if text is None or (path not in before and place.folder.is_blocked(path)):
            with pytest.raises(MemorandaError):
                files.restore(path, version)
            return
        place.folder.files[path] = text
        place.noted(before)
        assert files.restore(path, version).version == place.at[path]
        assert {each.version for each in files.history(path)} >= set(place.versions[path])

    def some_file(self, where: int, pick: int) -> str:
        there = sorted(self.places[where].folder.files)
        return there[pick % len(there)] if there else f"{ROOT}/a"

    # Messages

    @rule(
        user=users,
        where=wheres,
        chat=chats,
        messages=st.lists(st.tuples(ids, roles, words), min_size=1, max_size=3),
        again=st.booleans(),
    )
    def add_a_turn(self, user: int, where: int, chat: str, messages: list[tuple[str, str, str]], again: bool) -> None:
        place = self.enter(user, where, lambda memory: memory.turns.add([NewMessage("user", "never")]))
        if place is None:
            return
        self.runs += 1
        run = f"run {self.runs % 2}"
        user = user if place.owner is None else place.owner
        turns = self.memory(user, place, run, chat).turns
        new: list[Any] = [NewMessage(role, text, id_) for id_, role, text in messages]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        became = place.chats.add(chat, messages, f"{run} of {user}")
        key = f"turn {self.runs}"
        assert [each.outcome for each in turns.add(new, idempotency_key=key).messages] == became
        if again:
            assert turns.add(new, idempotency_key=key).replayed

    @rule(user=users, where=wheres, chat=chats, id_=ids, text=words)
    def edit_a_message(self, user: int, where: int, chat: str, id_: str, text: str) -> None:
        if place := self.enter(user, where, lambda memory: memory.messages.edit(id_, text, chat=chat)):
            expected = place.chats.edit(chat, id_, text)
            if expected is None:
                with pytest.raises(NotFoundError):
                    place.facts.memory.messages.edit(id_, text, chat=chat)
            else:
                assert place.facts.memory.messages.edit(id_, text, chat=chat).outcome == expected

    @rule(user=users, where=wheres, chat=chats, id_=st.none() | ids)
    def delete_messages(self, user: int, where: int, chat: str, id_: str | None) -> None:
        if place := self.enter(user, where, lambda memory: memory.messages.delete(id_, chat=chat)):
            outcome = place.facts.memory.messages.delete(id_, chat=chat)
            assert outcome.outcome == place.chats.delete(chat, id_)

    @rule(user=users, where=wheres, run=st.integers(0, 1))
    def undo(self, user: int, where: int, run: int) -> None:
        if place := self.enter(user, where, lambda memory: memory.undo(run_id="run 0")):
            undone = place.facts.memory.undo(run_id=f"run {run}")
            assert (undone.restored, undone.removed, undone.kept) == ((), (), ())
            assert undone.withdrawn == sum(place.chats.undo(f"run {run} of {each}") for each in USERS)

    # All of a place

    @precondition(lambda self: self.runs % 5 == 4)
    @rule(user=users, where=wheres)
    def erase(self, user: int, where: int) -> None:
        if place := self.enter(user, where, lambda memory: memory.erase()):
            place.facts.memory.erase()
            memory = place.facts.memory
            place.erase()
            place.facts.memory = memory

    # What must hold after every step

    @invariant()
    def everybody_sees_what_the_model_says(self) -> None:
        type(self).steps += 1
        for where in self.touched:  # of an organisation's members, each in turn
            self.check(self.places[where], (self.steps % 3,))
        self.touched = set()

    def teardown(self) -> None:
        for place in self.places:
            self.check(place, USERS)

    def check(self, place: Place, lookers: Sequence[int]) -> None:
        for user in lookers if place.owner is None else (place.owner,):
            memory = self.memory(user, place)
            if self.may(user, place, write=False):
                place.facts.memory = memory
                self.check_what_is_there(place, memory)
            else:
                for look in (memory.facts.recall, memory.files.list, memory.messages.list, memory.review.pending):
                    with pytest.raises(ForbiddenError):
                        look()

    def check_what_is_there(self, place: Place, memory: Any) -> None:
        in_force = {i: (row.content, row.key) for i, row in place.facts.rows.items() if row.status == "confirmed"}
        assert {fact.id: (fact.content, fact.key) for fact in memory.facts.recall(200)} == in_force
        waiting = {i for i, row in place.facts.rows.items() if row.status == "pending"}
        assert {each.fact.id for each in memory.review.pending(200)} == waiting
        files, _ = memory.files.smallest(10**6)
        assert {file.path: (file.content, file.version) for file in files} == {
            path: (text, place.at[path]) for path, text in place.folder.files.items()
        }
        for chat in ("c1", "c2"):
            listed = memory.messages.list(chat=chat)
            assert [
                (each.id, each.role, each.text, each.version, each.withdrawn_at is not None) for each in listed
            ] == place.chats.listed(chat)
        word = WORDS[self.runs % 3]
        hits = memory.messages.recall(word, 200)
        found = place.chats.all_found()
        assert {(hit.message.chat, hit.message.id): hit.message.text for hit in hits} == found
        assert {hit.message.text for hit in hits if hit.why.words} == {t for t in found.values() if word in t}
        for hit in hits:
            beside = ([each.id for each in hit.before], [each.id for each in hit.after])
            assert beside == place.chats.beside(hit.message.chat, hit.message.id)
