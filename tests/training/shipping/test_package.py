"""From a run to a bundle: what is fitted on dev, and that the bundle answers like the run."""

import json

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import BundleError, ConfigError
from core.suggest.calibration import Calibration, Platt, fit_platt
from core.suggest.opening import load_suggester
from tests.training.shipping.conftest import COMMAND
from training.shipping.package import package_bundle


def test_the_bundle_suggests_what_the_run_learned(shipped):
    _, bundle = shipped
    predictor = load_suggester(bundle)
    one = predictor.suggest(
        Document.from_text("x", "regulation on the fish quota bay", ""), limit=2
    )
    two = predictor.suggest(Document.from_text("x", "regulation on the tax loan bank", ""), limit=2)
    assert {s.concept_id for s in one.suggestions}.isdisjoint(s.concept_id for s in two.suggestions)
    assert one.suggestions[0].probability > 0.3


def test_the_manifest_says_what_the_model_is_and_where_it_comes_from(shipped):
    run, bundle = shipped
    manifest = json.loads((bundle / "bundle.json").read_text())
    assert manifest["suggesters"] == ["guided"]
    assert manifest["training"]["command"] == COMMAND
    assert manifest["training"]["plan"] == "last_half"
    assert manifest["training"]["steps"] == json.loads((run / "run.json").read_text())["steps"]
    assert set(manifest["training"]["data_sha256"]) == {"train.jsonl", "dev.jsonl", "test.jsonl"}
    # The vocabulary of the tests is none that the project knows the rights in.
    assert "not stated" in manifest["licence"]["vocabulary"]
    assert manifest["licence"]["encoder"] == "that of encoder"
    assert 0 <= manifest["join"]["title_weight"] <= 1


def test_a_baseline_is_neither_a_run_to_package_nor_a_linear_suggester(shipped, tmp_path):
    run, _ = shipped
    baseline = tmp_path / "svm"
    baseline.mkdir()
    (baseline / "run.json").write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match="svm holds no run that was started by `train`"):
        package_bundle(baseline, tmp_path / "bundle")
    with pytest.raises(ConfigError, match=r"svm holds no linear suggester: .* --features stems"):
        package_bundle(run, tmp_path / "bundle", linear_folder=baseline)
    (baseline / "linear_terms.txt").write_text("fish\n", "utf-8")
    with pytest.raises(BundleError, match="svm is damaged"):
        package_bundle(run, tmp_path / "bundle", linear_folder=baseline)


def test_platt_recovers_the_slope_and_bias_that_made_the_labels():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, size=(400, 200)).astype(np.float32)
    truth = Platt(0.6, -1.2)
    labels = (rng.random(logits.shape) < truth(logits)).astype(np.float32)
    fitted = fit_platt(logits, labels)
    assert fitted.slope == pytest.approx(0.6, abs=0.02)
    assert fitted.bias == pytest.approx(-1.2, abs=0.03)


def test_logits_that_are_far_too_steep_are_made_less_so() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(-4, 3, size=4_000).astype(np.float32)
    labels = (rng.random(4_000) < 1 / (1 + np.exp(-logits))).astype(np.float32)
    fitted = fit_platt(12 * logits - 30, labels)
    assert fitted.slope == pytest.approx(1 / 12, rel=0.1)
    assert fitted.bias == pytest.approx(30 / 12, abs=0.3)


def test_few_labels_change_little_where_slope_and_bias_are_drawn_to_what_they_were() -> None:
    logits, labels = np.array([2.0, 2.0], np.float32), np.array([0.0, 0.0], np.float32)
    drawn = fit_platt(logits, labels, prior=10.0)
    # Where the cross-entropy and what draws cancel out: 2p · 2 = 10 (1 − slope), 2p = −10 bias.
    p = float(drawn(logits)[0])
    assert 4 * p == pytest.approx(10 * (1 - drawn.slope), abs=1e-4)
    assert 2 * p == pytest.approx(-10 * drawn.bias, abs=1e-4)
    assert 0.5 < p < Platt()(logits)[0]


def test_platt_by_hand_and_back_from_json():
    platt = Platt(2.0, 1.0)
    expected = 1 / (1 + np.exp(-np.array([1.0, 3.0])))
    np.testing.assert_allclose(platt(np.array([0.0, 1.0], dtype=np.float32)), expected, rtol=1e-6)
    assert platt(np.array([1e9], dtype=np.float32))[0] <= 1.0
    calibration = Calibration((platt, Platt()), Platt(0.5), Platt(0.7, -1))
    again = Calibration.from_dict(json.loads(json.dumps(calibration.to_dict())))
    assert again == calibration
