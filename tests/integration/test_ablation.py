"""Each part that the table of docs/search.md leaves out is there to be left out: the functions say what it changes."""

from __future__ import annotations

from evals.ablation import VARIANTS, change
from support.databases import Database


def test_every_variant_of_the_recipe_can_be_made(database: Database) -> None:
    with database.admin() as conn:
        for variant in VARIANTS:
            for before in change(conn, variant.changes):
                conn.execute(before)
