"""From what was decided in a project to a bundle that is offered, with a real store."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.model.bundle.cards import read_card
from core.model.bundle.manifest import DECISIONS
from core.review.store.projects import Project, default_project, keep_model
from core.review.store.store import Store
from core.serving.retraining import (
    FAILED,
    OFFERED,
    STOPPED,
    Retraining,
    folder_of,
    lock_of,
    retraining_of,
    take_retrained,
)
from core.settings import Settings
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.opening import open_suggester, with_names
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.garden import garden, note, slimy
from tests.support.garden_home import RAKES, finish, garden_project, garden_settings
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle
from tests.support.named_codes import named_codes
from training.__main__ import main
from training.retraining import correction, making, progress
from training.retraining import retrain as retrain_module
from training.retraining.material import read_material
from training.retraining.retrain import JUDGED, PLAN, retrain


def chances(directory: Path, home: Path, title: str) -> dict[str, float]:
    suggester = open_suggester(directory, None, home)
    assert suggester is not None
    rows = suggester.suggest(note(900, title)).suggestions
    return {row.concept_id: row.probability for row in rows}


def offer(settings: Settings) -> Retraining:
    found = retraining_of(settings, garden_project(settings))
    assert found is not None
    assert found.state == OFFERED
    return found


def test_a_thesaurus_without_a_model_ends_with_a_bundle_that_is_opened_elsewhere(
    garden_home: Settings, tmp_path: Path
) -> None:
    made, compared = retrain("garden", garden_home)
    assert made == Path(offer(garden_home).bundle)
    assert (compared.n_learned, compared.n_judged) == (13, 3)
    assert [(group.name, group.n_assigned) for group in compared.by_frequency] == [
        ("assigned 1 to 9 times", 3)
    ]
    assert {group.name: group.n_assigned for group in compared.by_branch} == {
        "animals": 2,
        "tools": 1,
    }

    card = read_card(made)
    assert (card.problem, card.vocabulary_id) == (None, "garden")
    assert card.suggesters == ("linear", DECISIONS)
    assert card.training.n_documents == 13
    assert card.retrained == "13 finished documents of the project garden"
    assert card.metrics[JUDGED]["all"]["ndcg@5"] == pytest.approx(compared.ndcg, abs=1e-4)

    elsewhere = tmp_path / "elsewhere"
    moved = elsewhere / "models" / "garden"
    moved.parent.mkdir(parents=True)
    made.rename(moved)
    found = chances(moved, elsewhere, "Slimy visitors ate the lettuce in another week")
    assert max(found, key=lambda i: found[i]) == "snail"
    found = chances(moved, elsewhere, "Autumn leaves lay everywhere again")
    assert max(found, key=lambda i: found[i]) == "rake"
    assert found.get("spade", 0) < 0.1


def test_what_is_fitted_on_the_documents_takes_part_where_there_are_enough(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(correction, "FEWEST_FITTED", 6)
    monkeypatch.setattr(correction, "OWN_SHARES", (0.65,))
    made, compared = retrain("garden", garden_home)
    assert (made / "own_ranker.safetensors").is_file()
    assert compared.ndcg > 0.6
    assert json.loads((made / "correction.json").read_text())["title"]["own_share"] == 0.65


def test_the_command_says_what_was_found_and_where_it_is(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATA_HOME", str(garden_home.home))
    monkeypatch.setenv("STRATA_DATABASE_URL", garden_home.database_url)
    monkeypatch.setenv("STRATA_BUNDLE", str(garden_home.bundle_dir))
    assert main(["retrain", "--project", "garden"]) == 0
    said = capsys.readouterr().out
    offered = retraining_of(garden_home, garden_project(garden_home))
    assert offered is not None
    assert (offered.state, offered.bundle) == (OFFERED, said.splitlines()[-1])
    assert "on the newest 3 (difference" in said
    assert main(["retrain", "--project", "meadow"]) == 1
    assert "There is no project meadow; there are: garden." in capsys.readouterr().err


def test_too_few_documents_are_said_to_be_too_few(tmp_path: Path) -> None:
    settings = garden_settings(tmp_path / "home")
    store = Store.open(settings.database_url)
    finish(store, RAKES, "rake")
    store.close()
    with pytest.raises(ConfigError, match="6 finished documents of this project have a concept"):
        retrain("garden", settings)
    found = retraining_of(settings, garden_project(settings))
    assert found is not None
    assert found.state == FAILED
    assert "retraining needs 10" in found.problem


def test_codes_without_a_model_end_with_a_bundle_beside_their_names(tmp_path: Path) -> None:
    settings = garden_settings(tmp_path / "home")
    versions = VocabularyVersions(settings.home)
    keep(versions, named_codes(), file_name="codes.csv", sha256="1" * 64, report={})
    store = Store.open(settings.database_url)
    knees = [note(n, "Visit", f"Swollen joint after the fall, week {n}.") for n in range(8)]
    coughs = [note(20 + n, "Visit", f"Barking at night, week {n}.") for n in range(8)]
    finish(store, knees[:6], "M25.569", vocabulary_id="icd10cm")
    finish(store, coughs[:7], "R05", vocabulary_id="icd10cm")
    finish(store, [*knees[6:], coughs[7]], "M25.569", vocabulary_id="icd10cm")
    keep_model(store, default_project(store, "icd10cm").project_id, "none")
    store.close()
    made, compared = retrain("icd10cm", settings)
    assert (compared.n_learned, compared.n_judged) == (13, 3)
    assert read_card(made).suggesters == ("linear", DECISIONS)
    suggester = open_suggester(made, None, settings.home)
    assert suggester is not None
    text = "Swollen joint after a fall. Asthmatic bronchitis NOS."
    found = suggester.suggest(note(90, "Visit", text)).suggestions
    assert {row.concept_id for row in found[:2]} == {"M25.569", "J45.90"}
    assert suggester.bundle_hash != with_names(None, named_codes(), settings.home).bundle_hash


def test_two_processes_do_not_retrain_for_one_project(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LOCK_SECONDS", 0.1)
    folder = folder_of(garden_home, 1)
    folder.mkdir(parents=True)
    with lock_of(folder), pytest.raises(ConfigError, match="is being retrained already"):
        retrain("garden", garden_home)


def test_documents_that_are_gone_after_a_restore_are_planned_without(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(garden_home, monkeypatch)
    plan = folder_of(garden_home, 1) / PLAN
    kept = json.loads(plan.read_text())
    for row in kept["learned"]:
        row["id"] = f"gone {row['id']}"
    plan.write_text(json.dumps(kept))
    _, compared = retrain("garden", garden_home)
    assert (compared.n_learned, compared.n_judged) == (13, 3)


def test_what_was_fitted_for_a_project_of_another_database_is_fitted_anew(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(garden_home, monkeypatch)
    weights = folder_of(garden_home, 1) / "words" / "whole" / "linear.safetensors"
    assert weights.is_file()
    monkeypatch.setattr(Project, "identity", "of another database")
    monkeypatch.setattr(retrain_module, "read_material", stop)
    with pytest.raises(KeyboardInterrupt):
        retrain("garden", garden_home)
    assert not weights.exists()


def stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def stop_half_way(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop when words were weighed."""
    with monkeypatch.context() as patched:
        patched.setattr(making, "fit_correction", stop)
        with pytest.raises(KeyboardInterrupt):
            retrain("garden", settings)


