"""Adds a ranker to a bundle: candidates of dev and of later documents than origins knew, fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError
from core.model.bundle.bundle import rewrite_checksums
from core.model.bundle.manifest import MANIFEST, read_manifest, write_json
from core.suggest.ensemble import MeanEnsemble
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from core.suggest.ranking.features import CandidateFeatures
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.ranker import Ranker
from core.suggest.registry import RANKED
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.ranking.examples import Examples, examples_of
from training.ranking.fit_ranker import fit_ranker
from training.ranking.indexing import index_documents
from training.shipping.shipped import load_bundle_data

Documents = Sequence[LabelledDocument]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FittingExamples:
    """What the scorers for titles and for texts are fitted on."""

    titles: Examples
    texts: Examples

    @classmethod
    def joined(cls, several: Sequence[FittingExamples]) -> FittingExamples:
        """Return several sets as one."""
        return cls(
            Examples.joined([part.titles for part in several]),
            Examples.joined([part.texts for part in several]),
        )


def add_ranker(
    folder: Path, origins: Mapping[str, Path], options: DataConfig, *, say: Say
) -> tuple[Ranker, FittingExamples]:
    """Fit a ranker for a bundle and add it; what the bundle has learned from is indexed.

    Args:
        origins: date -> a bundle of the same kind that has learned from the documents before it;
            those from then on, up to the next such date, are fitted on. Dev is fitted on, too.
        options: data that the command line names.
    Raises:
        ConfigError: a bundle has not the suggesters that a ranker ranks, or another label space.
    """
    mean = mean_of(folder)
    data = load_bundle_data(folder, options, mean.label_space)
    train = data.corpus.train
    sets = []
    dates = sorted(origins)
    for date, end in zip(dates, [*dates[1:], "9"], strict=True):
        origin = mean_of(origins[date])
        if origin.label_space.concept_ids != mean.label_space.concept_ids:
            raise ConfigError(f"{origins[date]} has other labels than {folder}.")
        earlier = [row for row in train if row.date < date]
        later = [row for row in train if date <= row.date < end]
        say(f"{origins[date]}: {len(later):,} documents from {date} on")
        sets.append(fitting_examples(origin, earlier, later))
    say(f"{folder}: {len(data.corpus.dev):,} documents of dev")
    indexed = index(mean, train)
    sets.append(fitting_examples(mean, train, data.corpus.dev, indexed))
    examples = FittingExamples.joined(sets)
    ranker = fit_ranker(examples.titles, examples.texts)
    write_ranker(folder, ranker, indexed)
    return ranker, examples


def mean_of(folder: Path) -> MeanEnsemble:
    """Return the mean of a bundle's suggesters, also of one that has a ranker already.

    Raises:
        ConfigError: the bundle has one suggester alone.
    """
    found = find_part(load_suggester(folder), MeanEnsemble)
    if found is None:
        raise ConfigError(
            f"{folder} has one suggester alone: a ranker is for a guided and a linear one."
        )
    return found


def index(mean: MeanEnsemble, documents: Documents) -> IndexedDocuments:
    """Return the index of documents, in the terms of the linear suggester."""
    linear = find_part(mean, LinearSuggester)
    assert linear is not None
    return index_documents(documents, mean.label_space, linear.vector)


def fitting_examples(
    mean: MeanEnsemble,
    earlier: Documents,
    later: Documents,
    indexed: IndexedDocuments | None = None,
) -> FittingExamples:
    """Return candidates of documents that a bundle has not learned from, each full text twice.

    Args:
        earlier: what it has learned from.
        indexed: of these, where it is at hand.
    """
    linear = find_part(mean, LinearSuggester)
    assert linear is not None
    indexed = index(mean, earlier) if indexed is None else indexed
    features = CandidateFeatures(mean.label_space, indexed, linear.vector)
    titled = [row.title_alone() for row in later if row.document.title]
    return FittingExamples(
        examples_of(mean, features, titled, "titles"),
        examples_of(mean, features, full_texts(later), "full texts"),
    )


def write_ranker(folder: Path, ranker: Ranker, indexed: IndexedDocuments) -> None:
    """Write a ranker and what it knows into a bundle, in the place of one that is there."""
    ranker.save(folder)
    indexed.save(folder)
    manifest = read_manifest(folder)
    suggesters = [name for name in manifest["suggesters"] if name != RANKED]
    write_json(folder / MANIFEST, {**manifest, "suggesters": [*suggesters, RANKED]})
    rewrite_checksums(folder)
