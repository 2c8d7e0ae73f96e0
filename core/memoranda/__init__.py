"""Drop-in long-term memory for AI agents, kept in a Postgres that you own."""

from memoranda.context import Context
from memoranda.errors import MemorandaError
from memoranda.facts import Fact, Facts, Outcome, Revision
from memoranda.identity import Identity, Scope, name_id
from memoranda.members import Member, Members
from memoranda.memory import Memory
from memoranda.store import Store, connect, open  # read as memoranda.open

__all__ = [
    "Context",
    "Fact",
    "Facts",
    "Identity",
    "Member",
    "Members",
    "MemorandaError",
    "Memory",
    "Outcome",
    "Revision",
    "Scope",
    "Store",
    "connect",
    "name_id",
    "open",
]
