"""Invented radiology reports to a served bundle: coded labels, label-wise heads, names, shared parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.documents.document import Document, Part
from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.model.bundle.cards import read_card
from core.model.bundle.manifest import read_manifest
from core.suggest.opening import load_suggester
from core.suggest.windows import ReadingSettings
from core.vocabulary.labels import LabelSpace
from core.vocabulary.readers import read_vocabulary
from tests.support.files.report_words import WORDS
from training.__main__ import main as main_of_training
from training.corpora.label_spaces import coded_alone
from training.shipping.package import load_twin

pytestmark = pytest.mark.usefixtures("single_thread")


def fish() -> Document:
    parts = (Part("the school teacher, noise", "history"), Part("fish in the bay", "impression"))
    return Document("new", "", parts)


def test_its_labels_are_the_codes_of_the_reports_and_what_is_above_them(
    reports_bundle: Path,
) -> None:
    space = load_bundle(reports_bundle).label_space
    offered = {i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok}
    assert offered == set(WORDS)
    assert {"480-488.99", "460-519.99"} < set(space.concept_ids)
    assert "001-139.99" not in space
    assert space.hierarchy.vocabulary_id == "icd9cm"


def test_it_shares_what_did_not_learn_and_says_how_large_that_is(reports_bundle: Path) -> None:
    card = read_card(reports_bundle)
    names = {path.name.split("-", 1)[1] for path in (reports_bundle.parent / "shared").iterdir()}
    assert names == {"tokenizer.json", "word_embeddings.safetensors"}
    assert (card.problem, card.suggesters) == (None, ("guided", "linear"))
    assert card.shared_bytes > 0


def test_it_suggests_the_code_with_its_branch_and_its_evidence(reports_bundle: Path) -> None:
    predictor = load_suggester(reports_bundle)
    prediction = predictor.suggest(fish(), limit=3)
    best = prediction.suggestions[0]
    assert (best.concept_id, best.notation) == ("486", "486")
    assert best.probability > 0.3
    assert prediction.branch_probability["480-488.99"] >= best.probability - 1e-6
    evidence = predictor.explain(fish()).evidence([best.concept_id])
    said = " ".join(p.text for one in evidence.values() for p in one.passages)
    assert "fish" in said or "bay" in said


def test_a_twin_may_have_learned_fewer_labels_and_none_of_its_own(reports_bundle: Path) -> None:
    reading = ReadingSettings(**read_manifest(reports_bundle)["reading"])
    tree = read_vocabulary([reports_bundle.parent.parent / "tree.tsv"]).hierarchy
    taken = load_twin(reports_bundle, LabelSpace(tree), reading, has_linear=True)
    assert taken.calibration == load_bundle(reports_bundle).calibration
    fewer = LabelSpace(coded_alone(tree, {*WORDS} - {"486"}))
    with pytest.raises(ConfigError, match=r"480-488\.99 is a label that this run"):
        load_twin(reports_bundle, fewer, reading, has_linear=True)


@pytest.mark.parametrize(("words", "status"), [(["--names"], 0), ([], 1)])
def test_names_weigh_what_is_said_where_dev_was_learned_from(
    reports_bundle: Path, tmp_path: Path, capsys, words: list[str], status: int
) -> None:
    config = str(reports_bundle.parent.parent / "run.toml")
    said = ["--config", config, *words, "--name-weight", "3", "--out", str(tmp_path / "linear")]
    assert main_of_training(["baseline", "linear", *said]) == status
    if status:
        assert "--name-weight is the factor of --names" in capsys.readouterr().err
    else:
        facts = json.loads((tmp_path / "linear" / "run.json").read_text("utf-8"))
        assert (facts["name_weight"], "--name-weight 3" in facts["command"]) == (3.0, True)
