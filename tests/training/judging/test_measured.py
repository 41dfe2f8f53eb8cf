"""What a bundle's card tells of how good it is: a study's figures, and of which documents they are."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.model.bundle.cards import BundleCard, read_card
from core.model.bundle.manifest import identity, read_manifest
from core.paths import PROJECT_ROOT
from pages.bundles.card import figures, judged_by, splits
from pages.bundles.comparison import compared_figures
from tests.support.typed_commands import options_of
from training.__main__ import main
from training.judging.measured import ArmFigures, read_figures, record_figures, save_figures
from training.judging.recorded import PROGRAM

MODELS = PROJECT_ROOT / "assets" / "models"
RESULTS = PROJECT_ROOT / "docs" / "results"
BUNDLES = sorted(path.parent for path in MODELS.glob("*/bundle.json"))
STUDY = {
    "mine": ArmFigures(60, 5, {"micro_f1": 0.51238749, "map": 0.7}),
    "other": ArmFigures(60, 5, {"micro_f1": 0.4}),
}


def write_manifest(folder: Path) -> Path:
    """A manifest alone; nothing here reads weights."""
    folder.mkdir()
    told = {"format_version": 1, "name": "x", "files": {}, "about": {"languages": ["en"]}}
    (folder / "bundle.json").write_text(json.dumps(told), "utf-8")
    return folder


def test_a_manifest_takes_the_figures_of_its_arm_and_what_they_are_of(tmp_path: Path) -> None:
    save_figures(tmp_path, STUDY, command="python -m training measure codes")
    bundle = write_manifest(tmp_path / "bundle")
    before = identity(read_manifest(bundle))
    words = [str(bundle), "--results", str(tmp_path), "--arm", "mine", "--of", "Notes, five folds"]
    assert main(["card", *words, "--note", "All invented."]) == 0
    told = read_manifest(bundle)
    assert told["metrics"] == {"Notes, five folds": {"all": {"micro_f1": 0.512387, "map": 0.7}}}
    said = told["about"]["judged"]["Notes, five folds"]
    assert "60 documents" in said and "5 folds" in said and "had not seen it" in said
    assert said.endswith("All invented. Command: python -m training measure codes")
    assert told["about"]["languages"] == ["en"]
    assert identity(told) == before


def test_several_arms_are_kinds_and_other_studies_stay(tmp_path: Path) -> None:
    save_figures(tmp_path, STUDY, command="x")
    bundle = write_manifest(tmp_path / "bundle")
    record_figures(bundle, tmp_path, ["mine"], of="once")
    record_figures(bundle, tmp_path, ["mine", "other"], of="twice")
    told = read_manifest(bundle)
    assert set(told["metrics"]["twice"]) == {"mine", "other"}
    assert set(told["metrics"]) == set(told["about"]["judged"]) == {"once", "twice"}


def test_what_no_study_found_is_refused(tmp_path: Path, capsys) -> None:
    bundle = write_manifest(tmp_path / "bundle")
    with pytest.raises(ConfigError, match="holds no figures of a study"):
        record_figures(bundle, tmp_path, ["mine"], of="notes")
    save_figures(tmp_path, STUDY, command="x")
    with pytest.raises(ConfigError, match="no arm “best”; there are mine, other"):
        record_figures(bundle, tmp_path, ["best"], of="notes")
    with pytest.raises(ConfigError, match="mean nothing"):
        record_figures(bundle, tmp_path, ["mine"], of="")
    assert "metrics" not in read_manifest(bundle)
    assert main(["card", str(bundle)]) == 1
    assert "--trained-by" in capsys.readouterr().err


def test_models_that_were_judged_on_other_documents_have_no_difference() -> None:
    acts = BundleCard(Path("a"), "a", metrics={"dev": {"all": {"micro_f1": 0.7}}})
    notes = BundleCard(Path("b"), "b", metrics={"Notes, five folds": {"all": {"micro_f1": 0.9}}})
    assert splits(acts, notes) == ["dev", "Notes, five folds"]
    lines = [line for split in splits(acts, notes) for line in compared_figures(acts, notes, split)]
    assert [line[1:] for line in lines] == [(0.7, None, None), (None, 0.9, None)]
    head, rows = figures(notes, "Notes, five folds")
    assert (head, rows) == (["Notes, five folds, in percent", "All"], [["Micro F1", "90.0"]])


# ---------------------------------------------------------------------- the bundles that come along


@pytest.mark.parametrize(
    ("bundle", "judged"),
    [
        ("icd9cm-radiology", "icd9cm, 5 folds"),
        ("icd10cm-cases", "icd10cm-cases, CodiEsp dev"),
    ],
)
def test_a_clinical_bundle_carries_what_is_served(bundle, judged) -> None:
    card = read_card(MODELS / bundle)
    command, found = read_figures(RESULTS / "served-codes")
    arms = {
        "as_served": f"{judged}, as served",
        "model_alone": f"{judged}, model alone",
    }
    ((of, kinds),) = card.metrics.items()
    assert kinds == {kind: found[arm].means for kind, arm in arms.items()}
    assert command in card.judged[of]
    assert f"{found[next(iter(arms.values()))].documents:,} documents" in card.judged[of]
    # What is printed beside them is the same.
    prose = (PROJECT_ROOT / "docs" / "clinical.md").read_text("utf-8")
    read_me = (MODELS / bundle / "README.md").read_text("utf-8")
    for means in kinds.values():
        for name in ("map", "micro_f1", "macro_f1", "micro_f1@0.5"):
            if name in means and not (name == "micro_f1@0.5" and "micro_f1" in means):
                assert f"{100 * means[name]:.1f}" in read_me
    for name in ("map", "micro_f1@0.5"):
        assert f"{100 * kinds['as_served'][name]:.1f}" in prose


def test_a_page_says_what_figures_are_of_apart_from_their_commands() -> None:
    words, commands = judged_by(read_card(MODELS / "icd9cm-radiology"), "CMC 2007, five folds")
    assert words.startswith("782 documents") and "python" not in words
    assert commands and len(commands.split("\n\n")) == commands.count("python -m training ")


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda folder: folder.name)
def test_the_command_that_trained_a_bundle_can_be_given(folder: Path) -> None:
    command = read_card(folder).training.command
    assert command.startswith(f"{PROGRAM} ")
    words = shlex.split(command.removeprefix(PROGRAM))
    assert options_of(words)
    # The runs that are averaged have commands of their own, which the card lists.
    listed = (folder / "README.md").read_text("utf-8") if words[0] == "average" else command
    configs = re.findall(r"\S+\.toml", listed)
    assert configs and all((PROJECT_ROOT / word).is_file() for word in configs)
