"""A bundle that learns documents that came after those that it knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.model.bundle.manifest import identity, read_manifest, record_metrics
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.suggester import RankedSuggester
from tests.support.labelled import act
from tests.support.models.tiny_bundle import tiny_label_space, tiny_linear, write_tiny_bundle
from tests.support.models.tiny_ranker import INDEXED
from training.__main__ import main
from training.corpora.corpus import Corpus
from training.ranking.examples import Examples, order_quality
from training.ranking.indexing import index_documents
from training.retraining.newer_documents import kept_apart, read_newer_documents
from training.retraining.refresh import COUNTED, Refresh, refresh, rehearsal
from training.shipping.shipped import require_unseen

HIERARCHY = tiny_label_space().hierarchy


def test_a_table_is_read_as_the_app_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "acts.csv"
    label = HIERARCHY["106"].label()
    path.write_text(
        f"celex_id,title,date,descriptors\nb,Fish,2031-05-01,{label}; 101\na,Bay,2030-01-01,203\n"
        "c,Honey,2030-02-01,no such thing\n",
        "utf-8",
    )
    found = read_newer_documents([path], HIERARCHY)
    assert [row.document_id for row in found] == ["a", "b"]  # “c” has no concept that is known
    assert set(found[1].assigned) == {"106", "101"}


def test_a_table_without_concepts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "acts.csv"
    path.write_text("id,title\na,Fish\n", "utf-8")
    with pytest.raises(ConfigError, match="no column of concepts"):
        read_newer_documents([path], HIERARCHY)
    with pytest.raises(ConfigError, match="There is no file"):
        read_newer_documents([tmp_path / "gone.csv"], HIERARCHY)


def test_the_newest_are_kept_apart(newer: Path) -> None:
    learned, judged = kept_apart(read_newer_documents([newer], HIERARCHY), 0.2)
    assert [row.document_id for row in judged] == ["a7", "a9"]
    assert len(learned) == 8


def test_later_documents_join_those_of_an_index() -> None:
    space = tiny_label_space()
    vector = tiny_linear(space).vector
    before = index_documents(INDEXED, space, vector)
    later = index_documents([act("9", "203", title="Fish quota", text="honey")], space, vector)
    both = before.joined(later, still_recent=False)
    assert both.assigned.shape[0] == both.vectors.shape[0] == len(INDEXED) + 1
    assert both.is_recent.tolist() == [False, False, False, True]
    assert both.n_assigned.sum() == before.n_assigned.sum() + 1
    assert (both.labels.n_titles, both.labels.n_texts) == (4, 3)
    assert both.labels.in_texts.sum() == before.labels.in_texts.sum() + later.labels.in_texts.sum()


def test_earlier_documents_are_drawn_from_the_last_years() -> None:
    rows = [replace(act(f"{year}", "106"), date=f"{year}-01-01") for year in range(1990, 2018)]
    drawn = rehearsal(rows, n_newer=4)
    assert len(drawn) == 6
    assert min(row.date for row in drawn) >= "2009"
    assert rehearsal([], n_newer=4) == []


def test_the_gain_of_candidates_by_hand() -> None:
    examples = Examples(
        document_ids=np.array(["a", "b"]),
        has_text=np.array([False, False]),
        ends=np.array([0, 2, 3]),
        positions=np.array([0, 1, 0]),
        rows=np.zeros((3, 1), np.float32),
        is_assigned=np.array([False, True, False]),
        n_assigned=np.array([2, 0]),
    )
    gold = examples.gold()
    assert gold == [[1, -1], []]
    # The right one second, and one that is no candidate: 1 / log2(3) of 1 + 1 / log2(3).
    second = order_quality(examples, gold, np.array([1.0, 0.5, 0.0], np.float32))
    assert second[0] == pytest.approx(0.63093 / 1.63093, abs=1e-5)
    assert np.isnan(second[1])
    first = order_quality(examples, gold, np.array([0.5, 1.0, 0.0], np.float32))
    assert first[0] == pytest.approx(1 / 1.63093, abs=1e-5)


def test_a_refreshed_bundle_knows_the_newer_documents(
    bundle: Path, newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = identity(read_manifest(bundle))
    made = tmp_path / "made"
    assert main(["refresh", str(bundle), str(newer), "--out", str(made)]) == 0
    assert "on the newest 2" in capsys.readouterr().out
    assert identity(read_manifest(bundle)) == before
    suggester = find_part(load_suggester(made), RankedSuggester)
    assert suggester is not None
    indexed: IndexedDocuments = suggester.features.indexed
    assert indexed.assigned.shape[0] == len(INDEXED) + 8
    manifest = read_manifest(made)
    assert manifest["training"]["refreshed"]["documents"] == 8
    assert manifest["training"]["refreshed"]["newest"] == "2031-01-06"
    assert set(manifest["metrics"]) == {"Newest documents"}
    assert manifest["about"]["refreshed"] == "8 newer documents, to 2031-01-06"
    heads = [load_bundle(folder).guided[0].assigned_head for folder in (bundle, made)]
    before_it, after_it = (head.weight.detach().numpy() for head in heads if head is not None)
    assert not np.allclose(before_it, after_it)
    # The linear suggester stays, since the documents that it has learned from are not at hand.
    linear = [(folder / "linear.safetensors").read_bytes() for folder in (bundle, made)]
    assert linear[0] == linear[1]


def test_with_the_earlier_documents_the_linear_suggester_learns_too(
    bundle: Path, newer: Path, tmp_path: Path
) -> None:
    earlier = tuple(
        act(f"e{n}", "203", title="Railway ticket", text="A railway in the bay") for n in range(3)
    )
    made = tmp_path / "made"
    corpus = Corpus("earlier", earlier, (), ())
    assert refresh(Refresh(bundle, [newer], corpus, 0.0), made, say=lambda _: None) is None
    suggester = find_part(load_suggester(made), RankedSuggester)
    assert suggester is not None
    assert suggester.features.indexed.assigned.shape[0] == len(earlier) + 10
    linear = [(folder / "linear_terms.txt").read_text("utf-8") for folder in (bundle, made)]
    assert linear[0] != linear[1]


def test_a_folder_that_is_there_stays_as_it_is(bundle: Path, newer: Path) -> None:
    before = identity(read_manifest(bundle))
    with pytest.raises(ConfigError, match="is there already"):
        refresh(Refresh(bundle, [newer]), bundle, say=lambda _: None)
    assert identity(read_manifest(bundle)) == before


def test_a_bundle_without_a_ranker_is_refused(tmp_path: Path, newer: Path) -> None:
    write_tiny_bundle(tmp_path / "plain", linear=True)
    with pytest.raises(ConfigError, match="has no ranker"):
        refresh(Refresh(tmp_path / "plain", [newer]), tmp_path / "made", say=lambda _: None)


def test_what_was_stopped_goes_on_and_leaves_nothing_behind(
    bundle: Path, newer: Path, tmp_path: Path
) -> None:
    def stop(sentence: str) -> None:
        if sentence == COUNTED:
            raise KeyboardInterrupt

    made, whole = tmp_path / "made", tmp_path / "whole"
    written = []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            refresh(Refresh(bundle, [newer]), made, say=stop)
        (checkpoint,) = tmp_path.glob("made.unfinished-*/encoder/checkpoint.pt")
        written.append(checkpoint.stat().st_mtime_ns)
    assert written[0] == written[1]  # the second time, nothing was left to train
    refresh(Refresh(bundle, [newer]), made, say=lambda _: None)
    refresh(Refresh(bundle, [newer]), whole, say=lambda _: None)
    weights = [sorted(path.glob("model-*.safetensors")) for path in (made, whole)]
    assert [p.read_bytes() for p in weights[0]] == [p.read_bytes() for p in weights[1]]
    assert not list(tmp_path.glob("*.unfinished-*"))


def test_it_is_not_judged_by_what_it_was_refreshed_with(
    bundle: Path, newer: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    record_metrics(bundle, {"test": {"all": {"ndcg@5": 0.7}}})
    assert main(["refresh", str(bundle), str(newer), "--out", str(made), "--judged", "0"]) == 0
    manifest = read_manifest(made)
    assert manifest["metrics"] == {"test": {"all": {"ndcg@5": 0.7}}}
    assert manifest["about"]["judged"]["test"] == "Measured before newer documents were learned."
    files = read_manifest(made)["training"]["refreshed"]["sha256"]
    corpus = Corpus("newer", (), (), (), sha256={"test.jsonl": files["newer.jsonl"]})
    with pytest.raises(ConfigError, match="was refreshed with test"):
        require_unseen(made, corpus, "test")
    require_unseen(bundle, corpus, "test")
