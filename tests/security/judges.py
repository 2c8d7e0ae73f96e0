"""Other people's tools, run as programs of their own: what each finds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import psycopg

SCHEMAS = "memoranda,memoranda_private"

SQUAWK_OFF = {
    "require-lock-timeout": "how long to wait for a lock is for the login that migrates to say",
    "require-statement-timeout": "the same",
    "prefer-bigint-over-int": "versions, places in a text and counts of one row never get there",
    "prefer-bigint-over-smallint": "the same",
}
"""The rules of squawk that we do not go by, and why."""


def squawk(paths: Iterable[Path]) -> set[tuple[str, str]]:
    """What squawk finds in migrations: file and rule."""
    excluded = [f"--exclude={rule}" for rule in SQUAWK_OFF]
    options = ["--assume-in-transaction", "--pg-version=17", "--reporter=gcc", *excluded]
    said = _run("squawk", *options, *map(str, paths)).stdout
    found = re.findall(r"^(\S+?):\d+:\d+: (?:warning|error): ([\w-]+) ", said, re.MULTILINE)
    return {(Path(path).name, rule) for path, rule in found}


def pgrls_lint(dsn: str) -> set[tuple[str, str]]:
    """What pgrls' linter finds in a database: rule and object."""
    return {(each["rule_id"], _short(each["location"])) for each in _pgrls(dsn, "lint")["violations"]}


def pgrls_verify(dsn: str, mode: str) -> dict[str, str]:
    """What pgrls' prover says of each policy, or function: `isolated`, `leak` or `unverified`."""
    verdicts: dict[str, str] = {}
    for each in _pgrls(dsn, "verify", "--mode", mode)["tables"]:
        name = _short(each["table"])
        verdicts |= {f"{name}.{policy['policy']}": policy["verdict"] for policy in each["policies"]} or {
            name: each["verdict"]
        }
    return verdicts


def leaks(verdicts: dict[str, str]) -> set[str]:
    """What it has found to leak."""
    return {name for name, verdict in verdicts.items() if verdict == "leak"}


def _pgrls(dsn: str, *command: str) -> Any:
    said = _run("pgrls", *command, "--database-url", dsn, "--schemas", SCHEMAS, "--format", "json").stdout
    return json.loads(said[said.index("{") :])


def _short(name: str) -> str:
    return name.removeprefix("memoranda_private.")


def model_identity(conn: psycopg.Connection[Any], open_policies: Collection[tuple[str, str]]) -> None:
    """Rewrite every policy in words that a prover knows, as if anybody could stand where our functions stand.

    It judges what a visitor reads, and our policies are for roles that no visitor becomes: so they are made to hold for
    everybody, but for those that are open, whose roles only a service reaches. And it cannot see into functions:
    `uid()` becomes Supabase's `auth.uid()`, one's tenants become oneself, and the tenants where one has a permission
    become none. That is what these functions return for who is in no organisation; `test_forged_claims.py` and
    `test_tenants.py` see to it.
    """
    conn.execute("set search_path = pg_catalog")
    policies = conn.execute(
        "select relnamespace::regnamespace::text, relname, polname, pg_get_expr(polqual, polrelid), "
        "pg_get_expr(polwithcheck, polrelid) from pg_policy join pg_class c on c.oid = polrelid"
    ).fetchall()
    for schema, table, name, using, check in policies:
        parts = [f"alter policy {name} on {schema}.{table}", "" if (table, name) in open_policies else "to public"]
        for word, expression in (("using", using), ("with check", check)):
            if expression:
                parts.append(f"{word} ({_modelled(expression)})")
        conn.execute(" ".join(parts).encode())


_TENANTS = r"tenant_id = ANY \(\( SELECT memoranda_private\.{} AS \w+\)::uuid\[\]\)"
_MODEL = {
    r"memoranda_private\.uid\(\)": "auth.uid()",
    _TENANTS.format(r"my_tenants\(\)"): "tenant_id = auth.uid()",
    _TENANTS.format(r"(?:tenants_with\('\w+'::text\)|erasing\(\))"): "false",
    r"memoranda_private\.nobody\(\)": "'00000000-0000-0000-0000-000000000000'::uuid",
    # CASE, which it does not know, is the same as two halves that exclude each other; scope is never null.
    r"(?s)^\s*CASE scope\s+WHEN ('\w+'::text) THEN (.*?)\s+ELSE (.*)\s*END\s*$": (
        r"scope = \1 AND \2 OR scope <> \1 AND \3"
    ),
}


def _modelled(expression: str) -> str:
    for pattern, model in _MODEL.items():
        expression = re.sub(pattern, model, expression)
    return expression


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command: Sequence[str | Path] = [Path(sys.executable).parent / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), f"{program} failed: {done.stderr}"  # 1: it found something
    return done
