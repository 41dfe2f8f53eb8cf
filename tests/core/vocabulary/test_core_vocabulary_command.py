from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.paths import PROJECT_ROOT
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.files.code_files import write_list, write_release, write_table, write_tree
from tests.support.files.generate_skos import write
from tests.support.places import TINY_SKOS


def test_json_has_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vocabulary", str(TINY_SKOS), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("seconds") >= 0
    assert found == {
        "vocabulary_id": "all",
        "version": "1.0",
        "concepts": 17,
        "deprecated": 0,
        "edges": 16,
        "top_concepts": 2,
        "levels": [2, 3, 4, 5, 3],
        "schemes": [
            f"http://vocabulary.example/{name}"
            for name in ("all", "domains", "t0406", "t0411", "t0806")
        ],
        "languages": ["en", "fr"],
        "mended": [],
    }


def test_mendings_are_listed_with_concept_problem_and_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text(TINY_SKOS.read_text("utf-8") + "\n:101 skos:broader :103 .", "utf-8")
    assert main(["vocabulary", str(path), "--json"]) == 0
    (mending,) = json.loads(capsys.readouterr().out)["mended"]
    assert mending["concept"] == "http://vocabulary.example/101"
    assert "cycle" in mending["problem"]
    assert mending["action"] == "the link to http://vocabulary.example/103 was dropped"


def test_text_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.ttl"
    gone = "".join(f"\n:101 skos:broader :gone{n} ." for n in range(25))
    path.write_text(TINY_SKOS.read_text("utf-8") + gone, "utf-8")
    assert main(["vocabulary", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "levels        2, 3, 4, 5, 3" in printed
    assert "languages     en, fr" in printed
    assert "http://vocabulary.example/gone0" in printed
    assert "gone24" not in printed
    assert "and 5 more" in printed


@pytest.mark.parametrize("content", [b"", b"<html></html>", b"\x00\x01", b"hello there", None])
def test_a_refusal_is_one_sentence_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    path = tmp_path / "file.rdf"
    if content is not None:
        path.write_bytes(content)
    assert main(["vocabulary", str(path), "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(str(path))
    assert printed.err.count("\n") == 1


def test_the_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "core", "vocabulary"]
    good = subprocess.run([*command, TINY_SKOS], cwd=PROJECT_ROOT, capture_output=True, check=False)
    assert (good.returncode, good.stderr) == (0, b"")
    bad = subprocess.run(
        [*command, PROJECT_ROOT / "README.md"], cwd=PROJECT_ROOT, capture_output=True, check=False
    )
    assert (bad.returncode, bad.stdout) == (1, b"")
    assert b"Traceback" not in bad.stderr


def test_reading_a_vocabulary_loads_no_model() -> None:
    code = (
        "import sys; from core.__main__ import main; main(['vocabulary', sys.argv[1]]); "
        "sys.exit(bool({'torch', 'transformers', 'streamlit'} & sys.modules.keys()))"
    )
    subprocess.run(
        [sys.executable, "-c", code, TINY_SKOS], cwd=PROJECT_ROOT, capture_output=True, check=True
    )


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vocabularies"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("No such command 'vocabularies'. Did you mean 'vocabulary'? See `")
    assert said.count("\n") == 1


def test_a_generated_vocabulary_is_read_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "generated.rdf"
    write(path, concepts=100, languages=24)
    assert main(["vocabulary", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["concepts"] == 100 + 21 + 127
    assert found["levels"][:2] == [21, 127]
    assert len(found["languages"]) == 24
    assert found["mended"] == []


def test_files_of_icd9_are_reported_as_one_beside_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(write(tmp_path)) for write in (write_tree, write_release, write_table)]
    assert main(["vocabulary", *files]) == 0
    printed = capsys.readouterr().out
    assert "icd9cm v32, read in" in printed
    assert "untitled      3 divisions" in printed
    assert "    1            4       4           +0" in printed
    assert "17.1 has no title in the files" in printed


def test_a_table_is_called_as_one_says_and_kept_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / "home"))
    path = str(write_list(tmp_path))
    assert main(["vocabulary", path, "--id", "ward", "--import", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["assignable"], found["categories"]) == (3, 1)  # A has two codes below it
    (entry,) = VocabularyVersions(tmp_path / "home").entries()
    assert (entry.vocabulary_id, entry.file_name) == ("ward", "rounds.csv")
