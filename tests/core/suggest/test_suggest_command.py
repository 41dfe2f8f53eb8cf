from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from core.__main__ import main
from core.documents.document import Document
from core.errors import BundleError, ConfigError, VocabularyError
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from core.suggest.opening import load_suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.garden import SLUGS, garden, turtle
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.stores import send
from tests.support.suggest_runs import FakePredictor, load_fake, suggest_with


def suggest(*arguments: object, load: Callable[[Path], FakePredictor] = load_fake) -> int:
    return suggest_with(load, *arguments)


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_document_gets_a_line_with_its_suggestions_best_first(
    source: Path, tmp_path: Path
) -> None:
    assert suggest("--input", source, "--output", tmp_path / "out.jsonl") == 0
    lines = lines_of(tmp_path / "out.jsonl")
    assert [line["id"] for line in lines] == list(range(10))
    assert lines[7] == {
        "id": 7,
        "suggestions": [
            {
                "concept_id": word,
                "uri": f"http://x/{word}",
                "notation": None,
                "pref_label": f"«{word}»",
                "probability": probability,
                "rank": rank,
                "source": "guided",
            }
            for rank, (word, probability) in enumerate(
                [("olive", 0.333333), ("oil", 0.111111), ("7", 0.037037)], start=1
            )
        ],
    }


