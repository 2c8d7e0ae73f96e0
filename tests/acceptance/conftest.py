"""The command line as a person meets it: other processes, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acceptance.person import Person
from support.servers import reachable_folder


@pytest.fixture
def person() -> Iterator[Person]:
    """Somebody at a prompt in an empty folder."""
    with reachable_folder() as folder:
        yield Person(folder)
