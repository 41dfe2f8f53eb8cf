"""Bundles that travel: by a folder, and by a model hub on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from core.__main__ import main
from core.model.bundle.bundle import load_bundle
from core.model.bundle.cards import find_bundles, read_card
from core.model.bundle.hub_card import hub_card, without_header
from core.model.bundle.manifest import MANIFEST, read_manifest, write_json
from core.paths import PROJECT_ROOT
from core.settings import Settings
from tests.support.browser.server import free_port
from tests.support.model_hub import model_hub


def test_a_bundle_comes_to_another_home_by_a_folder(
    shared_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick" / "tiny")]) == 0
    assert main(["bundle", "pull", str(tmp_path / "stick" / "tiny")]) == 0
    identity = read_card(shared_bundle).sha256
    assert capsys.readouterr().out.count(identity[:16]) == 2
    settings = Settings.from_env()
    (card,) = [c for c in find_bundles(settings) if c.directory.parent == settings.own_models]
    assert (card.sha256, card.problem) == (identity, None)
    assert load_bundle(settings.own_models / "tiny").sha256 == identity
    assert not list(settings.own_models.glob(".travelling-*"))


def test_what_was_pulled_serves_by_one_command(shared_bundle: Path, tmp_path: Path) -> None:
    main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")])
    main(["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "there" / "tiny")])
    (tmp_path / "in.jsonl").write_text('{"title": "quota in the bay"}\n')
    answers = []
    for folder in (shared_bundle, tmp_path / "there" / "tiny"):
        words = ["--input", str(tmp_path / "in.jsonl"), "--output", str(tmp_path / "out.jsonl")]
        assert main(["suggest", "--bundle", str(folder), *words]) == 0
        answers.append(json.loads((tmp_path / "out.jsonl").read_text()))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", ["calibration.json", "model-00001.safetensors", "shared"])
def test_a_file_that_changed_on_the_way_is_refused(
    shared_bundle: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")])
    file = tmp_path / "stick" / name
    file = next(file.iterdir()) if file.is_dir() else file
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert main(["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got")]) == 1
    assert "is not what it was when pushed" in capsys.readouterr().err
    assert not (tmp_path / "got").exists()
    file.unlink()
    assert main(["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got")]) == 1
    assert "is missing" in capsys.readouterr().err


def test_a_damaged_bundle_is_not_pushed(
    shared_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shared_bundle / "calibration.json").write_text("{}")
    assert main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")]) == 1
    assert "is damaged" in capsys.readouterr().err
    assert not (tmp_path / "stick").exists()


def test_names_that_leave_the_folder_and_code_are_refused(
    shared_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")])
    manifest = json.loads((tmp_path / "stick" / "bundle.json").read_text())
    for name in ("../escaped.json", "model.py", "weights.pkl"):
        changed = manifest | {"files": {name: {"sha256": "0", "bytes": 1}}}
        (tmp_path / "stick" / "bundle.json").write_text(json.dumps(changed))
        words = ["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got")]
        assert main(words) == 1
        said = capsys.readouterr().err
        assert f"bundle in {tmp_path / 'stick'} is damaged: {name} is no file of a bundle" in said


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("{", "is damaged: bundle.json cannot be read"),
        ("[]", "is damaged: bundle.json holds no settings"),
        ('{"format_version": 0}', "is of format 0"),
        ('{"format_version": 1}', "is damaged: bundle.json lists no files"),
    ],
)
def test_a_damaged_manifest_is_named_by_where_it_comes_from(
    tmp_path: Path, manifest: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick" / "bundle.json").write_text(manifest)
    assert main(["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got")]) == 1
    assert f"bundle in {tmp_path / 'stick'} {message}" in capsys.readouterr().err


def test_what_a_manifest_does_not_list_stays_behind(shared_bundle: Path, tmp_path: Path) -> None:
    main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")])
    (tmp_path / "stick" / "setup.py").write_text("raise SystemExit")
    (tmp_path / "stick" / "notes.txt").write_text("of somebody")
    assert main(["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got")]) == 0
    names = {path.name for path in (tmp_path / "got").iterdir()}
    assert names == {"README.md", "bundle.json", *load_bundle(shared_bundle).manifest["files"]}


def test_a_folder_of_something_else_is_not_replaced(
    shared_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letters").write_text("dear")
    assert main(["bundle", "push", str(shared_bundle), str(tmp_path / "mine")]) == 1
    assert "holds something else than a bundle" in capsys.readouterr().err
    assert main(["bundle", "pull", str(tmp_path / "mine"), "--out", str(tmp_path / "got")]) == 1
    assert "there is no bundle.json in it" in capsys.readouterr().err


def test_another_bundle_than_was_asked_for_is_refused(
    shared_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["bundle", "push", str(shared_bundle), str(tmp_path / "stick")])
    words = ["bundle", "pull", str(tmp_path / "stick"), "--out", str(tmp_path / "got"), "--sha256"]
    assert main([*words, "f" * 16]) == 1
    assert f"and {'f' * 16} was asked for" in capsys.readouterr().err
    assert main([*words, read_card(shared_bundle).sha256]) == 0


def test_a_card_has_the_header_of_a_hub(
    shared_bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = PROJECT_ROOT / "assets" / "models" / "eurovoc"
    assert main(["bundle", "card", str(shipped)]) == 0
    text = capsys.readouterr().out
    header = yaml.safe_load(text.split("---\n")[1])
    assert header["license"] == "apache-2.0"
    assert header["base_model"] == "sentence-transformers/all-MiniLM-L6-v2"
    (result,) = header["model-index"][0]["results"]
    assert "of the twin" in result["dataset"]["name"]
    assert without_header(text).strip() == (shipped / "README.md").read_text("utf-8").strip()
    again = hub_card(read_card(shipped), text)
    assert again == text
    assert main(["bundle", "card", str(shared_bundle)]) == 0
    assert "names no licence of the weights" in capsys.readouterr().out
    manifest = read_manifest(shared_bundle) | {"licence": {"training_data": "CC0-1.0"}}
    write_json(shared_bundle / MANIFEST, manifest)
    assert main(["bundle", "card", str(shared_bundle)]) == 0
    assert "Licence of the training data: CC0-1.0" in capsys.readouterr().out


def test_the_header_is_one_that_the_client_of_the_hub_reads() -> None:
    from huggingface_hub import ModelCard

    shipped = PROJECT_ROOT / "assets" / "models" / "eurovoc"
    card = ModelCard(hub_card(read_card(shipped)))
    assert card.data.library_name == "strata"
    assert {result.metric_type for result in card.data.eval_results} >= {"micro_f1"}


def command(address: str, home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "HF_ENDPOINT": address,
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "hf_invented",
        "HF_HOME": str(home / "hub"),
        "STRATA_HOME": str(home),
    }
    return subprocess.run(
        [sys.executable, "-m", "core", "bundle", *map(str, words)],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_bundle_goes_to_a_hub_and_comes_back(shared_bundle: Path, tmp_path: Path) -> None:
    with model_hub() as (address, hub):
        hub.files["model-00009.safetensors"] = b"of an earlier bundle"
        pushed = command(address, tmp_path / "a", "push", shared_bundle, "hf://me/tiny")
        assert pushed.returncode == 0, pushed.stderr
        assert "README.md" in hub.files
        assert "model-00009.safetensors" not in hub.files
        pulled = command(address, tmp_path / "b", "pull", "hf://me/tiny")
        assert pulled.returncode == 0, pulled.stderr
        assert not any("telemetry" in path for path in hub.asked)
        there = tmp_path / "b" / "models" / "tiny"
        assert load_bundle(there).sha256 == load_bundle(shared_bundle).sha256
        hub.files["calibration.json"] += b" "
        refused = command(address, tmp_path / "c", "pull", "hf://me/tiny")
        assert refused.returncode == 1
        assert "calibration.json of the bundle in hf://me/tiny is larger" in refused.stderr


def test_a_hub_that_cannot_be_reached_is_told_after_the_tries_of_its_client(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", waited.append)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    assert main(["bundle", "pull", "hf://me/tiny"]) == 1
    told = capsys.readouterr().err
    assert ". Look at HF_TOKEN" in told
    assert ".." not in told
    assert waited


def test_a_hub_is_not_asked_offline_nor_by_a_malformed_address(
    shared_bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert main(["bundle", "pull", "hf://me/tiny"]) == 1
    assert "since HF_HUB_OFFLINE is set" in capsys.readouterr().err
    assert main(["bundle", "push", str(shared_bundle), "hf://tiny"]) == 1
    assert "is no address on a model hub" in capsys.readouterr().err
