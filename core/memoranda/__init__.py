"""Drop-in long-term memory for AI agents, kept in a Postgres that you own."""

from memoranda.context import Context
from memoranda.embedding import Embedder
from memoranda.errors import MemorandaError
from memoranda.facts import Fact, Facts, Outcome, Revision
from memoranda.files import Files
from memoranda.filetypes import Entry, File, FileOutcome, FileRevision
from memoranda.identity import Identity, Scope, name_id
from memoranda.members import Member, Members
from memoranda.memory import Memory, Undone
from memoranda.store import Store, connect, open  # read as memoranda.open

__all__ = [
    "Context",
    "Embedder",
    "Entry",
    "Fact",
    "Facts",
    "File",
    "FileOutcome",
    "FileRevision",
    "Files",
    "Identity",
    "Member",
    "Members",
    "MemorandaError",
    "Memory",
    "Outcome",
    "Revision",
    "Scope",
    "Store",
    "Undone",
    "connect",
    "name_id",
    "open",
]