def test_what_was_stopped_goes_on_with_what_was_decided_then(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(garden_home, monkeypatch)
    stopped = retraining_of(garden_home, garden_project(garden_home))
    assert stopped is not None
    assert (stopped.state, stopped.stage) == (STOPPED, making.WORDS)
    weights = folder_of(garden_home, 1) / "words" / "whole" / "linear.safetensors"
    before = weights.stat().st_mtime_ns

    store = Store.open(garden_home.database_url)
    finish(store, [slimy(70)], "hedgehog")
    material = read_material(store, 1, folder_of(garden_home, 1) / PLAN)
    store.close()
    assert len(material.learned) + len(material.judged) == 16

    fitted: list[int] = []
    with monkeypatch.context() as patched:
        fit = making.fit_correction

        def note_time(*args, **options):  # type: ignore[no-untyped-def]
            fitted.append(weights.stat().st_mtime_ns)
            return fit(*args, **options)

        patched.setattr(making, "fit_correction", note_time)
        _, compared = retrain("garden", garden_home)
    assert fitted == [before], "the words were weighed only once"
    assert compared.n_learned + compared.n_judged == 16


def with_model(home: Path) -> tuple[Settings, str]:
    """Return a home with a model, in which twelve notes have one concept, and this concept."""
    base = home / "models" / "tiny"
    write_tiny_bundle(base, linear=True)
    settings = Settings(home, f"sqlite:///{home}/s.sqlite", base, "en", home / "shipped")
    store = Store.open(settings.database_url)
    space = tiny_label_space()
    concept = next(i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok)
    slugs = [note(n, f"Slimy visitors in week {n}") for n in range(12)]
    finish(store, slugs, concept, vocabulary_id=space.hierarchy.vocabulary_id)
    store.close()
    return settings, concept


def test_an_encoder_goes_on_learning_where_it_is_asked_to(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings, concept = with_model(home)
    made, _ = retrain("1", settings, encoder=True)
    first, second = load_bundle(settings.bundle_dir), load_bundle(made)
    assert second.manifest["suggesters"] == [*first.manifest["suggesters"], DECISIONS]
    before, after = first.guided[0].state_dict(), second.guided[0].state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert any(name.startswith("encoder.") for name in changed)
    assert any(name.startswith("assigned_head.") for name in changed)
    title = "Slimy visitors in yet another week"
    assert chances(made, home, title)[concept] > chances(settings.bundle_dir, home, title).get(
        concept, 0
    )


def test_there_must_be_an_encoder_to_go_on_learning(garden_home: Settings) -> None:
    with pytest.raises(ConfigError, match="no model whose encoder could go on learning"):
        retrain("garden", garden_home, encoder=True)


def test_what_was_fitted_for_another_version_is_fitted_anew(
    garden_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(garden_home, monkeypatch)
    shears = Concept("shears", "http://x/shears", None, {"en": "shears"}, broader=("tools",))
    newer = Hierarchy(
        [garden(shears)[i] for i in garden(shears)], vocabulary_id="garden", version="2"
    )
    versions = VocabularyVersions(garden_home.home)
    keep(versions, newer, file_name="garden2.ttl", sha256="2" * 64, report={})
    made, compared = retrain("garden", garden_home)
    assert read_card(made).vocabulary_version == "2"
    assert compared.n_learned + compared.n_judged == 16
    left = {path.name for path in folder_of(garden_home, 1).iterdir()}
    assert left == {"lock", "offered", "state.json"}


def test_a_model_stays_as_it_is_and_is_corrected_by_what_was_decided(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings, concept = with_model(home)
    base = settings.bundle_dir
    made, compared = retrain("1", settings)
    assert (compared.n_learned, compared.n_judged) == (10, 2)
    first, second = load_bundle(base), load_bundle(made)
    assert second.sha256 != first.sha256
    assert second.manifest["suggesters"] == [*first.manifest["suggesters"], DECISIONS]
    assert second.manifest["files"].items() >= first.manifest["files"].items()
    assert second.manifest.get("metrics") != first.manifest.get("metrics")
    title = "Slimy visitors in yet another week"
    assert chances(made, home, title)[concept] > chances(base, home, title).get(concept, 0)

    assert offer(settings).serving == first.sha256[:16]
    taken = take_retrained(settings, garden_project(settings))
    store = Store.open(settings.database_url)
    keep_model(store, 1, f"{taken.name}@{second.sha256[:16]}")
    again, compared = retrain("1", settings)
    assert load_bundle(again).manifest["suggesters"].count(DECISIONS) == 1
    assert (compared.n_learned, compared.n_judged) == (10, 2), "on those that it does not know"

    bundled = BundledDecisions.load(again)
    assert len(bundled.documents) == 10
    assert b"note-" not in (again / "decided.safetensors").read_bytes(), "nobody can read the ids"
    keep_model(store, 1, f"{again.name}@{load_bundle(again).sha256[:16]}")
    store.close()


def test_what_serves_is_not_judged_on_documents_that_it_knows(garden_home: Settings) -> None:
    retrain("garden", garden_home)
    taken = take_retrained(garden_home, garden_project(garden_home))
    store = Store.open(garden_home.database_url)
    keep_model(store, 1, f"{taken.name}@{read_card(taken).bundle_hash}")
    is_known = BundledDecisions.load(taken, garden_home.home).knowing()
    plan = garden_home.home / "plan.json"
    material = read_material(store, 1, plan, is_known=is_known)
    assert sum(is_known(row.document) for row in material.learned) == 13
    assert [is_known(row.document) for row in material.judged] == [False] * 3
    plan.unlink()
    with pytest.raises(ConfigError, match="finish 2 more, on which another model"):
        read_material(store, 1, plan, is_known=lambda _: True)
    store.close()


def test_in_doubt_the_general_weights_count_more() -> None:
    steady = np.array([0.5, 0.5, 0.5, 0.5])
    # Ahead by 0.2 on each document, which is no chance; then by 0.01 on average, which is.
    clear = np.stack([steady, steady + 0.2, np.add(steady, (0.25, 0.17, 0.25, 0.17))])
    assert correction.most_general(clear) == 1
    doubtful = np.stack([steady, np.add(steady, (0.3, -0.28, 0.3, -0.28))])
    assert correction.most_general(doubtful) == 0
    undefined = np.stack([steady, steady + 0.2])
    undefined[:, 0] = np.nan
    assert correction.most_general(undefined) == 1
    assert correction.most_general(np.full((3, 2), np.nan)) == 0


def test_documents_that_are_gone_are_left_out(garden_home: Settings) -> None:
    store = Store.open(garden_home.database_url)
    plan = garden_home.home / "plan.json"
    material = read_material(store, 1, plan)
    kept = json.loads(plan.read_text())
    assert "lettuce" not in plan.read_text(), "no text is kept"
    kept["learned"].append({**kept["learned"][0], "id": "gone"})
    assert kept["learned"][0].pop("excluded") == []  # as plans were written before
    kept["learned"][8]["excluded"] = ["tools"]
    plan.write_text(json.dumps(kept))
    again = read_material(store, 1, plan)
    store.close()
    assert [row.document.document_id for row in again.learned] == [
        row.document.document_id for row in material.learned
    ]
    assert material.learned[8].rejected == ("spade",)
    assert again.learned[8].excluded == ("tools",)
    assert replace(again.learned[0], suggested={}) == replace(material.learned[0], suggested={})
    assert set(garden()) >= set(material.judged[0].assigned)
