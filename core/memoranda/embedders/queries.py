"""What the local embedder takes out of a question before its vector is compared with those of stored texts.

The model puts texts of one kind near each other: a question is nearer to any other question than to the statement that
answers it. So what it says of a text for being a question is measured once, on sentences that say nothing else, and
taken out of each query. Names are lessened too: they are found by their letters, by the search for words, and in the
vector they drown what is asked about them.

Both were measured with this model alone, on LoCoMo, BEAM and XQuAD, where the constants were chosen too; see
`docs/search.md`. Stored texts are embedded as they are.
"""

from __future__ import annotations

import re
import unicodedata

SHIFT = 1.5
"""How much of the difference between questions and statements is taken out; 1.1 and 1.9 are nearly as good."""

# The sentences are about nothing, and none is from a data set. Half of them, chosen at random, do about as well, and so
# do their like in other languages. The statements have no full stop, lest it be taken for part of the difference: with
# full stops the vectors alone find .589 of LoCoMo's evidence among the first ten, without .608.

QUESTIONS = (
    "What is it?",
    "What did they do?",
    "What does she like?",
    "What kind of thing is that?",
    "What are the names?",
    "What happened then?",
    "What was the reason?",
    "When did it happen?",
    "When will they meet?",
    "When did he go there?",
    "What year was that?",
    "Where is it?",
    "Where did they go?",
    "Where does he live?",
    "Who is that?",
    "Who did it?",
    "Who helped her?",
    "Why did he do it?",
    "Why is it important?",
    "How did it go?",
    "How many are there?",
    "How long did it take?",
    "How often does it happen?",
    "How much was it?",
    "How old is she?",
    "How do I do that?",
    "Which one is it?",
    "Which of them did she choose?",
    "Did they do it?",
    "Is it true?",
    "Was it done?",
    "Has he been there?",
    "Have I done this before?",
    "Can you tell me about it?",
    "Can you summarise what happened?",
    "Could you list them in order?",
    "Do I need this?",
    "Would she want it?",
    "Would he be interested in that?",
    "What should I do next?",
    "What would be an example?",
    "What do they have in common?",
    "How has it changed?",
    "What is the name of it?",
    "In what way is it used?",
    "How does one feel about it?",
)
"""Questions about nothing."""

STATEMENTS = (
    "It is here",
    "They did it",
    "She likes it",
    "That is the thing",
    "Those are the names",
    "It happened then",
    "It happened yesterday",
    "They will meet tomorrow",
    "He went there",
    "That was last year",
    "They went there together",
    "He lives there",
    "That is her friend",
    "He did it himself",
    "She got help",
    "He did it because he wanted to",
    "It is important",
    "It went well",
    "There are three of them",
    "It took a week",
    "It happens often",
    "It cost a lot",
    "She is young",
    "You can do it like this",
    "It is this one",
    "She chose the first",
    "I have done this before",
    "I need this",
    "She wants it",
    "He is interested in that",
    "It has changed",
    "It is used every day",
    "I feel good about it",
    "Thanks, that sounds great",
    "Wow, that is amazing",
    "I am working on it now",
)
"""What people say about as little."""

# In German every noun has a capital, in a title every word: where more of the longer words have one than this share,
# capitals don't mean names.
_MOST_CAPITALS = 0.45
_LONGER = 3

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# Of a word with a hyphen, each part. "I" is no name. Latin only: without their names, Russian questions find less.
_CAPITALISED = re.compile(r"\b(?!I\b)[A-ZÀ-ÖØ-ÞĀ-ɏ]\w*(?:['’]s\b)?")
_STARTS_SENTENCE = re.compile(r"[.!?]\s+\Z|\n\W*\Z")
_LOOK_BACK = 8  # characters: so many spaces are not expected
_SPACES = re.compile(r"\s+")


def without_names(text: str) -> str:
    """A query without the names in it.

    A name is a word with a capital that starts neither a sentence nor a line, together with its 's.

    Args:
        text: A query.

    Returns:
        What is left, never blank for a text that isn't; the very text if it has no names, or so many capitals that
        they don't mean names.
    """
    composed = unicodedata.normalize("NFC", text)  # a letter and its accent are one character
    words = _WORD.findall(composed)[1:]
    words = [word for word in words if len(word) > _LONGER] or words
    if sum(word[0].isupper() for word in words) > _MOST_CAPITALS * len(words):
        return text
    first = _WORD.search(composed)
    begin = first.end() if first else 0
    rest = _CAPITALISED.sub(lambda found: "" if _is_name(found, begin) else found[0], composed)
    return text if rest == composed else _SPACES.sub(" ", rest).strip()


def _is_name(capitalised: re.Match[str], begin: int) -> bool:
    """Whether a word with a capital is a name: not in the text's first word, nor where a sentence or line starts."""
    start = capitalised.start()
    before = capitalised.string[max(0, start - _LOOK_BACK) : start]
    return start >= begin and capitalised[0][0].isupper() and not _STARTS_SENTENCE.search(before)
