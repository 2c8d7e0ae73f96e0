"""The command line, `memoranda`. Nothing is imported before it runs, and a command imports only what it needs."""

from __future__ import annotations

import sys

EXTRA = ("typer", "rich")
"""The packages of the extra `cli`."""


def main() -> None:
    """Run the command that the process's arguments name, and leave with its exit code."""
    try:
        from memoranda.cli.app import run

        code = run()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        sys.stderr.write("The command line is not installed. Install it with: pip install 'memoranda[cli]'\n")
        code = 1
    sys.exit(code)
