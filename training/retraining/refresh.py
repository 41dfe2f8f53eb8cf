"""Refreshes a bundle with documents that came after those from which it has learned.

What the bundle as it is finds in them, which it has not seen, is what the ranker is fitted on. Then
the linear suggester, the encoder, the index of similar documents and the counts learn from them.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import ConfigError
from core.metrics import mean_defined
from core.model.bundle.bundle import FIGURES, Bundle, load_bundle, rewrite_checksums
from core.model.bundle.coverage import Coverage
from core.model.bundle.manifest import (
    MANIFEST,
    read_manifest,
    record_about,
    record_metrics,
    write_json,
)
from core.review.reports.learning import K
from core.serving.retraining import ModelComparison
from core.suggest.calibration import fit_platt
from core.suggest.ensemble import MeanEnsemble
from core.suggest.opening import load_suggester
from core.suggest.protocol import FinishedDocument, find_part
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.ranker import Ranker, Scorer
from core.suggest.ranking.suggester import RankedSuggester
from core.suggest.registry import RANKED
from training.baselines.linear import LinearConfig, fit_linear
from training.corpora.corpus import Corpus, LabelledDocument, checksums, full_texts
from training.ranking.examples import Examples, examples_of, order_quality
from training.ranking.fit_ranker import crossed, fit_order
from training.ranking.indexing import RECENT_YEARS, finder_of, mean_of, write_ranker
from training.retraining.encoder import FurtherTraining, continued, replace_weights
from training.retraining.making import copy_bundle
from training.retraining.newer_documents import kept_apart, read_newer_documents
from training.retraining.retrain import compared

Say = Callable[[str], None]

JUDGED = "Newest documents"
"""Split of the figures that a refreshed bundle is recorded with."""
COUNTED = "What was assigned is counted"
JUDGED_SHARE = 0.2
FEWEST_FITTED = 100
"""Documents of a kind; on fewer, the bundle's own ranker stays."""
REHEARSED_FOR_EACH = 1.5
"""Earlier documents that the encoder reads again for each newer one, so that it forgets nothing."""
REHEARSED_SINCE = 8
"""Years before the newest of the earlier documents."""
SAID_EVERY_SECONDS = 60
ENCODER = FurtherTraining(epochs=2.0, learning_rate_share=0.25, windows=4, frozen_layers=3)


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a bundle is refreshed with.

    Attributes:
        newer: files of documents with their concepts.
        earlier: from which the bundle has learned; None where they are not at hand. Then the linear
            suggester stays, and the encoder reads none of them again.
        judged_share: of the newest, which are not learned from; 0 for none.
        only: ids of the documents that count; None for all.
    """

    bundle: Path
    newer: Sequence[Path]
    earlier: Corpus | None = None
    judged_share: float = JUDGED_SHARE
    only: frozenset[str] | None = None


def refresh(asked: Refresh, out: Path, *, say: Say) -> ModelComparison | None:
    """Make a bundle that has learned newer documents, and compare it with the original.

    Where it was stopped, the encoder goes on where it was when the same is asked again.

    Args:
        out: a folder that is not there yet.
    Returns:
        How both suggest for what neither has learned from; None where nothing was kept for that.
    Raises:
        BundleError: the bundle is damaged.
        ConfigError: it has no ranker, the files have nothing to learn from, or `out` is there.
    """
    if out.exists():
        raise ConfigError(f"{out} is there already: name another folder.")
    bundle, before = load_bundle(asked.bundle), _ranked(asked.bundle)
    hierarchy = bundle.label_space.hierarchy
    newer = read_newer_documents(asked.newer, hierarchy)
    if asked.only is not None:
        newer = [row for row in newer if row.document_id in asked.only]
    earlier = _earlier(asked, newer)
    learned, judged = kept_apart(newer, asked.judged_share)
    if not learned:
        raise ConfigError("There is no document to learn from.")
    n_texts = len(full_texts(learned))
    say(f"{len(learned):,} documents are learned from, {n_texts:,} of them with a text")
    rehearsed = rehearsal(earlier, n_newer=len(learned))
    work = _work_folder(out, bundle, [*learned, *rehearsed])
    say("The encoder learns")
    model = continued(
        bundle, [*learned, *rehearsed], work / "encoder", how=ENCODER, on_progress=_bar(say)
    )
    ranker = refreshed_ranker(before, learned, say)
    made = work / "bundle"
    copy_bundle(asked.bundle, made)
    replace_weights(made, model)
    if earlier:
        say("The linear suggester learns")
        refreshed_linear(bundle, [*earlier, *learned]).save(made)
    _take_ranker_away(made)  # its index is of the terms of the earlier linear suggester
    mean = mean_of(made)
    say(COUNTED)
    write_ranker(made, ranker, refreshed_index(before.features.indexed, mean, earlier, learned))
    made.rename(out)
    shutil.rmtree(work)
    _note(out, asked, learned)
    if not judged:
        _keep_figures(asked.bundle, out)
        return None
    say(f"Both are compared on the newest {len(judged):,}")
    comparison = compared(
        load_suggester(out),
        load_suggester(asked.bundle),
        list(map(_finished, judged)),
        list(map(_finished, learned)),
        hierarchy,
        on_progress=lambda *_: None,
    )
    figures = {"ndcg@5": round(comparison.ndcg, 4), "p@5": round(comparison.right / K, 4)}
    record_metrics(out, {JUDGED: {"all": figures}})
    record_about(
        out, {"judged": {JUDGED: f"The newest {len(judged):,}; nothing was fitted on them."}}
    )
    return comparison


def _ranked(folder: Path) -> RankedSuggester:
    ranked = find_part(load_suggester(folder), RankedSuggester)
    if ranked is None:
        raise ConfigError(f"{folder} has no ranker, so that it cannot be refreshed: retrain it.")
    return ranked


def _work_folder(out: Path, bundle: Bundle, documents: Sequence[LabelledDocument]) -> Path:
    """Return a folder beside `out` for what is unfinished, another one for other documents."""
    learned = [(row.document_id, *row.assigned) for row in documents]
    digest = hashlib.sha256(repr((bundle.sha256, learned)).encode()).hexdigest()
    work = out.with_name(f"{out.name}.unfinished-{digest[:8]}")
    work.mkdir(parents=True, exist_ok=True)
    return work


def _earlier(asked: Refresh, newer: Sequence[LabelledDocument]) -> list[LabelledDocument]:
    """Return what the bundle has learned from, without what is given again."""
    if asked.earlier is None:
        return []
    given = {row.document_id for row in newer}
    seen = read_manifest(asked.bundle).get("training", {}).get("seen") or ["train"]
    rows = (row for split in seen for row in asked.earlier.split(split))
    return [row for row in rows if row.document_id not in given]


def rehearsal(earlier: Sequence[LabelledDocument], *, n_newer: int) -> list[LabelledDocument]:
    """Return some of the later of these documents, with and without a text, drawn by chance."""
    newest = max((row.date[:4] for row in earlier if row.date[:4].isdecimal()), default="0")
    late = [row for row in earlier if row.date[:4] >= str(int(newest) - REHEARSED_SINCE)]
    n_rehearsed = min(len(late), round(REHEARSED_FOR_EACH * n_newer))
    chosen = np.random.default_rng(0).choice(len(late), n_rehearsed, replace=False)
    return [late[n] for n in sorted(chosen.tolist())]


def refreshed_linear(bundle: Bundle, documents: Sequence[LabelledDocument]) -> Any:
    """Return a linear suggester that has learned from these documents alone."""
    labels = bundle.label_space.encode_assigned([row.assigned for row in documents])
    return fit_linear([row.document for row in documents], labels, LinearConfig())


def refreshed_index(
    previous: IndexedDocuments,
    mean: MeanEnsemble,
    earlier: Sequence[LabelledDocument],
    learned: Sequence[LabelledDocument],
) -> IndexedDocuments:
    """Return what all documents say; where the earlier are not at hand, by what a bundle kept."""
    if earlier:
        return finder_of(mean, [*earlier, *learned]).indexed
    years = [int(row.date[:4]) for row in learned if row.date[:4].isdecimal()]
    are_enough = bool(years) and max(years) - min(years) >= RECENT_YEARS - 1
    later = finder_of(mean, learned).indexed
    return previous.joined(later, still_recent=not are_enough)


def refreshed_ranker(
    before: RankedSuggester, documents: Sequence[LabelledDocument], say: Say
) -> Ranker:
    """Return a ranker fitted on what a bundle finds in documents that it has not seen.

    For each kind of documents it is the bundle's own, where a fitted one is no better on documents
    that it was not fitted on.
    """
    titled = [row.title_alone() for row in documents if row.document.title]
    kinds = {"titles": titled, "full texts": full_texts(documents)}
    scorers = []
    for kind, rows in kinds.items():
        scorer = before.ranker.scorer(has_text=kind != "titles")
        if len(rows) >= FEWEST_FITTED:
            examples = examples_of(before.mean, before.features, rows, kind)
            scorer = _better(kind, scorer, examples, say)
        scorers.append(scorer)
    return Ranker(scorers[0], scorers[1], RANKER_FEATURES)


def _better(kind: str, scorer: Scorer, examples: Examples, say: Say) -> Scorer:
    held_out = crossed(examples)
    gold = examples.gold()
    quality = [
        mean_defined(order_quality(examples, gold, log_odds))
        for log_odds in (scorer.log_odds(examples.rows), held_out)
    ]
    say(
        f"Ranking of {kind}: nDCG@5 {100 * quality[1]:.1f} fitted, {100 * quality[0]:.1f} as it was"
    )
    if quality[1] <= quality[0]:
        return scorer
    platt = fit_platt(held_out, examples.is_assigned.astype(np.float32))
    return replace(fit_order(examples), platt=platt)


def _take_ranker_away(folder: Path) -> None:
    manifest = read_manifest(folder)
    suggesters = [name for name in manifest["suggesters"] if name != RANKED]
    write_json(folder / MANIFEST, {**manifest, "suggesters": suggesters})
    rewrite_checksums(folder)


def _finished(row: LabelledDocument) -> FinishedDocument:
    return FinishedDocument(row.document, 0, row.assigned, (), {})


def _bar(say: Say) -> Callable[[int, int], None]:
    """Return what says once a minute how far training is."""
    said_at = [time.monotonic()]

    def on_progress(done: int, total: int) -> None:
        if time.monotonic() - said_at[0] >= SAID_EVERY_SECONDS:
            said_at[0] = time.monotonic()
            say(f"The encoder learns: {done:,} of {total:,} batches")

    return on_progress


def _keep_figures(bundle: Path, out: Path) -> None:
    """Keep the figures of the original bundle, marked as such."""
    manifest = read_manifest(bundle)
    measured = manifest.get("metrics", {})
    judged = manifest.get("about", {}).get("judged", {})
    sentence = "Measured before newer documents were learned."
    record_metrics(out, measured)
    record_about(
        out,
        {
            "judged": {
                split: " ".join([judged.get(split, ""), sentence]).strip() for split in measured
            },
            "twin": manifest.get("about", {}).get("twin", ""),
        },
    )
    if (bundle / FIGURES).is_dir():
        shutil.copytree(bundle / FIGURES, out / FIGURES)


def _note(out: Path, asked: Refresh, learned: Sequence[LabelledDocument]) -> None:
    """Write into the manifest what was learned from; its figures were of another bundle."""
    manifest = read_manifest(out)
    newest = max(row.date[:10] for row in learned)
    refreshed: Mapping[str, Any] = {
        "documents": len(learned),
        "newest": newest,
        "sha256": checksums(asked.newer),
    }
    about = {
        **manifest.get("about", {}),
        "trained_at": datetime.now(UTC).isoformat(timespec="minutes"),
        "refreshed": f"{len(learned):,} newer documents" + (f", to {newest}" if newest else ""),
    }
    measured = Coverage.read(about)
    if measured is not None and newest:  # what is listed depends on the age of the knowledge
        about |= replace(measured, learned_to=int(newest[:4])).as_json()
    training = {**manifest.get("training", {}), "refreshed": refreshed}
    write_json(out / MANIFEST, {**manifest, "training": training, "about": about})
