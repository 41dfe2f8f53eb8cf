"""The commands that fit what ranks codes, and judge codes as they are served."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.clinical.ranking.ranker import CodeRanker
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.model.bundle.manifest import MANIFEST, identity, read_manifest, write_json
from core.suggest.opening import open_suggester
from tests.support.files.report_words import WORDS
from training.__main__ import main
from training.corpora.readers.clinical.codiesp import read_codiesp

pytestmark = pytest.mark.usefixtures("home")


def folds(reports: Path, option: str = "") -> list[str]:
    bundles = [str(reports / f"fold-{number}") for number in (1, 2)]
    return [word for one in bundles for word in ([option, one] if option else [one])]


def data(reports: Path) -> list[str]:
    return ["--format", "cmc2007", "--data", str(reports / "reports")]


def test_a_bundle_gets_what_its_folds_teach(reports: Path, tmp_path: Path, home: Path) -> None:
    bundle, out = tmp_path / "bundle", tmp_path / "rankers"
    shutil.copytree(reports / "fold-1", bundle)
    before = identity(read_manifest(bundle))
    words = [*folds(reports), *data(reports), "--into", str(bundle), "--out", str(out)]
    assert main(["fit", "codes", *words]) == 0

    ranker = CodeRanker.load(bundle)
    assert ranker.counts.n_documents == 60 and ranker.counts.learned == set(WORDS)
    assert set(ranker.counts.phrases.codes) == set(WORDS) and ranker.documents is not None
    assert identity(read_manifest(bundle)) != before
    beside, alone = (CodeRanker.load(out / name) for name in ("beside", "alone"))
    assert beside.counts.n_documents == 0 and alone.counts.n_documents == 60
    assert not alone.counts.phrases.codes and alone.documents is None

    suggester = open_suggester(bundle, None, home)
    assert isinstance(suggester, CodesSuggester)
    found = suggester.suggest(Document.from_text("n", "", f"the school. {WORDS['599.0']}"))
    best = found.suggestions[0]
    assert best.concept_id == "599.0" and best.probability > 0.5
    assert all(one.probability < 0.5 for one in found.suggestions[1:])


def test_folds_are_judged_by_rankers_of_the_others(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page"
    words = [*folds(reports, "--fold-bundle"), *data(reports), "--out", str(out)]
    assert main(["measure", "codes", *words]) == 0
    arms = json.loads((out / "figures.json").read_text("utf-8"))["arms"]
    assert set(arms) == {"icd9cm, 2 folds, model alone", "icd9cm, 2 folds, as served"}
    served = arms["icd9cm, 2 folds, as served"]
    assert (served["documents"], served["folds"]) == (60, 2)
    assert served["means"]["micro_f1@0.5"] > 0.9
    assert "as served" in capsys.readouterr().out
    assert "python -m training measure codes --fold-bundle" in (out / "README.md").read_text()


def test_reports_are_judged_as_one_text_by_rankers_of_their_parts(
    reports: Path, tmp_path: Path
) -> None:
    notes, out = tmp_path / "ward.jsonl", tmp_path / "page"
    texts = [{"text": "Cough.", "kind": "history"}, {"text": "tax, ticket.", "kind": "impression"}]
    notes.write_text(json.dumps({"id": "e", "notes": texts, "codes": ["786.2"]}) + "\n", "utf-8")
    words = [*folds(reports, "--fold-bundle"), *data(reports), "--bundle", str(reports / "fold-1")]
    assert (
        main(["measure", "codes", *words, "--notes", str(notes), "--as-text", "--out", str(out)])
        == 0
    )
    found = json.loads((out / "figures.json").read_text("utf-8"))
    assert set(found["arms"]) == {
        "icd9cm, 2 folds, model alone, as one text",
        "icd9cm, 2 folds, as served, as one text",
        "fold-1, ward notes, as served, as one text",
    }
    assert found["arms"]["icd9cm, 2 folds, as served, as one text"]["means"]["micro_f1@0.5"] > 0.9
    assert found["command"].endswith("--as-text")


def test_notes_are_judged_as_the_page_serves_them(reports: Path, tmp_path: Path) -> None:
    notes, out = tmp_path / "ward.jsonl", tmp_path / "page"
    encounter = {"id": "e", "notes": [{"text": "Seen today: tax, ticket of the railway."}]}
    notes.write_text(json.dumps({**encounter, "codes": ["786.2", "486"]}) + "\n", "utf-8")
    words = ["--bundle", str(reports / "fold-1"), "--notes", str(notes), "--out", str(out)]
    assert main(["measure", "codes", *words]) == 0
    arms = json.loads((out / "figures.json").read_text("utf-8"))["arms"]
    (name,) = arms
    assert name == "fold-1, ward notes, as served" and arms[name]["documents"] == 1


def test_without_anything_to_judge_the_command_says_what_to_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "codes", "--out", str(tmp_path)]) == 1
    assert "name --fold-bundle, or --bundle" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["codes", "learned-codes"])
def test_a_bundle_that_has_learned_dev_is_not_judged_by_it(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    cases, bundle = tmp_path / "cases", tmp_path / "bundle"
    cases.mkdir()
    for split in ("train", "dev"):
        row = {"id": split, "text": "Coughing at school.", "icd10cm": ["R05"], "icd10pcs": []}
        (cases / f"{split}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    shutil.copytree(reports / "fold-1", bundle)
    learned = {"seen": ["train", "dev"], "data_sha256": dict(read_codiesp(cases).sha256)}
    write_json(bundle / MANIFEST, {**read_manifest(bundle), "training": learned})
    named = {
        "codes": ["--cases", str(cases)],
        "learned-codes": [str(cases), str(reports / "reports"), str(reports)],
    }
    words = [*named[command], "--bundle", str(bundle), "--out", str(tmp_path / "page")]
    assert main(["measure", command, *words]) == 1
    assert "has learned from dev" in capsys.readouterr().err
    assert not (tmp_path / "page").exists()
