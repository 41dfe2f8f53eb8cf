"""Cards of bundles: read from manifests alone, and of what is broken too."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.model.bundle.bundle import load_bundle
from core.model.bundle.cards import BundleCard, find_bundles, read_card
from core.model.bundle.manifest import record_about, record_metrics
from core.paths import PROJECT_ROOT
from core.settings import Settings
from pages.bundles.card import facts


def change(folder: Path, **facts: object) -> None:
    manifest = json.loads((folder / "bundle.json").read_text())
    (folder / "bundle.json").write_text(json.dumps({**manifest, **facts}))


def only(settings: Settings) -> BundleCard:
    (card,) = find_bundles(settings)
    return card


def test_a_card_says_what_loading_finds(settings: Settings) -> None:
    card, bundle = only(settings), load_bundle(settings.bundle_dir)
    assert card.sha256 == bundle.sha256 and card.bundle_hash == bundle.sha256[:16]
    assert (card.name, card.vocabulary_id) == (
        bundle.name,
        bundle.label_space.hierarchy.vocabulary_id,
    )
    assert card.level_sizes == bundle.model.shape.level_sizes
    encoder = bundle.model.encoder.config
    assert (card.n_layers, card.hidden_size) == (encoder.num_hidden_layers, encoder.hidden_size)
    assert card.size_bytes == sum(p.stat().st_size for p in settings.bundle_dir.iterdir())
    assert card.problem is None


def test_a_card_says_how_much_of_a_text_the_encoder_is_given(settings: Settings) -> None:
    assert "encoder" not in dict(facts(only(settings)))["Reads"]
    reading = json.loads((settings.bundle_dir / "bundle.json").read_text())["reading"]
    for number, words in ((8, "the first 8 of these alone"), (1, "the first one of these alone")):
        change(settings.bundle_dir, reading={**reading, "max_windows": number})
        assert dict(facts(only(settings)))["Reads"].endswith(f"; its encoder reads {words}")


def test_the_shipped_bundle_has_a_card_with_all_that_a_lead_needs() -> None:
    card = read_card(PROJECT_ROOT / "assets" / "models" / "eurovoc")
    assert card.problem is None
    assert (card.vocabulary_id, card.plan, card.n_assigned) == ("eurovoc", "flat", 7317)
    assert {"all", "titles", "full_texts"} <= card.metrics["test"].keys()
    assert card.training.n_documents and card.training.trained_at and card.training.commit
    assert card.languages == ("en",) and "EuroVoc" in card.licence["vocabulary"]


def test_a_folder_that_is_copied_into_the_home_is_found_at_the_next_look(
    settings: Settings,
) -> None:
    assert len(find_bundles(settings)) == 1
    shutil.copytree(settings.bundle_dir, settings.own_models / "copy")
    (settings.own_models / ".hidden").mkdir()
    (settings.own_models / "notes.txt").write_text("not a bundle")
    found = {card.directory.name for card in find_bundles(settings)}
    assert found == {"tiny", "copy"}


def test_what_is_missing_or_half_copied_is_a_card_that_says_so(settings: Settings) -> None:
    folder = settings.own_models / "half"
    shutil.copytree(settings.bundle_dir, folder)
    (folder / "model-00001.safetensors").write_bytes(b"beginning")
    assert "has 9 bytes and should have" in (read_card(folder).problem or "")
    (folder / "model-00001.safetensors").unlink()
    assert "model-00001.safetensors is missing" in (read_card(folder).problem or "")
    (folder / "tokenizer.json").unlink()
    assert "and 1 other file are missing" in (read_card(folder).problem or "")
    (folder / "bundle.json").unlink()
    card = read_card(folder)
    assert (card.name, card.sha256) == ("half", "")
    assert "bundle.json is missing" in (card.problem or "")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"format_version": 9}, "of format 9"),
        ({"shape": None}, "does not describe a bundle"),
        ({"encoder": {"model_type": "bert"}}, "num_hidden_layers"),
        ({"files": {}}, "lists no files"),
        ({"files": {"../../secret": {"bytes": 1}}}, "not a file of its folder"),
        ({"metrics": [1]}, "does not describe a bundle"),
        ({"shape": {"plan": "flat", "level_sizes": [float("inf")]}}, "OverflowError"),
        ({"metrics": {"test": {"all": {"p@5": 10**400}}}}, "OverflowError"),
        ({"files": {"x" * 300: {"bytes": 1}}}, "cannot be read: File name too long"),
        ({"name": "\ud800"}, "UnicodeEncodeError"),
        ({"suggesters": "guided"}, "'guided' is no list"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_a_card_that_says_so(
    settings: Settings, facts: dict[str, object], said: str
) -> None:
    change(settings.bundle_dir, **facts)
    assert said in (only(settings).problem or "")


def test_a_manifest_without_end_and_a_place_that_cannot_be_read_take_nothing_down(
    settings: Settings,
) -> None:
    other = settings.shipped_models / "deep"
    other.mkdir()
    (other / "bundle.json").write_text("[" * 100_000)
    elsewhere = replace(settings, home=settings.home / ("x" * 300))
    assert [card.name for card in find_bundles(elsewhere)] == ["deep", "tiny"]
    assert "cannot be read" in (read_card(other).problem or "")


def test_a_language_that_is_no_list_is_not_read_by_letters(settings: Settings) -> None:
    record_about(settings.bundle_dir, {"languages": "en"})
    assert (only(settings).languages, only(settings).problem) == ((), None)


def test_figures_and_facts_that_are_written_later_leave_it_the_same_bundle(
    settings: Settings,
) -> None:
    before = only(settings)
    record_metrics(settings.bundle_dir, {"test": {"all": {"ndcg@5": 0.5, "note": "good"}}})
    record_about(settings.bundle_dir, {"languages": ["en", "de"], "training_documents": 12})
    (settings.bundle_dir / "insights").mkdir()
    (settings.bundle_dir / "insights" / "insights-dev.json").write_text("{}")
    after = only(settings)
    assert after.sha256 == before.sha256 == load_bundle(settings.bundle_dir).sha256
    assert after.metrics == {"test": {"all": {"ndcg@5": 0.5}}}
    assert (after.languages, after.training.n_documents) == (("en", "de"), 12)


def test_cards_are_read_without_torch(settings: Settings) -> None:
    code = (
        "import sys; from pathlib import Path; from core.model.bundle.cards import read_card;"
        f"assert read_card(Path({str(settings.bundle_dir)!r})).problem is None;"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.stdout.strip() == "False", run.stderr
