"""Whether the server is fit: versions, extensions, text, and the clock."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoranda.doctor.database import rows
from memoranda.doctor.findings import Finding, error, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoranda.doctor.database import Connection

OLDEST = {"vector": (0, 8), "pg_trgm": (1, 6)}
"""The oldest versions of the extensions that we work with."""

SKEW = 5.0
"""Seconds by which clocks may differ."""


async def postgres(conn: Connection) -> list[Finding]:
    """The server is Postgres 17 or newer."""
    (server,) = await rows(conn, "server")
    if server.number < 170000:
        return [error(f"Postgres {server.version} is too old.", "Upgrade the server to Postgres 17 or newer.")]
    if server.number >= 190000:
        return [note(f"Postgres {server.version} is newer than those that this release was tested with.")]
    return [ok(f"Postgres {server.version}.")]


async def extensions(conn: Connection) -> list[Finding]:
    """The extensions are there, new enough, and where nobody may put look-alikes."""
    found: list[Finding] = []
    for extension in await rows(conn, "extensions"):
        name, home = extension.name, extension.home
        if extension.version is None:
            what = "Install pgvector on the server, then: " if name == "vector" and not extension.available else ""
            found.append(error(f"The extension {name} is missing.", f"{what}create extension {name};"))
            continue
        if _parts(extension.version) < OLDEST[name]:
            needed = ".".join(map(str, OLDEST[name]))
            found.append(
                error(f"{name} {extension.version} is older than {needed}.", f"alter extension {name} update;")
            )
        elif extension.available and _parts(extension.available) > _parts(extension.version):
            found.append(
                note(
                    f"{name} is {extension.version}; the server has {extension.available}.",
                    f"alter extension {name} update;",
                )
            )
        else:
            found.append(ok(f"{name} {extension.version}, in the schema {home}."))
        if extension.open:
            found.append(
                error(
                    f"API users may create objects in the schema {home}, where {name} is: a look-alike could take its "
                    "place.",
                    f"revoke create on schema {home} from public, anon, authenticated;",
                )
            )
    return found


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


async def text(conn: Connection) -> list[Finding]:
    """The database keeps text of every language, and takes words of every script apart."""
    (server,) = await rows(conn, "server")
    if server.encoding != "UTF8":
        return [error(f"The database's encoding is {server.encoding}.", "Make a database with encoding 'UTF8'.")]
    trigrams = next((each for each in await rows(conn, "extensions") if each.name == "pg_trgm" and each.home), None)
    if trigrams is None:
        return [note("Without pg_trgm it is not known how words are taken apart.")]
    sees = server.character_type not in ("C", "POSIX")  # what pg_trgm goes by
    if trigrams.usable:
        from psycopg import sql

        asked = sql.SQL("select cardinality({}.show_trgm('é')) > 0").format(sql.Identifier(trigrams.home))
        row = await (await conn.execute(asked, prepare=False)).fetchone()
        sees = row is not None and bool(row[0])
    if not sees:
        return [
            error(
                f"With the character type {server.character_type} pg_trgm sees no letters but those of ASCII: "
                "show_trgm('é') is empty, so that near duplicates in most languages are not recognised.",
                "Make a database with a UTF-8 character type and move there: create database NAME template template0 "
                "locale_provider builtin locale 'C.UTF-8';",
            )
        ]
    return [ok(f"UTF8, with the character type {server.character_type}: show_trgm('é') is not empty.")]


async def clock(conn: Connection, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[Finding]:
    """This machine's clock and the database's agree: whether a token, or a fact, is still valid depends on it.

    Args:
        conn: A connection.
        now: This machine's clock.
    """
    before, began = now(), time.monotonic()
    (server,) = await rows(conn, "server")
    took = time.monotonic() - began
    skew = (server.now - before).total_seconds() - took / 2
    if abs(skew) > SKEW + took / 2:
        which = "behind" if skew > 0 else "ahead of"
        return [
            warning(
                f"This machine's clock is {abs(skew):,.0f} seconds {which} the database's.",
                "Set both by NTP. Memory goes by the database's clock, and tokens by that of whoever issues them.",
            )
        ]
    return [ok("This machine's clock and the database's agree.")]


CHECKS = (postgres, extensions, text, clock)
