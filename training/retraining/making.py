"""Makes the bundle that is offered: of decisions alone, or of a model and decisions."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from core.clinical.suggester import codes_of
from core.model.bundle.bundle import (
    WORDS_FILE,
    rewrite_checksums,
    save_bundle,
)
from core.model.bundle.manifest import (
    DECISIONS,
    LEAST_DOCUMENTS,
    MADE_WITH,
    MANIFEST,
    WORDS_OF,
    read_manifest,
    write_json,
)
from core.model.bundle.shared_parts import find_part, shared_with
from core.suggest.cold_start.document_ids import key_of
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.opening import load_suggester
from core.suggest.protocol import FinishedDocument, Suggester
from core.suggest.ranking.candidates import UNRANKED, Suggested
from core.suggest.windows import JoinRule, ReadingSettings
from core.version import __version__
from core.vocabulary.conventions import conventions_of
from core.vocabulary.labels import LabelSpace
from training.retraining.correction import fit_correction, known_documents
from training.retraining.progress import Work
from training.retraining.words import FittedWords, fit_words
from training.shipping.package_linear import MAX_WORDS

WORDS, READING = "Weighing words", "Reading documents"
ENCODER = "encoder_retrained"
"""Among what a manifest says about a bundle: its encoder has learned from what was decided."""
AT_A_TIME = 50
"""Documents that are read before what was found is kept."""

Finished = Sequence[FinishedDocument]


def from_words(work: Work, finished: Finished, made: Path) -> None:
    """Make a bundle of nothing but what was decided here."""
    hierarchy = work.named.hierarchy
    space = LabelSpace(hierarchy)
    words = fit_words(finished, space, work.folder / "words", on_progress=work.says(WORDS))
    local = local_of(work)
    suggested = words.suggested
    if is_of_codes(work):
        suggested = with_names_found(work, local, finished, suggested)
    decisions = fit_correction(
        local,
        finished,
        suggested,
        has_model=is_of_codes(work),
        key=key_of(work.settings.home),
        say=work.says,
    )
    save_bundle(
        made,
        model=None,
        tokenizer=None,
        label_space=space,
        calibration=words.calibration.to_dict(),
        facts=_facts(work, words),
        linear=words.linear,
    )
    add_decisions(made, decisions)


def _facts(work: Work, words: FittedWords) -> dict[str, Any]:
    return {
        "name": work.named.project.name,
        "reading": ReadingSettings(max_tokens=MAX_WORDS).to_dict(),
        "join": JoinRule().to_dict(),
        "training": {"training_documents": len(words.suggested), "command": _command(work)},
        "licence": {},
    }


# ---------------------------------------------------------------------- beside a model


def beside_model(
    work: Work, finished: Finished, made: Path, bundled: BundledDecisions | None
) -> None:
    """Make a bundle of the model that serves, corrected by what was decided here.

    Args:
        bundled: decisions that it came with from elsewhere.
    """
    directory = work.named.directory
    assert directory is not None
    local = local_of(work)
    if read_manifest(directory).get("about", {}).get(ENCODER):
        copy_bundle(directory, made)
        documents = known_documents(local, finished, bundled, key_of(work.settings.home))
        add_decisions(made, documents)
        return
    model: Suggester = load_suggester(directory)
    if is_of_codes(work):
        model = codes_of(model, work.named.hierarchy, work.settings.home, bundle_dir=directory)
    suggested = _read(work, model, local, finished)
    always = bundled.of(local.position) if bundled else []
    decisions = fit_correction(
        local,
        finished,
        suggested,
        has_model=True,
        key=key_of(work.settings.home),
        always=always,
        say=work.says,
    )
    copy_bundle(directory, made)
    add_decisions(made, decisions)


def copy_bundle(directory: Path, made: Path) -> None:
    """Copy the files that a manifest names, with the parts that it shares with others; without its
    figures, and without a card that is not of what is made.
    """
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    manifest = read_manifest(directory)
    for name in manifest["files"]:
        shutil.copyfile(directory / name, made / name)
    for name, facts in shared_with(manifest).items():
        source_name = "model-00000.safetensors" if name == WORDS_FILE else name
        shutil.copyfile(find_part(directory, name, facts), made / source_name)
    manifest.pop("shared", None)
    about = {**manifest.get("about", {}), "judged": {}, "twin": ""}
    write_json(made / MANIFEST, {**manifest, "metrics": {}, "about": about})


def _read(
    work: Work,
    model: Suggester,
    local: ColdStartSuggester,
    finished: Finished,
) -> list[Suggested]:
    folder = work.folder / f"read-{model.bundle_hash}"
    folder.mkdir(exist_ok=True)
    say = work.says(READING)
    suggested: list[Suggested] = []
    for start in range(0, len(finished), AT_A_TIME):
        file = folder / f"{start}.npz"
        rows = finished[start : start + AT_A_TIME]
        if not file.is_file():
            _keep_read(file, model, local, rows)
        with np.load(file) as arrays:
            ends = arrays["ends"].tolist()
            suggested += [
                Suggested(arrays["positions"][a:b], arrays["chances"][a:b])
                for a, b in pairwise(ends)
            ]
        say(len(suggested), len(finished))
    return suggested


def _keep_read(
    file: Path, model: Suggester, local: ColdStartSuggester, rows: Sequence[FinishedDocument]
) -> None:
    predictions = model.suggest_batch([row.document for row in rows], limit=UNRANKED)
    suggested = [
        [
            (local.position[suggestion.concept_id], suggestion.probability)
            for suggestion in prediction.suggestions
            if suggestion.concept_id in local.position
        ]
        for prediction in predictions
    ]
    part = file.with_suffix(".part.npz")
    np.savez(
        part,
        ends=np.cumsum([0, *map(len, suggested)]),
        positions=np.array([n for row in suggested for n, _ in row], dtype=np.int32),
        chances=np.array([p for row in suggested for _, p in row], dtype=np.float32),
    )
    part.replace(file)


def is_of_codes(work: Work) -> bool:
    """Whether names in the text are looked for beside whatever model there is."""
    return conventions_of(work.named.hierarchy.vocabulary_id).lexical


def with_names_found(
    work: Work, local: ColdStartSuggester, finished: Finished, suggested: Sequence[Suggested]
) -> list[Suggested]:
    """Return suggestions with the names of codes in each document: the higher probability of both."""
    names = codes_of(None, work.named.hierarchy, work.settings.home)
    by_name = _read(work, names, local, finished)
    return [_highest(*both) for both in zip(suggested, by_name, strict=True)]


def _highest(first: Suggested, second: Suggested) -> Suggested:
    chances: dict[int, float] = {}
    for one in (first, second):
        for position, chance in zip(one.positions.tolist(), one.chances.tolist(), strict=True):
            chances[position] = max(chance, chances.get(position, 0.0))
    best = sorted(chances, key=lambda position: -chances[position])
    return Suggested(
        np.array(best, dtype=np.int32), np.array([chances[n] for n in best], dtype=np.float32)
    )


def local_of(work: Work) -> ColdStartSuggester:
    """Return what suggests without a model, and has learned nothing."""
    if is_of_codes(work):
        return ColdStartSuggester.of_codes(work.named.hierarchy)
    language = work.settings.language
    return ColdStartSuggester.of_vocabulary(work.named.hierarchy, language=language)


def add_decisions(made: Path, decisions: BundledDecisions) -> None:
    """Write decisions into a bundle, and into its manifest."""
    decisions.save(made)
    manifest = read_manifest(made)
    suggesters = [name for name in manifest["suggesters"] if name != DECISIONS]
    added = {
        "suggesters": [*suggesters, DECISIONS],
        WORDS_OF: LEAST_DOCUMENTS,
        MADE_WITH: __version__,
    }
    write_json(made / MANIFEST, manifest | added)
    rewrite_checksums(made)


def _command(work: Work) -> str:
    return f"python -m training retrain --project {work.named.project.project_id}"
