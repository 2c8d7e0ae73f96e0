"""Other people's judges: squawk of the migrations, and pgrls of the policies, its linter and its prover.

Each finds nothing in ours but what is listed here, and each is shown a bad one, which it has to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database

from .catalogue import INNER, read
from .judges import leaks, model_identity, pgrls_lint, pgrls_verify, squawk
from .rules import OPEN_POLICIES

SQL = Path(__file__).parents[2] / "sql"

EARLY = ("0017_files.sql", "0022_erase.sql", "0024_purge.sql")
SQUAWK_KEPT = {
    ("0005_text.sql", "syntax-error"): "squawk's grammar has no `substring(text collate c from pattern)`",
    ("0042_guard_constants.sql", "renaming-object"): "inner functions, which get their names back in that transaction",
    ("0049_cheaper_saves.sql", "ban-drop-constraint"): "in the same statement another one comes, which says the same",
    **{(name, "require-concurrent-index-creation"): "before the first release: no table had a row" for name in EARLY},
}

BAD_MIGRATION = """
alter table memoranda_private.facts add column shade text not null;
alter table memoranda_private.facts alter column quote set not null;
alter table memoranda_private.facts alter column importance type bigint;
alter table memoranda_private.facts rename column key to name;
alter table memoranda_private.facts drop column tags;
alter table memoranda_private.facts add constraint weighty check (importance > 0);
create index facts_by_shade on memoranda_private.facts (shade);
drop table memoranda_private.tombstones;
"""
BAD_RULES = {
    *("adding-required-field", "adding-not-nullable-field", "changing-column-type", "renaming-column"),
    *("ban-drop-column", "constraint-missing-not-valid", "require-concurrent-index-creation", "ban-drop-table"),
}

LINT_KEPT = {
    "SEC007": "a policy is permissive, one for a command and a role; there is no second to be held in check",
    "PERF003": "an index leads with the whole scope, not with each of its columns",
}
"""Rules of pgrls that we do not go by, and why."""

SEEN_BY_NOBODY = {
    "settings.read": "what holds for all tenants stands under nobody's id, and is no secret",
    "revisions.unnamed": "a log entry whose writer was erased; the role that erases is granted its keys, and no text",
}
"""Policies that let rows be read without an identity, and why. A call without one is refused before it gets there."""

BAD_SCHEMA = """
create table memoranda_private.bare (tenant_id uuid primary key, note text);

create table memoranda_private.lonely (tenant_id uuid primary key, note text);
alter table memoranda_private.lonely enable row level security, force row level security;

create table memoranda_private.gate (tenant_id uuid primary key, owner_id uuid not null, note text);
alter table memoranda_private.gate enable row level security;
create policy either on memoranda_private.gate using (auth.uid() is null or owner_id = auth.uid());

create table memoranda_private.leaky (tenant_id uuid primary key, owner_id uuid not null, shared boolean, note text);
alter table memoranda_private.leaky enable row level security, force row level security;
create policy either on memoranda_private.leaky using (owner_id = (select auth.uid()) or shared) with check (true);

create view memoranda_private.window as select * from memoranda_private.leaky;
grant select on memoranda_private.leaky, memoranda_private.window to authenticated;

