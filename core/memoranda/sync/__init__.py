# Generated from core/memoranda/__init__.py by .ci/make_sync.py: change that file, then run this.
"""`memoranda` without `await`: the same names and signatures, over connections that block."""

from memoranda.context import Context
from memoranda.errors import MemorandaError
from memoranda.facttypes import Embedded, Fact, Hit, NewFact, Outcome, Revision, Waiting, Why
from memoranda.filetypes import Entry, File, FileOutcome, FileRevision
from memoranda.identity import Identity, Scope, name_id
from memoranda.messageshapes import NewMessage
from memoranda.messagetypes import Message, MessageHit, MessageOutcome, RecallWhy, Turn, TurnOutcome
from memoranda.sync.audit import AuditEntry
from memoranda.sync.documents import Document, DocumentInfo, Documents
from memoranda.sync.embedding import Embedder
from memoranda.sync.erasure import Beyond, Receipt, Verified
from memoranda.sync.facts import Facts
from memoranda.sync.files import Files
from memoranda.sync.members import Member, Members
from memoranda.sync.memory import Memory, Undone
from memoranda.sync.messages import Messages
from memoranda.sync.purging import Purged
from memoranda.sync.recalling import RECALL_TOOL, Recalled
from memoranda.sync.review import Review
from memoranda.sync.store import Store, connect, open  # read as memoranda.sync.open
from memoranda.sync.turns import Turns

__all__ = [
    "RECALL_TOOL",
    "AuditEntry",
    "Beyond",
    "Context",
    "Document",
    "DocumentInfo",
    "Documents",
    "Embedded",
    "Embedder",
    "Entry",
    "Fact",
    "Facts",
    "File",
    "FileOutcome",
    "FileRevision",
    "Files",
    "Hit",
    "Identity",
    "Member",
    "Members",
    "MemorandaError",
    "Memory",
    "Message",
    "MessageHit",
    "MessageOutcome",
    "Messages",
    "NewFact",
    "NewMessage",
    "Outcome",
    "Purged",
    "RecallWhy",
    "Recalled",
    "Receipt",
    "Review",
    "Revision",
    "Scope",
    "Store",
    "Turn",
    "TurnOutcome",
    "Turns",
    "Undone",
    "Verified",
    "Waiting",
    "Why",
    "connect",
    "name_id",
    "open",
]
