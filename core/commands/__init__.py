"""Commands of `python -m core`, a module of the same name for each, with its `app`.

Reading order: `options` (how one is declared), `vocabulary`, `search`, `suggest`, `bundle`; then what
looks after an installation: `person` (who works here), `backup`,
`restore` (the way back from it), `migrate` (to another
database), `doctor` (whether all is in order).
"""
