"""An environment of its own for each library, made of pinned requirements, so that no dependency meets another's."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.peers.libraries import Library

REQUIREMENTS = Path(__file__).parent / "requirements"


def python_of(library: Library, folder: Path) -> Path:
    """The interpreter that has a library, made now if it was not made before.

    Args:
        library: The library.
        folder: Where environments are kept, for the next run.
    """
    if library.requirements is None:
        return Path(sys.executable)
    requirements = REQUIREMENTS / library.requirements
    digest = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    place = folder / f"{library.name}-{digest}"
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        print(f"making the environment of {library.name} in {place}", file=sys.stderr, flush=True)
        venv.create(place, clear=True, with_pip=True)
        quietly = ["--quiet", "--disable-pip-version-check"]
        command = [str(python), "-m", "pip", "install", *quietly, "-r", str(requirements)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        (place / "complete").touch()
    return python
