"""A linear suggester alone as a bundle: it serves, explains itself, and says what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import load_bundle, save_bundle
from core.model.bundle.cards import read_card
from core.suggest.calibration import Calibration, Temperature
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from core.suggest.windows import ReadingSettings
from pages.bundles.card import facts
from tests.support.models.tiny_bundle import tiny_label_space, tiny_linear
from training.__main__ import main
from training.judging.folders import RunFolder, load_data
from training.judging.judge import judge_folders, judge_run
from training.shipping.package_linear import is_linear_run

FISH = Document.from_text("fish", "Fish in the bay", "The quota of fish in a bay. " * 3)


def test_it_serves_what_it_learned(linear_predictor: LabelSuggester, linear_bundle: Path) -> None:
    space = linear_predictor.label_space
    assignable = [i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok]
    prediction = linear_predictor.suggest(FISH)
    assert {suggestion.concept_id for suggestion in prediction.suggestions[:2]} == {
        assignable[0],
        assignable[4],
    }
    assert all(suggestion.source == "linear" for suggestion in prediction.suggestions)
    assert prediction.suggestions[0].probability > 0.5 > prediction.suggestions[-1].probability
    assert (prediction.n_tokens, prediction.n_tokens_read) == (4 + 21, 4 + 21)
    assert linear_predictor.name == "words"
    assert not (linear_bundle / "tokenizer.json").exists()


def test_many_are_read_as_one_is(linear_predictor: LabelSuggester) -> None:
    title = Document.from_text("t", "Railway ticket price", "")
    empty = Document.from_text("e", "", "")
    batch = list(linear_predictor.suggest_batch([FISH, title, empty]))
    for document, together in zip((FISH, title, empty), batch, strict=True):
        alone = linear_predictor.suggest(document)
        assert together.suggestions == alone.suggestions
    heard: list[tuple[int, int]] = []
    linear_predictor.suggest(FISH, on_progress=lambda *told: heard.append(told))
    assert heard == [(2, 2)]


def test_branches_are_coherent(linear_predictor: LabelSuggester) -> None:
    probabilities = next(linear_predictor.probabilities_of([FISH]))
    space = linear_predictor.label_space
    for narrower, broader in space.broader_pairs:
        assert probabilities.branch[broader] >= probabilities.branch[narrower] - 1e-6
    assert np.isfinite(probabilities.levels).all()


def test_evidence_is_the_words_that_weigh_and_deleting_them_counts(
    linear_predictor: LabelSuggester,
) -> None:
    explanation = linear_predictor.explain(FISH)
    best = linear_predictor.suggest(FISH).suggestions[0]
    evidence = explanation.evidence([best.concept_id])[best.concept_id]
    assert evidence.sources == {"linear": pytest.approx(best.probability, abs=1e-5)}
    words = " ".join(passage.text.lower() for passage in evidence.passages)
    assert "fish" in words or "quota" in words
    assert "the" not in words.split()
    spans = [span for passage in evidence.passages for span in passage.spans]
    after, before = explanation.without(best.concept_id, spans)
    assert after < before == pytest.approx(best.probability, abs=1e-5)


def test_parts_add_up_to_the_margin(linear_predictor: LabelSuggester) -> None:
    columns = np.arange(len(linear_predictor.assigned_columns))
    explanation = linear_predictor.explain(FISH)
    words = explanation.attribution("linear")
    assert words is not None
    assert isinstance(linear_predictor, LinearSuggester)
    parts = words.terms(columns).sum(axis=0)
    margins = linear_predictor.model.margins(FISH.title, FISH.text)
    np.testing.assert_allclose(parts + linear_predictor.model.bias, margins, atol=1e-5)


def test_it_is_judged_as_it_is_shipped_and_as_well_as_its_run(linear_bundle: Path) -> None:
    run = RunFolder.finished(linear_bundle.parent / "svm")
    data = load_data(run.data())
    source = run.data()
    rows = judge_folders([linear_bundle], source, split="test", depth=3)
    theirs = judge_run(run, data, 3, {"arm": "svm"})["test"]
    assert rows["bundle"].mean("ndcg@5") == theirs.mean("ndcg@5") == 1.0
    assert rows["bundle"].mean("r_precision@1") == 1.0


def test_its_card_tells_that_it_has_no_encoder(linear_bundle: Path) -> None:
    card = read_card(linear_bundle)
    assert card.problem is None
    assert card.is_linear_alone
    space = load_bundle(linear_bundle).label_space
    assert card.level_sizes == tuple(map(len, map(space.level_columns, (1, 2, 3, 4, 5))))
    said = dict(facts(card))
    assert said["Encoder"] == "none: words are weighed"
    assert said["Layers"] == "none"
    assert said["Options"] == "a linear suggester alone"
    assert said["Reads"] == "100,000 words at most"
    assert card.training.command.startswith("python -m training baseline svm")


def test_its_insights_are_measured(linear_bundle: Path) -> None:
    corpus = str(linear_bundle.parent / "corpus")
    assert main(["insights", str(linear_bundle), "--data", corpus, "--depth", "3"]) == 0
    measured = json.loads((linear_bundle / "insights" / "insights-dev.json").read_text())
    assert measured["facts"]["model"] == "words"


def test_what_looks_into_an_encoder_refuses_it(
    linear_bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BundleError, match="a linear suggester alone"):
        _ = load_bundle(linear_bundle).guided
    assert (
        main(["utilization", str(linear_bundle), "--out", str(linear_bundle.parent / "none")]) == 1
    )
    assert "a linear suggester alone" in capsys.readouterr().err
    run, out = str(linear_bundle.parent / "svm"), str(linear_bundle.parent / "other")
    assert main(["bundle", run, "--linear", run, "--out", out]) == 1
    assert "is a linear suggester itself" in capsys.readouterr().err
    assert is_linear_run(linear_bundle.parent / "svm")


def test_a_damaged_one_says_so(linear_bundle: Path, tmp_path: Path) -> None:
    space = tiny_label_space()
    calibration = {"levels": [], "objective": "multi_label", "assigned": {}, "assigned_text": {}}
    settings = {"name": "x", "reading": ReadingSettings().to_dict(), "join": {}}
    with pytest.raises(BundleError, match="needs a suggester"):
        save_bundle(
            tmp_path,
            model=None,
            tokenizer=None,
            label_space=space,
            calibration=calibration,
            facts=settings,
        )
    save_bundle(
        tmp_path,
        model=None,
        tokenizer=None,
        label_space=space,
        calibration=calibration,
        facts=settings,
        linear=tiny_linear(space),
    )
    assert load_suggester(tmp_path).suggest(FISH).suggestions
    manifest = json.loads((tmp_path / "bundle.json").read_text())
    manifest["suggesters"] = []
    (tmp_path / "bundle.json").write_text(json.dumps(manifest))
    with pytest.raises(BundleError, match="no suggester"):
        load_suggester(tmp_path)
    (tmp_path / "linear_terms.txt").unlink()
    assert "linear_terms.txt is missing" in str(read_card(tmp_path).problem)


def test_one_label_a_document_is_served_by_a_softmax(tmp_path: Path) -> None:
    space = tiny_label_space()
    calibration = {
        "levels": [],
        "objective": "single_label",
        "assigned": {"slope": 2.0},
        "assigned_text": {"slope": 2.0},
    }
    save_bundle(
        tmp_path,
        model=None,
        tokenizer=None,
        label_space=space,
        calibration=calibration,
        facts={"name": "one", "reading": ReadingSettings().to_dict(), "join": {}},
        linear=tiny_linear(space),
    )
    predictor = load_suggester(tmp_path)
    assert isinstance(predictor, LinearSuggester)
    assert isinstance(predictor.calibration.assigned, Temperature)
    found = next(predictor.probabilities_of([FISH])).assigned
    assert found.sum() == pytest.approx(1.0)
    best = predictor.suggest(FISH).suggestions[0]
    evidence = predictor.explain(FISH).evidence([best.concept_id])[best.concept_id]
    assert evidence.sources["linear"] == pytest.approx(best.probability, abs=1e-5)


def test_words_past_the_cap_are_not_read() -> None:
    space = tiny_label_space()
    facts = BundleFacts("words", "hash", space, ReadingSettings(max_tokens=5))
    suggester = LinearSuggester(facts, tiny_linear(space), Calibration.identity(0))
    read = suggester.read(Document.from_text("d", "One title", "a first-rate text, and more"))
    assert (read.n_tokens, read.n_tokens_read) == (7, 5)
    assert "a first-rate text, and more"[: read.n_characters_read] == "a first-rate text"
    assert read.n_windows == 2
    long = suggester.read(Document.from_text("d", "A title of six words, alone", "more"))
    assert (long.n_tokens, long.n_tokens_read, long.n_windows) == (7, 5, 1)
    assert not any(suggester.skipped("text"))
