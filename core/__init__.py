"""Vocabularies, documents, models, suggestions, decisions, exports and metrics, without pages.

Reading order: `version`, `errors`, `paths`, `settings`, `boundaries` (from other libraries' errors
to ours), `home`, `logs`; `vocabulary`, `documents`, `model` and `metrics`; `suggest` (from a document
to suggestions), with `utilization` and `insights` (what is measured of models), `agreement` (what is
measured of people); `review` (decisions in a database), `clinical` (code systems and the rules of
coders) and `export`; `serving` (the application) with `api` (its routes); `commands`.
"""

from core.clinical import systems
from core.suggest import codes
from core.version import __version__
from core.vocabulary.reading import register

__all__ = ["__version__"]

register(systems)  # vocabularies import nothing of code systems
codes.register(systems.codes_of)  # nor do suggesters of what looks for them in notes
