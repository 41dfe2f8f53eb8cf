"""What suggests for a project: the suggesters of a bundle, names in the text, both, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.boundaries import SENSELESS, named
from core.documents.document import Document
from core.errors import BundleError, ConfigError, StrataError, VocabularyError
from core.model.bundle.manifest import DECISIONS, damaged, identity, read_manifest
from core.processes import without_garbage_collection
from core.suggest.codes import codes_of
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.bundled import FILE, BundledDecisions, bundled_decisions
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.elsewhere.choice import AllowedSuggesters, SuggesterElsewhere
from core.suggest.label_suggester import LabelSuggester
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.versions.comparison import new_concepts
from core.vocabulary.versions.keeping import whole_vocabulary

if TYPE_CHECKING:
    from core.suggest.elsewhere.member import ElsewhereMember
    from core.suggest.remote.names import RemoteTexts


def load_suggester(
    bundle_dir: Path, *, device: str | None = None, backend: str | None = None
) -> LabelSuggester:
    """Load what suggests in a bundle, onto a GPU where there is one.

    Torch is imported here and not before.

    Args:
        device: "cpu" or a graphics card; None for the best that there is.
        backend: one of `core.suggest.registry.BACKENDS`; None for what `STRATA_BACKEND` names.
    Raises:
        BundleError: the bundle is missing, damaged, or cannot suggest.
        ConfigError: `STRATA_PRECISION` or `STRATA_BACKEND` names nothing that there is.
    """
    with without_garbage_collection():
        from core.model.bundle.bundle import load_bundle
        from core.suggest.registry import suggester_of

        bundle = load_bundle(bundle_dir)
        try:
            return suggester_of(bundle, device=device, backend=backend)
        except (BundleError, ConfigError):
            raise
        except (*SENSELESS, StrataError) as error:  # settings of the manifest or the calibration
            raise damaged(bundle_dir, named(error)) from error


def open_suggester(
    bundle_dir: Path | None, hierarchy: Hierarchy | None, home: Path, *, names: bool = True
) -> Suggester | None:
    """Open all that suggests for a project.

    Args:
        bundle_dir: of the model; None where the project has none.
        hierarchy: the project's vocabulary, whose names are looked for; None for that of the model,
            or, where it is one of codes, for the version that was imported last.
        home: folder where vocabularies and the indexes of their names are kept.
        names: whether names are looked for at all.
    Returns:
        None where there is no model, and names are not looked for.
    Raises:
        BundleError: the bundle is missing, damaged, or cannot suggest.
    """
    model = load_suggester(bundle_dir) if bundle_dir is not None else None
    if not names:
        return model
    bundled = decisions_of(bundle_dir, home)
    if model is not None and hierarchy is None:
        if conventions_of(model.vocabulary_id).lexical:
            return with_whole_vocabulary(model, home, bundled=bundled, bundle_dir=bundle_dir)
        hierarchy = model.label_space.hierarchy
    if hierarchy is None:
        return None
    new = new_concepts(hierarchy, model.label_space.hierarchy) if model else ()
    return with_names(model, hierarchy, home, new=new, bundled=bundled, bundle_dir=bundle_dir)


def decisions_of(bundle_dir: Path | None, home: Path) -> BundledDecisions | None:
    """Return the decisions that a bundle came with; None where it has none.

    Args:
        home: where the documents may be, on which these were taken.
    Raises:
        BundleError: they are damaged.
    """
    if bundle_dir is None or not (bundle_dir / FILE).is_file():
        return None
    manifest = read_manifest(bundle_dir)
    if DECISIONS not in manifest["suggesters"]:
        return None
    return bundled_decisions(bundle_dir, identity(manifest), home)


def with_names(
    model: Suggester | None,
    hierarchy: Hierarchy,
    home: Path,
    *,
    new: Collection[str] = (),
    learns: bool = False,
    bundled: BundledDecisions | None = None,
    bundle_dir: Path | None = None,
    language: str = "en",
    member: ElsewhereMember | None = None,
    texts: RemoteTexts | None = None,
) -> Suggester | None:
    """Add what suggests by names to a model, or to none.

    Of a vocabulary of codes that is the names of all codes, and what corrects both. The first time,
    that takes some seconds; where their index cannot be kept in the home folder, it is made anew at
    every start. Of another vocabulary it is what suggests without a model: everything where there is
    none, and else what the model has not learned, and what corrects it.

    Args:
        new: concepts that the model does not know; see `new_concepts`.
        learns: whether a model, or names of codes, are to be corrected by what is decided; what
            suggests without a model in a thesaurus learns in any case.
        bundled: decisions that came with the model.
        bundle_dir: of the model, which may have a ranker of codes.
        language: of the labels, where the vocabulary has some in it.
        member: asks a suggester elsewhere as well, before decisions correct what all find.
        texts: looks through texts in another process; None where that is done here.
    Returns:
        None where there is neither a model nor a concept.
    """
    reader = texts.reader if texts is not None else None
    if conventions_of(hierarchy.vocabulary_id).lexical:
        make = texts.codes_of if texts is not None else codes_of
        suggester = make(model, hierarchy, home, bundle_dir=bundle_dir)
        joined = _joined(suggester, member, suggester.denied)
        if not learns and bundled is None:
            return joined
        return CorrectedSuggester(
            joined,
            hierarchy,
            partial(ColdStartSuggester.of_codes, hierarchy, reader),
            bundled=bundled,
            calibrates=True,
            denied=suggester.denied,
        )
    if model is None:
        if not hierarchy:
            return None
        alone = ColdStartSuggester.of_vocabulary(hierarchy, language=language, reader=reader)
        return _joined(alone, member)
    model = _joined(model, member)
    if not new and not learns and bundled is None:
        return model
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy, language=language, reader=reader)
    return CorrectedSuggester(model, hierarchy, labels, new=new, bundled=bundled)


def open_elsewhere(
    chosen: SuggesterElsewhere | None,
    allowed: AllowedSuggesters,
    hierarchy: Hierarchy,
    *,
    language: str = "en",
) -> ElsewhereMember | None:
    """Return what asks the suggester elsewhere of a project, once it has begun.

    What asks it is imported here and not before.

    Args:
        language: of the labels.
    Returns:
        None where the project asks none, or no host is allowed at all.
    """
    if chosen is None or not allowed.hosts:
        return None
    from core.suggest.elsewhere.member import ElsewhereMember

    return ElsewhereMember(chosen, allowed, hierarchy, language=language)


def _joined(
    others: Suggester,
    member: ElsewhereMember | None,
    denied: Callable[[Document], Collection[str]] = lambda _: (),
) -> Suggester:
    if member is None:
        return others
    from core.suggest.elsewhere.suggester import WithElsewhere

    return WithElsewhere(others, member, denied)


def with_whole_vocabulary(
    model: LabelSuggester,
    home: Path,
    *,
    bundled: BundledDecisions | None = None,
    bundle_dir: Path | None = None,
) -> Suggester:
    """Add the names of all codes of the model's vocabulary, of which it may know only some.

    Where the vocabulary is not there, the model stays alone, with a warning on standard error.

    Args:
        bundled: decisions that the model came with.
        bundle_dir: of the model.
    """
    try:
        hierarchy = whole_vocabulary(model.vocabulary_id, home)
    except VocabularyError as error:
        sys.stderr.write(f"Names of codes are not looked for. {error}\n")
        return model
    return with_names(model, hierarchy, home, bundled=bundled, bundle_dir=bundle_dir) or model
