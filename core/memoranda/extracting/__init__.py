"""The parts of extraction that need no database: what is shown to a model, what is read from its answer, what is sound.

:mod:`memoranda.extraction` puts them together. The order is that of a turn: :mod:`.said` cleans what was said,
:mod:`.prompt` asks a model, :mod:`.answers` reads what it returned, :mod:`.dates` settles times, and :mod:`.grounding`
holds each candidate against the user's own words.
"""
