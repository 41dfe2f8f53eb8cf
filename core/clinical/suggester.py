"""What suggests codes for a note: by their names in it, and by a model where there is one."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from core.clinical.names.index import index_file
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.notation import ICD9CM, ICD10CM
from core.clinical.ranking.ranker import ranker_of, shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.errors import VocabularyError
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.keeping import whole_vocabulary

__all__ = ["CodesSuggester", "codes_of"]

_LOG = logging.getLogger(__name__)

WHOLE = 5_000
"""Codes of ICD-9-CM from which on a vocabulary is no part of it, such as a bundle has."""

_MATCHERS: WeakValueDictionary[int, LexicalMatcher] = WeakValueDictionary()


def codes_of(
    model: Suggester | None, hierarchy: Hierarchy, home: Path, *, bundle_dir: Path | None = None
) -> CodesSuggester:
    """Return what ranks the codes that a text names, and those of a model where there is one.

    Args:
        bundle_dir: of the model; without a ranker of its own the program's serves.
    Raises:
        BundleError: the ranker is damaged.
    """
    matcher = _matcher(hierarchy, home)
    alone = shipped("alone")
    is_whole = hierarchy.vocabulary_id == ICD9CM and len(hierarchy) >= WHOLE
    newer = partial(_icd10, home) if is_whole else None
    if model is None:
        return CodesSuggester(matcher, alone, newer=newer)
    return CodesSuggester(matcher, ranker_of(bundle_dir), model, alone, newer)


def _icd10(home: Path) -> CodesSuggester:
    return codes_of(None, whole_vocabulary(ICD10CM, home), home)


def _matcher(hierarchy: Hierarchy, home: Path) -> LexicalMatcher:
    """Return what finds names of a vocabulary; projects with the same one share it."""
    matcher = _MATCHERS.get(id(hierarchy))
    if matcher is None:
        try:
            matcher = LexicalMatcher.open(hierarchy, index_file(hierarchy, home))
        except VocabularyError:
            _LOG.warning("the index of names is not kept", exc_info=True)
            matcher = LexicalMatcher(hierarchy)
        _MATCHERS[id(hierarchy)] = (
            matcher  # which keeps the hierarchy, so that its id stays its own
        )
    return matcher
