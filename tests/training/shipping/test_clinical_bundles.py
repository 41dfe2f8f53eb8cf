"""Invented radiology reports to a served bundle: coded labels, label-wise heads, names, shared parts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from core.documents.document import Document, Part
from core.model.bundle import load_bundle
from core.model.bundles import read_card
from core.suggest.command import add_arguments, run
from core.suggest.predictor import Predictor
from tests.support.models.workshop import write_encoder
from training.__main__ import main

pytestmark = pytest.mark.usefixtures("single_thread")

TREE = """@\troot
001-999.99\tDiseases and injuries
001-139.99\tInfections
460-519.99\tDiseases of the bay
480-488.99\tFish and quota
486\tFish of the bay, organism unspecified
493\tHoney
493.9\tHoney, unspecified
493.90\tHoney, unspecified type
580-629.99\tDiseases of the railway
599\tOther disorders of the railway
599.0\tTicket of the railway, site not specified
780-799.99\tSymptoms
786\tSymptoms of tax
786.2\tTax
"""
WORDS = {
    "486": "fish in the bay",
    "493.90": "honey on the label",
    "599.0": "railway and the ticket",
    "786.2": "tax on the bank",
}


def report(number: int) -> str:
    codes = list(WORDS)
    own = [codes[number % 4], *([codes[(number + 1) % 4]] if number % 3 == 0 else [])]
    gold = "".join(f'<code origin="CMC_MAJORITY">{code}</code>' for code in own)
    text = ". ".join(WORDS[code] for code in own)
    return (
        f'<doc id="r{number}"><codes>{gold}</codes><texts>'
        f'<text type="CLINICAL_HISTORY">the school teacher, noise</text>'
        f'<text type="IMPRESSION">{text}.</text></texts></doc>'
    )


CONFIG = """
name = "reports"
preset = "small"
[data]
format = "cmc2007"
path = "reports"
vocabulary = "tree.tsv"
labels = "coded"
fold = "all"
[model]
encoder = "encoder"
plan = "flat"
frozen = "words"
label_attention = "label_wise"
[reading]
mode = "first"
max_length_tokens = 48
[optim]
epochs = 0
min_steps = 60
batch_size = 8
encoder_lr = 5e-3
head_lr = 3e-2
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "reports").mkdir()
    (folder / "reports" / "reports.xml").write_text(
        f"<docs>{''.join(map(report, range(60)))}</docs>", "utf-8"
    )
    (folder / "tree.tsv").write_text(TREE, "utf-8")
    write_encoder(folder / "encoder")
    config = folder / "run.toml"
    config.write_text(CONFIG, "utf-8")
    linear, trained, out = folder / "linear", folder / "run", folder / "models" / "reports"
    assert main(["linear", "--config", str(config), "--names", "--out", str(linear)]) == 0
    assert main(["train", str(config), "--out", str(trained)]) == 0
    shared = ["--shared", str(folder / "models" / "shared")]
    packaged = ["bundle", str(trained), "--linear", str(linear), "--name", "reports", *shared]
    assert main([*packaged, "--out", str(out)]) == 0
    return out


def fish() -> Document:
    parts = (Part("the school teacher, noise", "history"), Part("fish in the bay", "impression"))
    return Document("new", "", parts)


def test_its_labels_are_the_codes_of_the_reports_and_what_is_above_them(bundle: Path) -> None:
    space = load_bundle(bundle).label_space
    offered = {i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok}
    assert offered == set(WORDS)
    assert {"480-488.99", "460-519.99"} < set(space.concept_ids)
    assert "001-139.99" not in space
    assert space.hierarchy.vocabulary_id == "icd9cm"


def test_it_shares_what_did_not_learn_and_says_how_large_that_is(bundle: Path) -> None:
    card = read_card(bundle)
    names = {path.name.split("-", 1)[1] for path in (bundle.parent / "shared").iterdir()}
    assert names == {"tokenizer.json", "word_embeddings.safetensors"}
    assert (card.problem, card.suggesters) == (None, ("guided", "linear"))
    assert card.shared_bytes > 0


def test_it_suggests_the_code_with_its_branch_and_its_evidence(bundle: Path) -> None:
    predictor = Predictor.load(bundle)
    prediction = predictor.suggest(fish(), limit=3)
    best = prediction.suggestions[0]
    assert (best.concept_id, best.notation) == ("486", "486")
    assert best.probability > 0.3
    assert prediction.branch_probability["480-488.99"] >= best.probability - 1e-6
    evidence = predictor.explain(fish()).evidence([best.concept_id])
    said = " ".join(p.text for one in evidence.values() for p in one.passages)
    assert "fish" in said or "bay" in said


def test_the_command_suggests_with_it(bundle: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "reports.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"id": "a", "text": "railway and the ticket"}) + "\n", "utf-8")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = [
        *("--input", str(source), "--output", str(out)),
        *("--bundle", str(bundle), "--limit", "2"),
    ]
    assert run(parser.parse_args(arguments)) == 0
    (line,) = [json.loads(row) for row in out.read_text("utf-8").splitlines()]
    assert line["suggestions"][0]["concept_id"] == "599.0"
