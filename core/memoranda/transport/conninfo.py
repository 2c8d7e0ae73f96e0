"""DSNs: what is in one, with nothing of a malformed one ever repeated."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memoranda.errors import InputError


def parameters(dsn: str) -> dict[str, str]:
    """The parts of a DSN.

    Args:
        dsn: A URL, or keywords with values.

    Returns:
        Its parameters, as libpq names them.

    Raises:
        InputError: It is none. Nothing of it is repeated, in a cause neither, since part of it may be the password.
    """
    if dsn.startswith(("https://", "http://")):
        raise InputError(
            "That is the URL of an API, and this needs a connection to the database.",
            hint="Take the database's own URL (in Supabase's dashboard: Connect), or memoranda.supabase(url, key).",
        )
    try:
        found = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    except psycopg.Error:
        found = {"host": "@"}
    if "@" in found.get("host", ""):
        # With an unescaped @ in the password, the rest of the password would pass for the host, and be shown.
        raise InputError(
            "That is not a DSN.",
            hint="Write postgresql://login:password@host:5432/database, with %40 for @, %3A for : and %2F for / "
            "inside the password.",
        )
    return found
