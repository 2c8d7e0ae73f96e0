"""Importers: what people have elsewhere, as rows that :meth:`memoranda.Memory.import_` takes.

    from memoranda.importers import markdown, mem0

    await memory.import_(markdown.read("~/.claude/memories"), dry_run=True, report=print)
    await memory.import_(mem0.read(dsn, user_id="alice"))

Each module has one function, `read`, which reads as it is asked for more and changes nothing where it reads. What has
no text, or a time without a zone, comes as a row that is left out, with the reason. `docs/export.md` has what becomes
of what.
"""
