# Generated from core/memoranda/__init__.py by .ci/make_sync.py: change that file, then run this.
"""`memoranda` without `await`: the same names and signatures, over connections that block."""

from memoranda.accesstokens import TokenSigner
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
from memoranda.sync.extraction import Candidate, Extracted, Extraction, Extractor
from memoranda.sync.facts import Facts
from memoranda.sync.files import Files
from memoranda.sync.members import Member, Members
from memoranda.sync.memory import Memory
from memoranda.sync.messages import Messages
from memoranda.sync.purging import Purged
from memoranda.sync.recalling import Recalled
from memoranda.sync.reembedding import Reembedded
from memoranda.sync.review import Review
from memoranda.sync.store import Store, connect, open, supabase  # read as memoranda.sync.open
from memoranda.sync.transfer import Imported, ImportedRow
from memoranda.sync.turns import Turns
from memoranda.sync.working import Dead, QueueStatus, Worked
from memoranda.undoing import Undone

__all__ = [
    "AuditEntry",
    "Beyond",
    "Candidate",
    "Context",
    "Dead",
    "Document",
    "DocumentInfo",
    "Documents",
    "Embedded",
    "Embedder",
    "Entry",
    "Extracted",
    "Extraction",
    "Extractor",
    "Fact",
    "Facts",
    "File",
    "FileOutcome",
    "FileRevision",
    "Files",
    "Hit",
    "Identity",
    "Imported",
    "ImportedRow",
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
    "QueueStatus",
    "RecallWhy",
    "Recalled",
    "Receipt",
    "Reembedded",
    "Review",
    "Revision",
    "Scope",
    "Store",
    "TokenSigner",
    "Turn",
    "TurnOutcome",
    "Turns",
    "Undone",
    "Verified",
    "Waiting",
    "Why",
    "Worked",
    "connect",
    "name_id",
    "open",
    "supabase",
]