def test_bad_lines_are_reported_and_counted(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suggest("--input", source, "--output", tmp_path / "out.jsonl")
    report = capsys.readouterr().err.splitlines()
    assert report[0].startswith("line 6: not JSON (")
    assert report[0].endswith("; skipped")
    assert report[-1] == "10 documents read, 1 skipped"


def test_limit_and_threshold_reach_the_predictor(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    suggest("--input", source, "--output", output, "--limit", 1)
    assert {len(line["suggestions"]) for line in lines_of(output)} == {1}  # type: ignore[arg-type]
    suggest("--input", source, "--output", output, "--threshold", 0.1)
    assert {len(line["suggestions"]) for line in lines_of(output)} == {2}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [("--limit", "0"), ("--limit", "x"), ("--threshold", "1.5"), ("--threshold", "nan")],
)
def test_senseless_options_are_refused(source: Path, arguments: tuple[str, str]) -> None:
    assert suggest("--input", source, "--output", "-", *arguments) == 2


def test_a_repeated_id_is_kept_and_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": "a", "title": "x"}\n{"id": "a", "title": "y"}\n', encoding="utf-8")
    suggest("--input", source, "--output", tmp_path / "out.jsonl")
    assert [line["id"] for line in lines_of(tmp_path / "out.jsonl")] == ["a", "a"]
    assert "id a: there more than once; kept" in capsys.readouterr().err


def test_a_dash_writes_to_standard_output(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert suggest("--input", source, "--output", "-") == 0
    written = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["id"] for line in written] == list(range(10))


def test_without_a_valid_line_nothing_is_written_nor_the_bundle_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(bundle_dir: Path) -> FakePredictor:
        raise AssertionError("loaded for nothing")

    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    for content in ("", "{broken\n"):
        source.write_text(content, encoding="utf-8")
        assert suggest("--input", source, "--output", output, load=load) == 1
        assert "holds no document" in capsys.readouterr().err.splitlines()[-1]
    assert not output.exists()


def test_a_bundle_that_cannot_be_loaded_leaves_an_older_output_alone(
    source: Path, tmp_path: Path
) -> None:
    def load(bundle_dir: Path) -> FakePredictor:
        raise BundleError(f"{bundle_dir} holds no bundle.")

    output = tmp_path / "out.jsonl"
    output.write_text("older", encoding="utf-8")
    with pytest.raises(BundleError, match="nowhere"):
        suggest("--input", source, "--output", output, "--bundle", "nowhere", load=load)
    assert output.read_text(encoding="utf-8") == "older"


def test_the_bundle_is_the_one_of_the_settings_unless_named(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []

    def load(bundle_dir: Path) -> FakePredictor:
        loaded.append(bundle_dir)
        return FakePredictor()

    monkeypatch.setenv("STRATA_BUNDLE", str(tmp_path / "mine"))
    suggest("--input", source, "--output", "-", load=load)
    suggest("--input", source, "--output", "-", "--bundle", "other", load=load)
    assert loaded == [tmp_path / "mine", Path("other")]


def test_the_input_is_never_overwritten(source: Path) -> None:
    before = source.read_bytes()
    with pytest.raises(ConfigError, match="is the input"):
        suggest("--input", source, "--output", source)
    assert source.read_bytes() == before


def test_a_document_of_the_input_is_never_overwritten(tmp_path: Path) -> None:
    for name in ("a.txt", "b.html"):
        (tmp_path / name).write_text("On honey", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"b\.html is the input"):
        suggest("--input", tmp_path, "--output", tmp_path / "b.html")
    assert (tmp_path / "b.html").read_text(encoding="utf-8") == "On honey"
    assert suggest("--input", tmp_path, "--output", tmp_path / "out.jsonl") == 0
    assert suggest("--input", tmp_path, "--output", tmp_path / "out.jsonl") == 0


def test_an_output_that_cannot_be_written_is_a_sentence(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written: No such file"):
        suggest("--input", source, "--output", tmp_path / "no" / "out.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_sentence(source: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written: No space left"):
        suggest("--input", source, "--output", "/dev/full")


def test_a_batch_that_breaks_off_keeps_what_it_has_done(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Breaking(FakePredictor):
        def suggest_batch(
            self,
            documents: Iterable[Document],
            *,
            limit: int,
            threshold: float,
            batch_size: int = 4,
        ) -> Iterator[Prediction]:
            everything = super().suggest_batch(documents, limit=limit, threshold=threshold)
            yield from islice(everything, 3)
            raise BundleError("The model broke.")

    output = tmp_path / "out.jsonl"
    with pytest.raises(BundleError):
        suggest("--input", source, "--output", output, load=lambda bundle_dir: Breaking())
    assert [line["id"] for line in lines_of(output)] == [0, 1, 2]
    assert "documents read" in capsys.readouterr().err


FAKE_RUN = """
import sys
from tests.support.suggest_runs import load_fake, suggest_with
sys.exit(suggest_with(load_fake, *sys.argv[1:]))
"""


def on_a_terminal(source: Path, output: Path) -> str:
    outside, inside = os.openpty()
    process = subprocess.run(
        [sys.executable, "-c", FAKE_RUN, "--input", source, "--output", output],
        stderr=inside,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
        check=False,
    )
    os.close(inside)
    shown = os.read(outside, 100_000).decode()
    os.close(outside)
    assert process.returncode == 0
    return shown


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_on_a_terminal_there_is_a_progress_bar(source: Path, tmp_path: Path) -> None:
    shown = on_a_terminal(source, tmp_path / "out.jsonl")
    assert "10/10" in shown
    assert "10 documents read, 1 skipped" in shown


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_progress_bar_parses_no_document_to_count_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in {"a.txt": "Honey", "b.txt": "Olives", "c.pdf": "%PDF-1.7 damaged"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert "2/3" in on_a_terminal(folder, tmp_path / "out.jsonl")


def test_the_command_line_says_one_sentence_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "nowhere.jsonl"
    assert main(["suggest", "--input", str(nowhere), "--output", "-"]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"There is no file or folder {nowhere}.\n")


def test_a_vocabulary_alone_is_suggested_from_by_its_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "garden.ttl").write_text(turtle(), "utf-8")
    (tmp_path / "note.txt").write_text("Sharpening a lawn mower\n\nA rake, too.", "utf-8")
    vocabulary = "--vocabulary", tmp_path / "garden.ttl"
    assert suggest(*vocabulary, "--input", tmp_path / "note.txt", "--output", "-") == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["suggestions"][0]["concept_id"] == "lawn-mower"
    assert {row["source"] for row in line["suggestions"]} == {"lexical"}
    (tmp_path / "empty.ttl").write_text("", "utf-8")
    with pytest.raises(VocabularyError):
        suggest("--vocabulary", tmp_path / "empty.ttl", "--input", tmp_path, "--output", "-")


def test_a_project_adds_what_was_decided_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("STRATA_HOME", str(home))
    keep(VocabularyVersions(home), garden(), file_name="g.ttl", sha256="0" * 64, report={})
    store = Store.open(f"sqlite:///{home}/strata.sqlite")
    project = make_project(store, "Allotment", "garden")
    for slug in SLUGS:
        name = slug.document.document_id
        add_document(store, slug.document, project_id=project.project_id)
        decided = (Operation(1, "add", "snail"), Operation(2, "finish", None))
        send(store, *decided, client_id=name, document_id=name)
    store.close()
    (tmp_path / "note.txt").write_text("Slimy visitors ate more lettuce, new traps", "utf-8")
    words = "--input", tmp_path / "note.txt", "--output", "-"
    for name in ("Allotment", project.project_id):
        assert suggest("--project", name, *words) == 0
        (line,) = map(json.loads, capsys.readouterr().out.splitlines())
        assert line["suggestions"][0]["concept_id"] == "snail"
    with pytest.raises(ConfigError, match="There is no project Orchard; there are: Allotment"):
        suggest("--project", "Orchard", *words)
    with pytest.raises(ConfigError, match="leave out --vocabulary or --project"):
        suggest("--project", "Allotment", "--vocabulary", tmp_path / "note.txt", *words)


def test_a_bundle_in_a_project_is_corrected_by_what_was_decided_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, bundle = tmp_path / "home", tmp_path / "bundle"
    write_tiny_bundle(bundle)
    monkeypatch.setenv("STRATA_HOME", str(home))
    monkeypatch.setenv("STRATA_BUNDLE", str(bundle))
    (tmp_path / "note.txt").write_text("Regulation on the olive harvest of the south", "utf-8")
    words = "--input", tmp_path / "note.txt", "--output", "-", "--limit", 300
    suggester = load_suggester(bundle)
    worst = suggester.suggest(Document.from_text("x", "olive", "")).suggestions[-1].concept_id
    store = Store.open(f"sqlite:///{home}/strata.sqlite")
    project = default_project(store, suggester.vocabulary_id)
    for number in range(12):
        name = f"act-{number}"
        act = Document.from_text(name, f"Regulation {number} on the olive harvest of the south", "")
        add_document(store, act, project_id=project.project_id)
        decided = (Operation(1, "add", worst), Operation(2, "finish", None))
        send(store, *decided, client_id=name, document_id=name)
    store.close()

    def probability(*named: object) -> float:
        assert suggest(*named, *words, load=load_suggester) == 0
        (line,) = map(json.loads, capsys.readouterr().out.splitlines())
        found = {row["concept_id"]: row["probability"] for row in line["suggestions"]}
        return found[worst]

    alone = probability("--bundle", bundle)
    learned = probability("--project", project.name)
    assert alone < learned
    assert probability("--bundle", bundle, "--project", project.name) == learned
    assert probability("--bundle", bundle) == alone
