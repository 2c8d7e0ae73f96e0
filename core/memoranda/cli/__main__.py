"""`python -m memoranda.cli`: the same as `memoranda`."""

from memoranda.cli import main

main()
