"""Runs in parts, by one process."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.batches.results import COLUMNS, write_csv
from core.errors import ConfigError
from core.model.bundle.cards import read_card
from core.paths import PROJECT_ROOT
from core.review.store.projects import keep_elsewhere, keep_switches, make_project
from core.review.store.store import Store
from core.suggest.elsewhere.choice import ANNIF, SuggesterElsewhere
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.batch_runs import (
    StoppingPredictor,
    rows_of,
    suggest_in_parts,
    write_rows,
    written,
)
from tests.support.files.office_files import partly_scanned_pdf
from tests.support.garden import garden, turtle
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.suggest_runs import load_fake, suggest_with
from tests.support.waiting import wait_until


def ids_of(lines: list[dict[str, object]]) -> list[object]:
    return [line["id"] for line in lines]


def test_parts_hold_every_document_in_the_order_of_the_input(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25)
    assert suggest_in_parts(source, tmp_path / "out", "--part-documents", 10) == 0
    assert ids_of(written(tmp_path / "out")) == list(range(25))
    parts = sorted(path.name for path in (tmp_path / "out").glob("part-*"))
    assert parts == [f"part-00000{n}.jsonl" for n in range(3)]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["documents"], report["skipped"], report["parts"]) == (25, 0, 3)


def test_parts_say_what_one_file_says(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25)
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10)
    (tmp_path / "other").mkdir()
    suggest_in_parts(source, tmp_path / "other", "--part-documents", 1000)
    assert written(tmp_path / "out") == written(tmp_path / "other")


def test_broken_rows_are_written_apart_with_their_reason(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25, broken=(3, 21))
    with source.open("a") as file:
        file.write('{"id": 99, "title": ""}\n')
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10)
    bad = [
        json.loads(line)
        for path in sorted((tmp_path / "out").glob("bad-*"))
        for line in path.read_text().splitlines()
    ]
    assert [row["where"] for row in bad] == [f"in.jsonl, line {n}" for n in (4, 23, 28)]
    assert bad[0]["row"] == "{broken"
    assert bad[0]["reason"].startswith("not JSON (")
    assert bad[2]["reason"] == "neither title nor text"
    assert "'id': 99" in bad[2]["row"]


def test_a_run_that_was_stopped_goes_on_and_reads_nothing_twice(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 95, broken=(15,))
    first, second = StoppingPredictor(most=37), StoppingPredictor()
    with pytest.raises(KeyboardInterrupt):
        suggest_in_parts(source, tmp_path / "out", "--part-documents", 10, suggester=first)
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10, suggester=second)
    assert second.read == [str(n) for n in range(30, 95)]
    assert ids_of(written(tmp_path / "out")) == list(range(95))
    assert not list((tmp_path / "out").glob(".new-*"))


def test_gaps_are_filled_and_what_stands_behind_them_is_not_read(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 50, broken=(12, 33))
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10)
    before = written(tmp_path / "out")
    for number in (1, 3):
        (tmp_path / "out" / "marks" / f"part-00000{number}.json").unlink()
    (tmp_path / "out" / "report.json").unlink()
    again = StoppingPredictor()
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10, suggester=again)
    assert again.read == [str(n) for n in (*range(10, 20), *range(30, 40))]
    assert written(tmp_path / "out") == before


def test_a_finished_run_is_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_rows(tmp_path / "in.jsonl", 5)
    suggest_in_parts(source, tmp_path / "out")
    again = StoppingPredictor()
    assert suggest_in_parts(source, tmp_path / "out", suggester=again) == 0
    assert again.read == []
    assert "is finished: 5 documents read, 0 skipped" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "what"), [(("--limit", 3), "limit"), (("--format", "csv"), "format")]
)
def test_other_settings_are_another_run(
    tmp_path: Path, more: tuple[object, ...], what: str
) -> None:
    source = write_rows(tmp_path / "in.jsonl", 5)
    suggest_in_parts(source, tmp_path / "out")
    with pytest.raises(ConfigError, match=f"another {what}: name another folder"):
        suggest_in_parts(source, tmp_path / "out", *more)


def test_another_suggester_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25)
    first, second = StoppingPredictor(most=12), StoppingPredictor()
    with pytest.raises(KeyboardInterrupt):
        suggest_in_parts(source, tmp_path / "out", "--part-documents", 10, suggester=first)
    second.bundle_hash = "other"
    with pytest.raises(ConfigError, match="begun with the suggester fake, and this is other"):
        suggest_in_parts(source, tmp_path / "out", "--part-documents", 10, suggester=second)


def test_a_finished_run_of_another_bundle_is_no_result_of_this_one(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 5)
    for seed, name in enumerate(("march", "april"), start=1):
        write_tiny_bundle(tmp_path / name, name=name, seed=seed)
    suggest_in_parts(source, tmp_path / "out", "--bundle", tmp_path / "march")
    (tmp_path / "march").rename(tmp_path / "moved")
    suggest_in_parts(source, tmp_path / "out", "--bundle", tmp_path / "moved")
    with pytest.raises(ConfigError, match="holds a run with another bundle: name another folder"):
        suggest_in_parts(source, tmp_path / "out", "--bundle", tmp_path / "april")


def test_labels_of_another_file_are_another_run(tmp_path: Path) -> None:
    source, labels = write_rows(tmp_path / "in.jsonl", 5), tmp_path / "garden.ttl"
    labels.write_text(turtle(), "utf-8")
    asked = source, tmp_path / "out", "--vocabulary", labels
    suggest_in_parts(*asked)
    assert suggest_in_parts(*asked) == 0
    labels.write_text(turtle() + "\n", "utf-8")
    with pytest.raises(ConfigError, match="holds a run with another vocabulary"):
        suggest_in_parts(*asked)


def test_a_project_with_another_model_is_another_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, home = write_rows(tmp_path / "in.jsonl", 5), tmp_path / "home"
    write_tiny_bundle(home / "models" / "march")
    card = read_card(home / "models" / "march")
    keep(VocabularyVersions(home), garden(), file_name="g.ttl", sha256="0" * 64, report={})
    store = Store.open(f"sqlite:///{home}/strata.sqlite")
    project = make_project(store, "Allotment", "garden")
    asked = source, tmp_path / "out", "--project", "Allotment"
    suggest_in_parts(*asked)
    assert suggest_in_parts(*asked) == 0
    assert "since had no part in it" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="holds a run with another bundle"):
        suggest_in_parts(*asked, "--bundle", card.directory)
    keep_elsewhere(store, project.project_id, SuggesterElsewhere(ANNIF, "https://a.example", "x"))
    assert suggest_in_parts(*asked) == 0  # no host is allowed
    other = make_project(store, "Orchard", "garden")
    keep_switches(store, project.project_id, vocabulary_choice="0")
    with pytest.raises(ConfigError, match="holds a run with another vocabulary"):
        suggest_in_parts(*asked)
    store.close()
    with pytest.raises(ConfigError, match="holds a run with another source of suggestions"):
        suggest_in_parts(*asked[:-1], str(other.project_id))


def test_a_run_goes_on_in_the_precision_in_which_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25)
    asked = source, tmp_path / "out", "--part-documents", 10
    with pytest.raises(KeyboardInterrupt):
        suggest_in_parts(*asked, suggester=StoppingPredictor(most=12))
    monkeypatch.setenv("STRATA_PRECISION", "bf16")
    suggest_in_parts(*asked)
    assert os.environ["STRATA_PRECISION"] == "fp32"
    assert "goes on in fp32, in which it began" in capsys.readouterr().err


def test_many_files_are_read_in_their_order_and_only_the_last_again(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_rows(folder / "b.jsonl", 12)
    with gzip.open(folder / "a.jsonl.gz", "wt") as packed:
        packed.writelines(json.dumps({"title": f"packed {n}"}) + "\n" for n in range(12))
    with (folder / "c.csv").open("w") as table:
        table.write("Id,Title\n" + "".join(f"c{n},honey {n}\n" for n in range(12)))
    (folder / "d.txt").write_text("A text\n\nof its own")
    pq.write_table(pa.table({"id": ["p"], "title": ["a parquet"]}), folder / "e.parquet")
    (folder / "readme.rst").write_text("not read")
    (folder / "~$d.docx").write_text("not read")
    first, second = StoppingPredictor(most=29), StoppingPredictor()
    more = "--part-documents", 10
    with pytest.raises(KeyboardInterrupt):
        suggest_in_parts(folder, tmp_path / "out", *more, suggester=first)
    (folder / "a.jsonl.gz").write_bytes(b"x" * (folder / "a.jsonl.gz").stat().st_size)
    suggest_in_parts(folder, tmp_path / "out", *more, suggester=second)
    expected = [*range(1, 13), *range(12), *(f"c{n}" for n in range(12)), "d", "p"]
    assert ids_of(written(tmp_path / "out")) == expected
    assert len(second.read) == 38 - 20


def test_odd_names_and_links_are_read_as_any_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / os.fsdecode(b"caf\xe9.md")).write_text("On coffee")
    (tmp_path / "in" / "a::b.md").write_text("On two colons, by which fsspec joins file systems")
    (tmp_path / "far.txt").write_text("On honey")
    (tmp_path / "in" / "near.txt").symlink_to(tmp_path / "far.txt")
    (tmp_path / "in" / "gone.txt").symlink_to(tmp_path / "nothing.txt")
    assert suggest_in_parts(tmp_path / "in", tmp_path / "out") == 0
    assert [row["id"] for row in written(tmp_path / "out")] == ["a::b", "caf?", "near"]
    assert suggest_with(load_fake, "--input", tmp_path / "in", "--output", tmp_path / "o") == 0
    rows = [json.loads(line) for line in (tmp_path / "o").read_text("utf-8").splitlines()]
    assert rows == written(tmp_path / "out")


def test_what_is_not_read_of_a_file_or_folder_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "acts" / "2025").mkdir(parents=True)
    (tmp_path / "acts" / "half.pdf").write_bytes(partly_scanned_pdf("tp"))
    (tmp_path / "acts" / "old.doc").write_text("not read")
    (tmp_path / "acts" / ".DS_Store").write_text("not read")
    suggest_in_parts(tmp_path / "acts", tmp_path / "out")
    said = capsys.readouterr().err
    assert "half: Some of its pages hold pictures" in said
    assert f"2 files and folders in {tmp_path / 'acts'} are left out, 2025 first" in said
    suggest_with(load_fake, "--input", tmp_path / "acts", "--output", tmp_path / "o")
    assert "half: Some of its pages hold pictures" in capsys.readouterr().err


def test_a_pattern_takes_no_files_of_a_system_unless_it_names_them(tmp_path: Path) -> None:
    for name in ("a.txt", "~$a.txt", ".DS_Store", ".b.txt"):
        (tmp_path / name).write_text("On honey")
    suggest_in_parts(tmp_path / "*", tmp_path / "out")
    assert ids_of(written(tmp_path / "out")) == ["a"] and not list(tmp_path.glob("out/bad-*"))
    suggest_in_parts(tmp_path / ".*.txt", tmp_path / "out2")
    assert ids_of(written(tmp_path / "out2")) == [".b"]


def test_a_folder_in_memory_is_as_good_as_one_on_a_disk(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/in/a.jsonl", write_rows(tmp_path / "a.jsonl", 25).read_bytes())
    first, second = StoppingPredictor(most=12), StoppingPredictor()
    more = "--part-documents", 10
    with pytest.raises(KeyboardInterrupt):
        suggest_in_parts("memory://in/", "memory://out", *more, suggester=first)
    suggest_in_parts("memory://in/*.jsonl", "memory://out2", *more)
    suggest_in_parts("memory://in/", "memory://out", *more, suggester=second)
    parts = [memory.cat(f"/out/part-00000{n}.jsonl") for n in range(3)]
    assert parts == [memory.cat(f"/out2/part-00000{n}.jsonl") for n in range(3)]
    assert len(second.read) == 15


def test_csv_has_a_row_a_suggestion_and_parquet_a_row_a_document(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", 12)
    suggest_in_parts(source, tmp_path / "json")
    for name in ("csv", "parquet"):
        suggest_in_parts(source, tmp_path / name, "--format", name)
    lines = written(tmp_path / "json")
    rows = list(csv.DictReader((tmp_path / "csv" / "part-000000.csv").read_text().splitlines()))
    flat = [(str(line["id"]), s["concept_id"], str(s["probability"])) for line in lines
            for s in line["suggestions"]]  # type: ignore[attr-defined]  # fmt: skip
    assert [(row["id"], row["concept_id"], row["probability"]) for row in rows] == flat
    table = pq.read_table(tmp_path / "parquet" / "part-000000.parquet").to_pylist()
    assert [row["id"] for row in table] == [str(row["id"]) for row in rows_of(12)]
    assert [row["suggestions"] for row in table] == [
        [dict(s) for s in line["suggestions"]]  # type: ignore[attr-defined]
        for line in lines
    ]


def test_no_cell_of_a_csv_runs_as_a_formula() -> None:
    file, label = io.BytesIO(), "=SUM(A1)"
    suggestion = dict.fromkeys(COLUMNS, "x") | {"pref_label": label, "probability": -0.5}
    write_csv([{"id": "-7", "suggestions": [suggestion]}, {"id": -7, "suggestions": []}], file)
    first, second = csv.DictReader(io.StringIO(file.getvalue().decode()))
    assert (first["id"], first["pref_label"], first["probability"]) == ("'-7", f"'{label}", "-0.5")
    assert second["id"] == "-7"


def test_long_documents_make_shorter_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.batches.parts.MOST_CHARACTERS", 100)
    source = write_rows(tmp_path / "in.jsonl", 20)
    suggest_in_parts(source, tmp_path / "out")
    assert len(list((tmp_path / "out").glob("part-*"))) > 2
    assert ids_of(written(tmp_path / "out")) == list(range(20))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.jsonl", "There is no file"),
        ("nosuch://place", "cannot be read: Protocol not known"),
    ],
)
def test_an_input_that_is_not_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=said):
        suggest_in_parts(source, tmp_path / "out")


def test_an_input_without_documents_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{broken\n")
    assert suggest_in_parts(tmp_path / "in.jsonl", tmp_path / "out") == 1
    with pytest.raises(ConfigError, match="is the input"):
        suggest_in_parts(tmp_path / "out", tmp_path / "out")


PARTS_RUN = """
import sys, resource
from tests.support.batch_runs import suggest_in_parts
suggest_in_parts(sys.argv[1], sys.argv[2], *sys.argv[3:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def started(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PARTS_RUN, *map(str, arguments)],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="kills as Linux does")
def test_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    source, output = write_rows(tmp_path / "in.jsonl", 30_000), tmp_path / "out"
    arguments = source, output, "--part-documents", 100
    for wanted in (3, 8):
        process = started(*arguments)
        wait_until(lambda n=wanted: len(list(output.glob("marks/*"))) >= n, 120)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    kept = {path: path.stat().st_mtime_ns for path in output.glob("marks/*")}
    assert not (output / "report.json").exists()
    process = started(*arguments)
    process.communicate(timeout=300)
    assert process.returncode == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert ids_of(written(output)) == list(range(30_000))


@pytest.mark.skipif(os.name != "posix", reason="measures as Linux does")
def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    peaks = []
    for n in (4_000, 40_000):
        process = started(write_rows(tmp_path / f"{n}.jsonl", n), tmp_path / str(n))
        out, _ = process.communicate(timeout=600)
        peaks.append(int(out))
    assert peaks[1] < peaks[0] + 20, f"{peaks} MB"


def test_time_left_is_judged_by_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_rows(tmp_path / "in.jsonl", 25)
    suggest_in_parts(source, tmp_path / "out", "--part-documents", 10)
    said = capsys.readouterr().err
    assert "25 documents, " in said
    assert "100% of the input, 0:00:00 left" in said
