"""The six commands against a plain Python model of a folder: thousands of steps at random, and no difference."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

import memoranda
from support.databases import Database
from support.folder_model import REFUSED, Folder, numbers, paths, texts


class Commands(RuleBasedStateMachine):
    """One user a run, in one database."""

    store: ClassVar[memoranda.Store]
    loop: ClassVar[asyncio.Runner]
    steps: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.model = Folder()
        self.files = self.store.memory(uuid4()).files

    def same(self, **command: Any) -> None:
        Commands.steps += 1
        expected, result = self.model.run(command), self.loop.run(self.files.run(command))
        said = REFUSED if expected == REFUSED and result.text.startswith(REFUSED) else result.text
        assert said == expected, command
        assert result.is_error == expected.startswith(("Error: ", "The path ", "No replacement ")), command
        if command["command"] != "view" and not result.is_error:
            self.the_same_files_are_there()

    @rule(path=paths, view_range=st.none() | st.lists(numbers, min_size=2, max_size=2))
    def view(self, path: str, view_range: list[int] | None) -> None:
        self.same(command="view", path=path, view_range=view_range)

    @rule(path=paths, text=texts)
    def create(self, path: str, text: str) -> None:
        self.same(command="create", path=path, file_text=text)

    @rule(path=paths, old=texts, new=texts)
    def replace(self, path: str, old: str, new: str) -> None:
        self.same(command="str_replace", path=path, old_str=old, new_str=new)

    @rule(data=st.data(), new=texts)
    def replace_a_piece_of_what_is_there(self, data: st.DataObject, new: str) -> None:
        if self.model.files:
            path = data.draw(st.sampled_from(sorted(self.model.files)))
            start = data.draw(st.integers(0, len(self.model.files[path])))
            old = self.model.files[path][start : start + data.draw(st.integers(1, 4))]
            self.same(command="str_replace", path=path, old_str=old, new_str=new)

    @rule(path=paths, line=numbers, text=texts)
    def insert(self, path: str, line: int, text: str) -> None:
        self.same(command="insert", path=path, insert_line=line, insert_text=text)

    @rule(data=st.data(), line=numbers, text=texts)
    def insert_into_what_is_there(self, data: st.DataObject, line: int, text: str) -> None:
        if self.model.files:
            path = data.draw(st.sampled_from(sorted(self.model.files)))
            self.same(command="insert", path=path, insert_line=line, insert_text=text)

    @rule(path=paths)
    def delete(self, path: str) -> None:
        self.same(command="delete", path=path)

    @rule(old=paths, new=paths)
    def rename(self, old: str, new: str) -> None:
        self.same(command="rename", old_path=old, new_path=new)

    @rule(data=st.data(), new=paths)
    def rename_what_is_there(self, data: st.DataObject, new: str) -> None:
        if self.model.files:
            old = data.draw(st.sampled_from(sorted(self.model.files)))
            self.same(command="rename", old_path=old, new_path=new)

    def teardown(self) -> None:
        self.the_same_files_are_there()

    def the_same_files_are_there(self) -> None:
        found, _ = self.loop.run(self.files.smallest(10**6))
        assert {file.path: file.content for file in found} == self.model.files


@pytest.fixture
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_the_commands_do_what_a_plain_folder_would(database: Database, loop: asyncio.Runner) -> None:
    store = memoranda.connect(database.dsn(), max_connections=1)
    loop.run(store.open())
    Commands.store, Commands.loop, Commands.steps = store, loop, 0
    try:
        run_state_machine_as_test(  # pyright: ignore[reportUnknownMemberType]
            Commands,
            settings=settings(
                max_examples=100,
                stateful_step_count=60,
                deadline=None,
                derandomize=True,
                database=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
            ),
        )
    finally:
        loop.run(store.close())
    print(f"{Commands.steps} steps")
    assert Commands.steps >= 3000
