"""A bundle with the names of its whole vocabulary, of which it has seen only some codes."""

from __future__ import annotations

import sys
from pathlib import Path

from core.errors import VocabularyError
from core.settings import Settings
from core.suggest.names.suggester import with_names
from core.suggest.service import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.readers import BUILT_IN
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions


def named(model: Suggester, home: Path) -> Suggester:
    """The model as it is, or with names where its vocabulary is one of codes.

    The vocabulary is the one that was imported last; a built-in one is kept in the home folder the
    first time, which takes a minute. Where there is neither, the model stays alone.
    """
    if not conventions_of(model.vocabulary_id).lexical:
        return model
    try:
        hierarchy = whole_vocabulary(model.vocabulary_id, home)
    except VocabularyError as error:
        sys.stderr.write(f"Names of codes are not looked for. {error}\n")
        return model
    return with_names(model, hierarchy, home)


def whole_vocabulary(vocabulary_id: str, home: Path) -> Hierarchy:
    """All codes of a system.

    Raises:
        VocabularyError: it was not imported and is not built in, or cannot be read or kept.
    """
    versions = VocabularyVersions(home)
    kept = [one for one in versions.entries() if one.vocabulary_id == vocabulary_id]
    if kept:
        return versions.load(kept[-1].key)
    if vocabulary_id not in BUILT_IN:
        raise VocabularyError(
            f"{vocabulary_id} is not imported: python -m core vocabulary FILE --import."
        )
    return versions.load(keep_built_in(versions, vocabulary_id).key)


def load_named(bundle_dir: Path) -> Suggester:
    """The predictor of a bundle, with names; torch is imported only here."""
    from core.suggest.predictor import Predictor

    return named(Predictor.load(bundle_dir), Settings.from_env().home)
