"""A database's schema as text that can be compared: what pg_dump says, less what differs from run to run."""

from __future__ import annotations

import re
import subprocess

from memoranda.transport.binaries import find_binaries

_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)?$", re.MULTILINE)


def schema_dump(dsn: str) -> str:
    """Both schemas of a database, their roles and grants included.

    Args:
        dsn: A superuser's way to the database.

    Returns:
        SQL, one blank line between statements.
    """
    program = str(find_binaries().program("pg_dump"))
    schemas = ["-n", "memoranda", "-n", "memoranda_private"]
    command = [program, "--schema-only", *schemas, dsn]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dumped)).strip() + "\n"
