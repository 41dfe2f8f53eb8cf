"""Retrains for a project: from its finished documents to a bundle that is offered to it."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from core import metrics
from core.errors import ConfigError
from core.home import PRIVATE_FOLDER, working_on
from core.model.bundle.manifest import (
    DECISIONS,
    LEAST_DOCUMENTS,
    identity,
    read_manifest,
    record_about,
    record_metrics,
)
from core.review.reports.learning import K, judge_orders
from core.review.store.projects import learning_of
from core.review.store.store import Store
from core.serving.retraining import OFFERED, OFFERED_FOLDER, GroupComparison, ModelComparison
from core.serving.setup import named_project, own_vocabulary
from core.settings import Settings
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.opening import decisions_of, load_suggester, with_names
from core.suggest.protocol import FinishedDocument, Learner, Suggester, find_part
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.comparison import new_concepts
from training.retraining.making import beside_model, from_words
from training.retraining.material import Material, read_material
from training.retraining.progress import Work, begun

JUDGING = "Comparing with what serves"
PLAN, MADE_OF, UNFINISHED = "documents.json", "made-of.txt", "unfinished"
OWN_SHARE = 0.9
"""So many of the documents that a bundle came with are finished here where it was made of them."""
JUDGED = "Newest finished documents"
"""Split of the figures that a retrained bundle is recorded with."""


def retrain(
    name: str, settings: Settings, *, encoder: bool = False
) -> tuple[Path, ModelComparison]:
    """Retrain for a project on what was decided there, and judge what was made.

    What was fitted before a stop or a kill is found again. How far it is stands in the folder of
    the project's retraining, for the server's pages.

    Args:
        name: of the project, or its id.
        encoder: whether the model's encoder goes on learning as well.
    Returns:
        The folder of the bundle, and how it compares.
    Raises:
        ConfigError: there is no such project, too little was decided, or a process is at work.
        StrataError: a file or the store cannot be read.
    """
    with working_on(settings.home):
        store = Store.open(settings.database_url)
        try:
            named = named_project(store, settings, name)
            with begun(settings, named, encoder=encoder) as work:
                try:
                    made, comparison = _retrained(work, store)
                except ConfigError:  # with the same documents, it would be raised again
                    _clear(work)
                    raise
                work.note(state=OFFERED, bundle=str(made), comparison=comparison)
                _clear(work)
                return made, comparison
        finally:
            store.close()


def _retrained(work: Work, store: Store) -> tuple[Path, ModelComparison]:
    project = work.named.project
    _begin_anew_where_others(work)
    bundled = decisions_of(work.named.directory, work.settings.home)
    is_known = bundled.knowing() if bundled else None
    material = read_material(store, project.project_id, work.folder / PLAN, is_known=is_known)
    if not material.is_whole:  # folds were made of others, and too few may be left
        _clear_folders(work)
        (work.folder / PLAN).unlink()
        material = read_material(store, project.project_id, work.folder / PLAN, is_known=is_known)
    is_made_here = bundled is not None and _is_of(bundled, material)
    made = work.folder / UNFINISHED
    elsewhere = None if is_made_here else bundled
    if work.state.encoder:
        # It imports what trains encoders, which nothing else here needs.
        from training.retraining.encoder import with_encoder

        with_encoder(work, material.learned, made, elsewhere)
    elif work.named.directory is None or (is_made_here and _is_linear(work.named.directory)):
        from_words(work, material.learned, made)
    else:
        beside_model(work, material.learned, made, elsewhere)
    learns = learning_of(store, project.project_id).is_on
    comparison = _judged(work, material, made, learns=learns)
    return _offered(work, made, comparison), comparison


def _begin_anew_where_others(work: Work) -> None:
    """Take away what was fitted before a stop for another project of this id, or with another model
    or version of the vocabulary.
    """
    directory, hierarchy = work.named.directory, work.named.hierarchy
    model = identity(read_manifest(directory)) if directory else ""
    project = work.named.project.identity
    choices = f"{LEAST_DOCUMENTS} {project} {hierarchy.vocabulary_id} {hierarchy.version} {model}"
    note = work.folder / MADE_OF
    if not note.is_file() or note.read_text("utf-8") != choices:
        _clear(work)
        note.write_text(choices, encoding="utf-8")


def _clear(work: Work) -> None:
    _clear_folders(work)
    for name in (PLAN, MADE_OF):
        (work.folder / name).unlink(missing_ok=True)


def _clear_folders(work: Work) -> None:
    for path in work.folder.iterdir():
        if path.is_dir() and path.name != OFFERED_FOLDER:
            shutil.rmtree(path, ignore_errors=True)


def _is_of(bundled: BundledDecisions, material: Material) -> bool:
    is_known = bundled.knowing()
    n_here = sum(is_known(row.document) for row in (*material.learned, *material.judged))
    return n_here >= OWN_SHARE * len(bundled.documents)


def _is_linear(directory: Path) -> bool:
    return [name for name in read_manifest(directory)["suggesters"] if name != DECISIONS] == [
        "linear"
    ]


# ---------------------------------------------------------------------- judging and offering


def _judged(work: Work, material: Material, made: Path, *, learns: bool) -> ModelComparison:
    serving = _opened(work, work.named.directory)
    retrained = _opened(work, made)
    for suggester in (serving, retrained) if learns else ():
        learner = find_part(suggester, Learner)  # type: ignore[type-abstract]  # mypy#4717
        if learner is not None:
            learner.learn(material.learned)
    return compared(
        retrained,
        serving,
        material.judged,
        material.learned,
        work.named.hierarchy,
        on_progress=work.says(JUDGING),
    )


def _opened(work: Work, directory: Path | None) -> Suggester:
    hierarchy = work.named.hierarchy
    vocabulary_id = own_vocabulary(directory) if directory else None
    suggester = with_names(
        load_suggester(directory) if directory else None,
        hierarchy,
        work.settings.home,
        new=new_concepts(hierarchy, vocabulary_id) if vocabulary_id else (),
        learns=True,
        bundled=decisions_of(directory, work.settings.home),
        bundle_dir=directory,
        language=work.settings.language,
    )
    if suggester is None:
        raise ConfigError(f"{work.named.project.name} has a vocabulary without concepts.")
    return suggester


def _offered(work: Work, made: Path, comparison: ModelComparison) -> Path:
    project, now = work.named.project, datetime.now(UTC)
    figures = {"ndcg@5": round(comparison.ndcg, 4), "p@5": round(comparison.right / K, 4)}
    record_metrics(made, {JUDGED: {"all": figures}})
    learned = count_of(comparison.n_learned)
    record_about(
        made,
        {
            "trained_at": now.isoformat(timespec="minutes"),
            "retrained": f"{learned} of the project {project.name}",
            "judged": {
                JUDGED: f"The {count_of(comparison.n_judged)} of {project.name} that were finished "
                "last; nothing was fitted on them. People saw other suggestions for them."
            },
        },
    )
    name = re.sub(r"[^a-z0-9]+", "-", project.name.casefold()).strip("-")[:60] or "project"
    place = work.folder / OFFERED_FOLDER / f"{name}-{now:%Y%m%d-%H%M%S}"
    shutil.rmtree(place.parent, ignore_errors=True)
    place.parent.mkdir(mode=PRIVATE_FOLDER)
    made.rename(place)
    return place


def count_of(number: int) -> str:
    """Return a number of documents in words."""
    return f"{number:,} finished document{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------- what both suggest

Progress = Callable[[int, int], None]

FREQUENCIES = (
    ("never assigned before", 0, 0),
    ("assigned 1 to 9 times", 1, 9),
    ("assigned 10 to 99 times", 10, 99),
    ("assigned 100 times or more", 100, None),
)
MOST_BRANCHES = 12


class _Found(NamedTuple):
    concept_id: str
    by_retrained: bool
    by_serving: bool


def compared(
    retrained: Suggester,
    serving: Suggester,
    judged: Sequence[FinishedDocument],
    learned: Sequence[FinishedDocument],
    hierarchy: Hierarchy,
    *,
    on_progress: Progress,
) -> ModelComparison:
    """Compare the first five suggestions of both by what was decided, document by document.

    Args:
        learned: documents that both know, by which concepts are frequent or rare.
        on_progress: is called with (documents read, documents).
    """
    orders: tuple[list[list[str]], list[list[str]]] = ([], [])
    for number, row in enumerate(judged, start=1):
        for suggester, order in zip((retrained, serving), orders, strict=True):
            order.append(
                [
                    suggestion.concept_id
                    for suggestion in suggester.suggest(row.document, limit=K).suggestions
                ]
            )
        on_progress(number, len(judged))
    gold = [row.assigned for row in judged]
    (ndcg, right), (ndcg_serving, right_serving) = (judge_orders(gold, order) for order in orders)
    gain = metrics.paired_bootstrap(ndcg, ndcg_serving, n_resamples=2_000)
    suggestion = [
        _Found(concept, concept in first, concept in second)
        for assigned, first, second in zip(gold, *orders, strict=True)
        for concept in assigned
    ]
    return ModelComparison(
        n_learned=len(learned),
        n_judged=len(judged),
        ndcg=metrics.mean_defined(ndcg),
        ndcg_serving=metrics.mean_defined(ndcg_serving),
        low=gain.low,
        high=gain.high,
        right=K * metrics.mean_defined(right),
        right_serving=K * metrics.mean_defined(right_serving),
        by_branch=tuple(_by_branch(suggestion, hierarchy)),
        by_frequency=tuple(_by_frequency(suggestion, learned)),
    )


def _by_branch(outcomes: Sequence[_Found], hierarchy: Hierarchy) -> Iterable[GroupComparison]:
    branches: dict[str, list[_Found]] = {}
    for row in outcomes:
        if row.concept_id in hierarchy:
            for top in {path[0] for path in hierarchy.paths(row.concept_id)}:
                branches.setdefault(top, []).append(row)
    largest = sorted(branches, key=lambda top: (-len(branches[top]), top))[:MOST_BRANCHES]
    return (_group(hierarchy[top].label(), branches[top]) for top in largest)


def _by_frequency(
    outcomes: Sequence[_Found], learned: Sequence[FinishedDocument]
) -> Iterable[GroupComparison]:
    counts = Counter(concept for row in learned for concept in row.assigned)
    for name, least, most in FREQUENCIES:
        here = [
            row
            for row in outcomes
            if counts[row.concept_id] >= least and (most is None or counts[row.concept_id] <= most)
        ]
        if here:
            yield _group(name, here)


def _group(name: str, outcomes: Sequence[_Found]) -> GroupComparison:
    return GroupComparison(
        name,
        len(outcomes),
        sum(row.by_retrained for row in outcomes),
        sum(row.by_serving for row in outcomes),
    )
