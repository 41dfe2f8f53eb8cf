"""Recorded results that hold whatever is moved or rewritten.

`python -m tests.golden.record` records them anew, which is right only where a result is meant to
change. `subject` names what is tested, and `decided_store` fills a database; nothing else here
knows the program.
"""
