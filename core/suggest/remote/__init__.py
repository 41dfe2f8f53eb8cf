"""Models that compute in a process of their own, so that they never hold up the server's threads.

Python runs one thread of a process at a time: beside an explanation, which takes seconds, every
decision would wait. In reading order: `process` (starts the process and exchanges messages with
it), `suggester` (a model there, as a suggester here) and `worker` (what runs in the process).
"""
