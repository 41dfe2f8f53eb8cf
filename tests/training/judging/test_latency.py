"""Times of a run, a bundle and a baseline in one session, and the tables that they become."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tests.support.files.timing_files import ONE, timing
from training.__main__ import main
from training.judging.latency import LatencyBenchmark
from training.judging.timed_models import _bundle_parameters, timed_model
from training.results.speed_tables import latency_page, latency_table, measured_on, times
from training.results.timings import add_timings, read_timings


def test_all_kinds_are_measured_in_one_session(timed_models: Path, tmp_path: Path, capsys) -> None:
    folders = [str(timed_models / name) for name in ("run", "bundle", "svm")]
    options = ["--batch-size", "4", "--repeats", "2", "--single", "3", "--threads", "1"]
    assert main(["measure", "latency", *folders, *options, "--out", str(tmp_path)]) == 0
    found = read_timings(tmp_path)
    assert [one.arm for one in found] == ["tiny", "bundle", "bundle", "svm"]
    assert len({one.session for one in found}) == 1
    assert [one.batch_size for one in found] == [4, 16, 4, 4]  # a bundle also as the app reads it
    for one in found:
        assert one.n_documents == 12
        assert one.single_documents == 3
        assert 0 < one.p50_ms <= one.p95_ms
        assert one.batch_seconds > 0
        assert one.parameters > 0
        assert one.n_bytes > 0
        assert one.command.startswith("python -m training measure latency …/run …/bundle …/svm")
        assert "tmp" not in one.command
        assert one.command.endswith(
            " --batch-size 4 --repeats 2 --single 3 --documents 0 --threads 1"
        )
    assert found[0].seed == 1
    said = capsys.readouterr().out
    assert said.splitlines()[0].startswith("| Model ")
    assert "of tiny" in said


def test_only_some_documents_are_read_where_asked(timed_models: Path, tmp_path: Path) -> None:
    command = ["measure", "latency", str(timed_models / "svm"), "--documents", "5", "--single", "9"]
    assert main([*command, "--repeats", "1", "--split", "test", "--out", str(tmp_path)]) == 0
    (one,) = read_timings(tmp_path)
    assert (one.split, one.n_documents, one.single_documents) == ("test", 5, 5)


def test_what_cannot_read_or_is_there_twice_is_said(
    timed_models: Path, tmp_path: Path, capsys
) -> None:
    twice = [str(timed_models / "svm")] * 2
    assert main(["measure", "latency", *twice, "--repeats", "1"]) == 1
    assert "Two models go by the name 'svm'" in capsys.readouterr().err
    (tmp_path / "old").mkdir()
    facts = (timed_models / "svm" / "run.json").read_text()
    (tmp_path / "old" / "run.json").write_text(facts)
    assert main(["measure", "latency", str(tmp_path / "old")]) == 1
    assert "keeps no baseline that could read a text" in capsys.readouterr().err


def test_ratios_are_to_lstm_reg_in_its_fastest_way() -> None:
    slower = timing("lstm_reg", seed=2, batch_seconds=4.0)
    table = latency_table([timing("lr"), slower, ONE, timing("docbert", parameters=-1)])
    header, _, lr, seed_2, lstm, docbert = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    assert header[4] == header[7] == "of LSTM_reg"
    assert lr[3:8] == ["0.20", "0.1 ×", "1,000", "0.4 / 31.5", "0.02 ×"]
    assert seed_2[0] == "LSTM_reg, seed 2"
    assert lstm[3:6] == ["2.00", "1 ×", "100"]
    assert docbert[3:5] == ["60.00", "30 ×"]
    assert docbert[8:] == ["–", "4.9"]
    assert "of HAN" in latency_table([timing("han"), timing("lr")])  # without it, of the first
    assert [times(ratio) for ratio in (0.123, 1.0, 9.96, 60.4)] == ["0.12 ×", "1 ×", "10 ×", "60 ×"]


def test_sessions_stand_apart_on_the_page(tmp_path: Path) -> None:
    add_timings([ONE, timing("lr"), replace(ONE, session="2026-11-21T11:00:00Z")], tmp_path)
    page = latency_page(tmp_path)
    assert page.count("*200 documents of dev, cpu, 2 threads, load before 0.1") == 2
    assert page.index("2026-11-20") < page.index("2026-11-21T11")  # the one with more models first
    # What is published is of Reuters: a page without LSTM_reg is of something else.
    assert page.endswith(
        "LSTM_reg 0.5 s (1 ×), BERT-BASE 30.3 s (60 ×) over the validation set of Reuters.\n"
    )
    add_timings([timing("eurovoc")], tmp_path / "acts")
    assert "Published" not in latency_page(tmp_path / "acts")


def test_parameters_are_those_of_the_served_model_and_bytes_count_its_words(
    timed_models: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(timed_models / "run", tmp_path / "run")
    told = json.loads((run / "run.json").read_text())["parameters"]
    words = run / "tokenizer.json"
    words.unlink(missing_ok=True)
    without = timed_model(run)
    assert without.parameters == told
    shutil.copy(timed_models / "bundle" / "tokenizer.json", words)
    assert timed_model(run).n_bytes == without.n_bytes + words.stat().st_size


def test_what_is_kept_along_with_weights_is_no_parameter(tmp_path: Path) -> None:
    kept = {"weight": 40, "concept": 40, "concepts_of_term": 9, "idf": 9, "scale": 5, "bias": 5}
    kept |= {"head.weight": 12, "head.weight::scale": 3}
    tensors = {name: np.zeros(size, np.float32) for name, size in kept.items()}
    save_file(tensors, tmp_path / "linear.safetensors")
    assert _bundle_parameters(tmp_path) == 40 + 5 + 12


def test_threads_are_those_that_a_model_really_reads_with(timed_models: Path) -> None:
    assert LatencyBenchmark().threads == 1
    assert timed_model(timed_models / "svm").threads == 1
    assert timed_model(timed_models / "run").threads == 0  # those of torch
    mixed = measured_on([replace(ONE, threads=2), timing("lr", threads=1)])
    assert ", 1 or 2 threads, load" in mixed
    assert ", 1 thread, load" in measured_on([timing("lr", threads=1)])