create function memoranda.peek() returns setof memoranda_private.leaky language sql security definer
as 'select * from memoranda_private.leaky';
"""
BAD_FINDINGS = {
    *(("SEC001", "bare"), ("SEC009", "lonely"), ("SEC002", "gate")),
    *(("SEC004", "gate.either"), ("SEC038", "gate.either"), ("PERF001", "gate.either")),
    *(("SEC003", "leaky.either"), ("SEC020", "leaky.either")),
    *(("VIEW001", "window"), ("SEC014", "memoranda.peek"), ("SEC015", "memoranda.peek"), ("SEC042", "memoranda.peek")),
}


@pytest.fixture(scope="module")
def sound(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


@pytest.fixture(scope="module")
def broken(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    with made.admin() as conn:
        conn.execute(schema.read("supabase_shim.sql").encode())  # for auth.uid()
        conn.execute(BAD_SCHEMA)
    yield made
    drop_database(made)


@pytest.fixture(scope="module")
def linted(sound: Database) -> set[tuple[str, str]]:
    return pgrls_lint(sound.dsn("postgres"))


# squawk


def test_squawk_has_nothing_against_the_migrations() -> None:
    files = [path for path in SQL.rglob("*.sql") if path.name != "schema.sql"]
    assert len(files) > 40
    found = squawk(files)
    print(f"squawk: {len(files)} files, {len(found)} findings, all listed")
    assert found == set(SQUAWK_KEPT)


def test_squawk_has_something_against_a_bad_one(tmp_path: Path) -> None:
    bad = tmp_path / "0099_bad.sql"
    bad.write_text(BAD_MIGRATION)
    found = {rule for _, rule in squawk([bad])}
    print(f"squawk, of a bad migration: {', '.join(sorted(found))}")
    assert found == BAD_RULES


# pgrls


def test_pgrls_finds_what_is_listed_and_nothing_else(sound: Database, linted: set[tuple[str, str]]) -> None:
    found: dict[str, set[str]] = {}
    for rule, where in linted:
        found.setdefault(rule, set()).add(where)
    with sound.admin() as conn:
        catalogue = read(conn)
    open_policies = {f"{table}.{policy}" for table, policy in OPEN_POLICIES}
    bound = {function.name for function in catalogue.functions if function.definer and function.owner in INNER}
    assert {rule: where for rule, where in found.items() if rule not in LINT_KEPT} == {
        # Policies without a condition: for inner roles that work across owners, on keys and times; `rules.py` says why.
        "SEC005": open_policies,
        "SEC008": open_policies,
        "SEC028": found["SEC028"] & open_policies,
        "SEC038": found["SEC038"] & open_policies,
        # Functions with their owner's rights: behind the doors, and each owner is bound (`test_advisor.py` proves it).
        "SEC014": bound,
        # Triggers run with the rights of whoever sets them off, or of an owner that is bound.
        "SEC013": {f"{trigger.table}.{trigger.name}" for trigger in catalogue.triggers if "RI_" not in trigger.name},
        # What Supabase has: roles of theirs, to which no table of ours is granted.
        "SEC016": {"service_role"},
        # (A stand-in for its API, of another test's on the same server, is another.)
        "SEC029": {"authenticator", *(found["SEC029"] & {"stand_in"})},
    }


def test_pgrls_finds_what_is_bad(linted: set[tuple[str, str]], broken: Database) -> None:
    found = pgrls_lint(broken.dsn("postgres")) - linted
    print(f"pgrls lint, of a bad schema: {', '.join(sorted(f'{rule} {where}' for rule, where in found))}")
    assert found >= BAD_FINDINGS


def test_pgrls_proves_that_nobody_reads_anything(direct_server: EmbeddedServer, template: str) -> None:
    modelled = create_database(direct_server, template)
    try:
        with modelled.admin() as conn:
            conn.execute(schema.read("supabase_shim.sql").encode())
            model_identity(conn, OPEN_POLICIES)
            left = conn.execute(
                "select polname from pg_policy where pg_get_expr(polqual, polrelid) ~ 'memoranda_private|CASE'"
            ).fetchall()
        assert left == [], "the prover would not understand these"
        verdicts = pgrls_verify(modelled.dsn("postgres"), "anon")
        proved = list(verdicts.values()).count("isolated")
        print(f"pgrls verify: of {len(verdicts)} policies that let read, {proved} proved closed to nobody")
        assert proved > 50
        assert {name for name, verdict in verdicts.items() if verdict != "isolated"} == set(SEEN_BY_NOBODY)

        with modelled.admin() as conn:
            conn.execute(
                "alter policy read on memoranda_private.facts using (auth.uid() is null or owner_id = auth.uid())"
            )
        assert leaks(pgrls_verify(modelled.dsn("postgres"), "anon")) == {*SEEN_BY_NOBODY, "facts.read"}
    finally:
        drop_database(modelled)


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("anon", {"gate.either", "leaky.either"}),
        ("cross-tenant", {"leaky.either"}),
        ("write", {"leaky.either"}),
        ("escalation", {"memoranda.peek.memoranda_private.leaky"}),
    ],
)
def test_pgrls_finds_the_leaks_of_a_bad_schema_and_none_in_ours(broken: Database, mode: str, found: set[str]) -> None:
    verdicts = pgrls_verify(broken.dsn("postgres"), mode)
    print(f"pgrls verify --mode {mode}: {', '.join(sorted(leaks(verdicts)))} of {len(verdicts)}")
    assert leaks(verdicts) == found
