"""How well a search finds what it should: public data sets, measures, and the loop between them.

Nothing here knows a database. The data sets are not part of the library; whoever measures brings the files.
"""
