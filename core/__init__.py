"""Vocabularies, documents, models, suggestions, decisions, exports and metrics, without pages.

Reading order: `errors`, `settings`, `boundaries` (from other libraries' errors to ours), `home`,
`logs`; `vocabulary`, `documents`, `model` and `metrics`; `suggest` (from a document to
suggestions), with `utilization` and `insights` (what is measured of models), `agreement` (what is
measured of people); `review` (decisions in a database), `clinical` (code systems and the rules of
coders) and `export`; `serving` (the application) with `api` (its routes); `commands`.
"""

from core.clinical import systems
from core.vocabulary.conventions import register

__version__ = "1.0.0"
"""Stated here alone; tests/project/test_version.py names the files that repeat it."""

register(systems)  # vocabularies import nothing of code systems
