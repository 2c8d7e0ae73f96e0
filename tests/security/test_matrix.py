"""Everybody, at everything, with every command. `pytest tests/security/test_matrix.py -rP` shows the figures.

With `-m slow` it tries every example of an argument at every place, where otherwise they take turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

import pytest

from . import matrix
from .arguments import NoExampleError
from .bench import Bench
from .catalogue import INNER
from .conftest import Ground
from .world import COMMON, MODEL, VECTOR, Place

Ring = Callable[[Bench], Iterable[matrix.Cell]]


@pytest.fixture
def bench(ground: Ground) -> Iterator[Bench]:
    with ground.superuser() as conn:
        yield Bench(conn, ground.world)


@pytest.mark.parametrize(
    "ring",
    [matrix.callers_at_tables, matrix.inner_roles_at_tables, matrix.callers_at_functions],
    ids=lambda ring: ring.__name__,
)
def test_nobody_meets_or_changes_what_is_anothers(bench: Bench, ring: Ring) -> None:
    cells = list(ring(bench))
    print(f"{ring.__name__}: {matrix.summary(cells)}")
    assert matrix.leaks(cells) == []
    assert {cell.object for cell in cells} == everything(bench, ring), "something was left out"


@pytest.mark.slow
def test_every_example_at_every_place(bench: Bench) -> None:
    cells = list(matrix.callers_at_functions(bench, whole=True))
    print(f"callers_at_functions, all: {matrix.summary(cells)}")
    assert matrix.leaks(cells) == []


def everything(bench: Bench, ring: Ring) -> set[str]:
    found = bench.catalogue
    if ring is matrix.callers_at_functions:
        return {function.signature for function in found.functions}
    if ring is matrix.inner_roles_at_tables:
        return {table.path for table in found.tables}
    return {*(relation.path for relation in found.relations), *INNER}


# The matrix is worth its figures only if there is something to meet, and if it would be noticed.


def test_everybody_meets_their_own(bench: Bench) -> None:
    for place in bench.world.places.values():
        for reader in bench.world.readers(place):
            with bench.acting(reader):
                said = recalled(bench, place) + listed(bench, place) + heard(bench, place)
            assert {place.ids[0], place.ids[2], *place.file_ids[:2], *place.message_ids[:2]} <= set(
                bench.world.marks(said)
            ), f"{reader.name} at {place.name}"


def recalled(bench: Bench, place: Place) -> str:
    return bench.attempt("select memoranda.facts_recall(%s)", [json.dumps(place.argument)]).said


def listed(bench: Bench, place: Place) -> str:
    targets = [{"path": place.canary("file")}, {"path": COMMON}]
    values = [[json.dumps(place.argument), json.dumps(target)] for target in targets]
    return "".join(bench.attempt("select memoranda.files_view(%s, %s)", each).said for each in values)


def heard(bench: Bench, place: Place) -> str:
    asked = {"text": COMMON, "vector": VECTOR, "model": MODEL, "limit": 9}
    values = [json.dumps(place.argument), json.dumps(asked)]
    return bench.attempt("select memoranda.messages_recall(%s, %s)", values).said


def test_row_level_security_shows_exactly_the_rows_that_are_ones_own(bench: Bench) -> None:
    for caller in (each for each in bench.world.callers.values() if each.role != "anon"):
        for table in ("facts", "files", "revisions", "runs", "idempotency_keys", "tenants", "tombstones", "messages"):
            own = [row for name, row in bench.before if name == table and caller.may_read(row)]
            with bench.acting(caller, "memoranda_rules"):
                shown = bench.attempt(f"select tenant_id from memoranda_private.{table}").rows
            assert len(shown) == len(own), f"{caller.name} in {table}"


def test_a_function_that_nobody_knows_how_to_try_fails_the_matrix(bench: Bench) -> None:
    bench.conn.execute("create function memoranda.novel(novelty jsonb) returns int language sql as 'select 1'")
    with pytest.raises(NoExampleError, match="novelty"):
        list(matrix.callers_at_functions(Bench(bench.conn, bench.world), only={"novel"}))


def test_a_forged_setting_lends_nobody_an_organisation(bench: Bench) -> None:
    """The service lends the erasing ring one organisation by a setting; a caller's own setting opens no door."""
    for place in (each for each in bench.world.places.values() if each.scope == "organization"):
        bench.conn.execute("select set_config('memoranda.lent', %s, true)", [place.tenant_id])
        cells = list(matrix.callers_at_functions(bench, only={"erase", "facts_recall", "files_view"}))
        assert matrix.leaks(cells) == []
        assert any(cell.outcome == "bound" for cell in cells)
