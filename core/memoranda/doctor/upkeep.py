"""Whether the database is looked after: indexes, vacuum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.doctor.database import expected, rows
from memoranda.doctor.findings import Finding, error, named, ok, warning

if TYPE_CHECKING:
    from memoranda.doctor.database import Connection

DEAD = 10_000
"""Dead rows from which on their share is looked at."""

_AGE = 1_500_000_000
"""Transactions since a table was frozen, at which something hinders vacuum; at 2,147 million writes stop."""


async def indexes(conn: Connection) -> list[Finding]:
    """Every index is there, and fit to be used."""
    every = {index.name: index.valid for index in await rows(conn, "indexes")}
    found: list[Finding] = []
    for name in sorted(name for name, valid in every.items() if not valid):
        remedy = (
            "Run `memoranda index`: it builds it anew."
            if name.startswith("vectors_large_")
            else f"reindex index concurrently memoranda_private.{name};"
        )
        found.append(error(f"The index {name} is not valid: its building was broken off.", remedy))
    if missing := sorted(expected().indexes - set(every)):
        found.append(
            error(
                f"Indexes are missing: {named(missing)}.",
                "Run `memoranda init`; if it has nothing to do, make them as they stand in sql/schema.sql, with create "
                "index concurrently.",
            )
        )
    return found or [ok(f"All {len(every)} are there and valid.")]


async def vacuum(conn: Connection) -> list[Finding]:
    """Tables are vacuumed: search reads covering indexes, which are quick only where that is done."""
    tables = await rows(conn, "vacuum")
    found: list[Finding] = []
    if tables and not tables[0].everywhere:
        found.append(
            error("Autovacuum is off on this server.", "alter system set autovacuum = on; select pg_reload_conf();")
        )
    if off := [table.name for table in tables if table.off]:
        found.append(
            error(
                f"Autovacuum is off for {named(off)}.",
                f"alter table memoranda_private.{off[0]} reset (autovacuum_enabled);",
            )
        )
    if dead := [table.name for table in tables if table.dead > max(DEAD, table.live // 3)]:
        found.append(
            warning(
                f"Many dead rows wait for a vacuum: {named(dead)}.",
                f"vacuum (analyze) memoranda_private.{dead[0]}; if they stay, look for a transaction that never ends "
                "(pg_stat_activity) or a replication slot that nobody reads.",
            )
        )
    if old := [table.name for table in tables if table.age > _AGE]:
        age = max(table.age for table in tables)
        found.append(
            error(
                f"Transaction ids run out: {named(old)} were not frozen for {age:,} transactions.",
                f"vacuum (freeze) memoranda_private.{old[0]};",
            )
        )
    return found or [ok("Autovacuum is on, and nothing waits for it.")]


CHECKS = (indexes, vacuum)
