"""Drop-in long-term memory for AI agents, kept in a Postgres that you own."""

from memoranda.accesstokens import TokenSigner
from memoranda.audit import AuditEntry
from memoranda.context import Context
from memoranda.documents import Document, DocumentInfo, Documents
from memoranda.embedding import Embedder
from memoranda.erasure import Beyond, Receipt, Verified
from memoranda.errors import MemorandaError
from memoranda.extraction import Candidate, Extracted, Extraction, Extractor
from memoranda.facts import Facts
from memoranda.facttypes import Embedded, Fact, Hit, NewFact, Outcome, Revision, Waiting, Why
from memoranda.files import Files
from memoranda.filetypes import Entry, File, FileOutcome, FileRevision
from memoranda.identity import Identity, Scope, name_id
from memoranda.members import Member, Members
from memoranda.memory import Memory
from memoranda.messages import Messages
from memoranda.messageshapes import NewMessage
from memoranda.messagetypes import Message, MessageHit, MessageOutcome, RecallWhy, Turn, TurnOutcome
from memoranda.purging import Purged
from memoranda.recalling import Recalled
from memoranda.reembedding import Reembedded
from memoranda.review import Review
from memoranda.store import Store, connect, open, supabase  # read as memoranda.open
from memoranda.transfer import Imported, ImportedRow
from memoranda.turns import Turns
from memoranda.undoing import Undone
from memoranda.working import Dead, QueueStatus, Worked

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
