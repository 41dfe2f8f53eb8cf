"""Teachers: whose labels, which documents, and what is kept of them."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import numpy as np
import pytest
import torch

from core.documents.document import Document
from core.errors import ConfigError
from core.suggest.opening import load_suggester
from core.vocabulary.labels import LabelSpace
from tests.support.models.network_workshop import changed
from tests.support.models.tiny_bundle import DEPTH, tiny_label_space, write_tiny_bundle
from tests.support.models.workshop import make_workshop
from training.config import ReadingConfig, RunConfig, load_config
from training.corpora.corpus import Corpus, LabelledDocument
from training.corpora.label_spaces import flat_hierarchy
from training.distill.student import KeptLogits, TeacherInputs, written_alone
from training.distill.teacher import Teacher, load_teacher, teacher_identity
from training.distill.teacher_data import (
    as_read,
    ask,
    check_teacher,
    distill_loss,
    other_data_warning,
    shared_labels,
    teacher_logits,
)
from training.distill.transfer import MASK
from training.fitting.losses import GuidedLoss
from training.fitting.train import train
from training.judging.scores import Scores

WORDS = ("fish quota bay", "honey label animal", "railway ticket price", "tax loan bank")
COLOURS = LabelSpace(flat_hierarchy("colours", {"red": "Red", "green": "Green", "blue": "Blue"}))


def documents(n: int) -> list[LabelledDocument]:
    return [
        LabelledDocument(Document.from_text(f"d{i}", f"{WORDS[i % 4]} {i}", ""), ("red",))
        for i in range(n)
    ]


def said(rows: list[LabelledDocument] | tuple[LabelledDocument, ...]) -> np.ndarray:
    """What the invented teacher says: the document's number decides."""
    numbers = np.array([int(row.document_id[1:]) for row in rows])
    return np.stack([0.1 + 0 * numbers, (1 + numbers % 5) / 10, 0.9 - 0 * numbers], axis=1)


def colour_teacher(n_batches: float = np.inf, objective: str = "multi_label") -> Teacher:
    """A teacher of three colours, which is interrupted after some batches."""
    read: list[int] = []

    def scores(rows: list[LabelledDocument]) -> Scores:
        if len(read) >= n_batches:
            raise KeyboardInterrupt
        read.append(len(rows))
        return Scores(tuple(r.document_id for r in rows), assigned=said(rows).astype(np.float32))

    known = {"levels": np.empty(0, dtype=np.int64), "assigned": np.arange(3)}
    return Teacher(Path("colours"), COLOURS, objective, known, scores)


def test_columns_are_found_by_concept_id_and_labels_of_one_alone_left_out():
    # Columns of the teacher are sorted by id: blue, green, red.
    pairs = shared_labels(colour_teacher(), "multi_label", {"assigned": ["red", "pink", "blue"]})
    assert pairs == {"assigned": [(0, 2), (2, 0)]}


def test_labels_in_another_order_get_their_own_logits(tmp_path):
    rows = documents(3)
    pairs = shared_labels(colour_teacher(), "multi_label", {"assigned": ["red", "pink", "green"]})
    kept = KeptLogits(tmp_path, 3)
    ask(colour_teacher(), kept, rows, pairs)
    found = torch.sigmoid(kept.of([2, 0]).assigned)
    torch.testing.assert_close(found, torch.tensor([[0.9, 0.3], [0.9, 0.1]]), atol=1e-3, rtol=0)
    assert kept.column_index("assigned", 3).tolist() == [0, 2]
    assert kept.column_index("assigned", 2) is None
    assert kept.of([0]).levels is None


def test_nothing_in_common_is_said_with_a_label():
    with pytest.raises(ConfigError, match=r"None of the student's labels, such as “pink”.*colours"):
        shared_labels(colour_teacher(), "multi_label", {"assigned": ["pink"]})
    with pytest.raises(ConfigError, match="None of the student's labels"):
        shared_labels(colour_teacher(), "multi_label", {"levels": ["red"]})


def test_one_label_a_document_cannot_teach_several():
    with pytest.raises(ConfigError, match=r"single_label, and the student's .* is multi_label"):
        shared_labels(
            colour_teacher(objective="single_label"), "multi_label", {"assigned": ["red"]}
        )


def test_of_one_label_a_document_the_softmax_is_the_probability(tmp_path):
    teacher = colour_teacher(objective="single_label")
    scores = Scores(("a",), assigned=np.array([[0.2, 0.7, 0.1]], dtype=np.float32))
    found = torch.from_numpy(teacher.logits(scores, "assigned", [2, 1, 0])).softmax(dim=-1)
    torch.testing.assert_close(found, torch.tensor([[0.1, 0.7, 0.2]]))


def test_a_killed_sitting_is_gone_on_with_and_gives_the_same(tmp_path):
    rows, pairs = documents(700), {"assigned": [(0, 1), (1, 2)]}
    with pytest.raises(KeyboardInterrupt):
        ask(colour_teacher(n_batches=1), KeptLogits(tmp_path / "killed", 700), rows, pairs)
    again = KeptLogits(tmp_path / "killed", 700)
    assert (again.n_done, again.is_complete) == (256, False)
    # Two more batches are enough: the first is not read again.
    ask(colour_teacher(n_batches=2), again, rows, pairs)
    whole = KeptLogits(tmp_path / "whole", 700)
    ask(colour_teacher(), whole, rows, pairs)
    reread = KeptLogits(tmp_path / "killed", 700)
    assert reread.is_complete
    everything = list(range(700))
    torch.testing.assert_close(reread.of(everything).assigned, whole.of(everything).assigned)


def test_a_file_that_was_cut_is_made_anew(tmp_path):
    kept = KeptLogits(tmp_path, 10)
    ask(colour_teacher(), kept, documents(10), {"assigned": [(0, 1)]})
    (tmp_path / "assigned.f16").write_bytes(b"12")
    assert not KeptLogits(tmp_path, 10).is_complete
    (tmp_path / "kept.json").write_text('{"n_done": 1')
    assert not KeptLogits(tmp_path, 10).is_complete


def test_of_two_runs_one_waits_until_the_other_has_its_rows(tmp_path):
    said: list[str] = []
    second = Thread(target=lambda: enter_and_leave(tmp_path, said.append))
    with written_alone(tmp_path, said.append):
        second.start()
        second.join(timeout=0.5)
        assert second.is_alive() and "Another run" in said[0]
        kept = KeptLogits(tmp_path, 10)
        ask(colour_teacher(), kept, documents(10), {"assigned": [(0, 1)]})
    second.join(timeout=30)
    assert said[1:] == ["complete"]


def enter_and_leave(folder: Path, say: Callable[[str], None]) -> None:
    with written_alone(folder, say):
        say("complete" if KeptLogits(folder, 10).is_complete else "half")


def test_runs_wait_where_they_would_write_into_one_folder(tmp_path):
    space = write_tiny_bundle(tmp_path / "bundle")
    config, heads, said = configured(tmp_path / "bundle"), heads_of(space), []
    first = teacher_logits(documents(5), config, tmp_path / "one", heads)
    (first.folder / "kept.json").unlink()
    rows = (documents(5), config, tmp_path / "two", heads, said.append)
    second = Thread(target=lambda: teacher_logits(*rows))
    with written_alone(first.folder, said.append):
        second.start()
        ends = monotonic() + 60
        while not said and monotonic() < ends:
            sleep(0.05)
        assert "Another run" in said[0]
    second.join(timeout=60)
    assert KeptLogits(first.folder, 5).is_complete


def configured(teacher: Path, **settings: object) -> RunConfig:
    return changed(RunConfig(), {"distill.teacher": str(teacher), **settings})


def heads_of(space: LabelSpace) -> dict[str, list[str]]:
    assigned = np.flatnonzero(space.assignable)[::-1].tolist()
    return {"levels": list(space.concept_ids), "assigned": [space.concept_ids[i] for i in assigned]}


def test_a_bundle_teaches_what_it_serves_linear_suggester_and_all(tmp_path):
    space = write_tiny_bundle(tmp_path / "bundle", linear=True)
    rows, heads = documents(9), heads_of(space)
    kept = teacher_logits(rows, configured(tmp_path / "bundle"), tmp_path / "run", heads)
    served = list(load_suggester(tmp_path / "bundle").probabilities_of(r.document for r in rows))
    backwards = np.flatnonzero(space.assignable)[::-1].copy()
    for row, one in enumerate(served):
        taught = kept.of([row])
        assigned = torch.from_numpy(one.assigned[backwards])
        torch.testing.assert_close(torch.sigmoid(taught.assigned[0]), assigned, atol=2e-3, rtol=0)
        levels = torch.from_numpy(one.levels[space.levels <= DEPTH])
        torch.testing.assert_close(torch.sigmoid(taught.levels[0]), levels, atol=2e-3, rtol=0)


def test_of_many_labels_what_a_teacher_says_keeps_its_digits(tmp_path, monkeypatch):
    for module in ("judging.scoring", "fitting.run"):
        monkeypatch.setattr(f"training.{module}.FEW_COLUMNS", 1)
    write_tiny_bundle(tmp_path / "bundle")
    config = load_config(make_workshop(tmp_path) / "run.toml").replace("optim.epochs", 0.2)
    for folder in (tmp_path / "bundle", train(config, tmp_path / "run")):
        scores = load_teacher(folder, masked=False).scores(documents(2))
        assert {matrix.dtype for matrix in scores.matrices().values()} == {np.dtype(np.float32)}
    sure = np.array([[7.0, 8.4, 9.0, 12.0]], dtype=np.float32)
    probabilities = 1 / (1 + np.exp(-sure))
    found = colour_teacher().logits(Scores(("a",), assigned=probabilities), "assigned", range(4))
    np.testing.assert_allclose(found, sure, rtol=2e-3)


def test_runs_beside_each_other_share_what_is_kept_and_other_documents_do_not(tmp_path):
    space = write_tiny_bundle(tmp_path / "bundle")
    config, heads = configured(tmp_path / "bundle"), heads_of(space)
    first = teacher_logits(documents(5), config, tmp_path / "one", heads)
    written = (first.folder / "assigned.f16").stat().st_mtime_ns
    second = teacher_logits(documents(5), config, tmp_path / "two", heads)
    assert second.folder == first.folder
    assert (first.folder / "assigned.f16").stat().st_mtime_ns == written
    others = teacher_logits(documents(6), config, tmp_path / "two", heads)
    assert others.folder != first.folder


def test_a_masked_word_is_read_as_the_mask_token(tmp_path):
    write_tiny_bundle(tmp_path / "bundle")
    masked = [LabelledDocument(Document("d0", f"fish {MASK} bay", ()), ())]
    plain = load_teacher(tmp_path / "bundle", masked=False).scores(masked)
    reading = load_teacher(tmp_path / "bundle", masked=True).scores(masked)
    assert not np.allclose(plain.assigned, reading.assigned, atol=1e-3)


def test_a_student_of_titles_asks_about_titles():
    document = Document.from_text("d", "honey", "fish " * 900)
    row = LabelledDocument(document, ("red",))
    titles = ReadingConfig(mode="windows", windows_per_document=0, max_title_tokens=48)
    assert as_read(row, titles).document == Document("d", "honey", ())
    untitled = LabelledDocument(Document.from_text("d", "", "fish " * 900), ("red",))
    assert 200 < len(as_read(untitled, titles).document.title) < 900
    assert as_read(row, ReadingConfig(mode="windows")) is row
    assert as_read(row, ReadingConfig(mode="first")) is row


def test_the_loss_compares_the_columns_that_are_kept(tmp_path):
    kept = KeptLogits(tmp_path, 2)
    ask(colour_teacher(), kept, documents(2), {"assigned": [(1, 2)]})
    loss = distill_loss(GuidedLoss((2,)), kept, {"assigned": ["pink", "red"]}, weight=3.0)
    assert (loss.assigned.tolist(), loss.levels, loss.weight) == ([1], None, 3.0)


def test_what_cannot_teach_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(ConfigError, match="holds no finished run"):
        check_teacher(configured(tmp_path))
    (tmp_path / "run.json").write_text(json.dumps({"digest": "1"}))
    with pytest.raises(ConfigError, match=r"cannot teach: it keeps no model.safetensors"):
        check_teacher(configured(tmp_path))
    write_tiny_bundle(tmp_path / "bundle")
    check_teacher(configured(tmp_path / "bundle"))
    with pytest.raises(ConfigError, match="sgm generates labels one after another"):
        check_teacher(configured(tmp_path / "bundle", network__kind="sgm"))
    check_teacher(RunConfig())
    with pytest.raises(ConfigError, match="copies of a document would all be"):
        check_teacher(
            configured(
                tmp_path, distill__copies=2, distill__mask_share=0.0, distill__swap_share=0.0
            )
        )


def test_figures_measured_on_a_bundle_leave_it_the_same_teacher(tmp_path):
    from core.model.bundle.manifest import record_metrics

    write_tiny_bundle(tmp_path / "bundle")
    before = teacher_identity(tmp_path / "bundle")
    record_metrics(tmp_path / "bundle", {"ndcg": 0.5})
    assert teacher_identity(tmp_path / "bundle") == before


def test_a_teacher_of_other_files_is_told_before_training(tmp_path):
    write_tiny_bundle(tmp_path / "bundle")
    path = tmp_path / "bundle" / "bundle.json"
    told = json.loads(path.read_text())
    told["training"] = {"data_sha256": {"train.jsonl": "1"}}
    path.write_text(json.dumps(told))
    config = configured(tmp_path / "bundle")
    assert other_data_warning(config, Corpus("acts", (), (), (), {"train.jsonl": "1"})) == ""
    said_of = other_data_warning(config, Corpus("acts", (), (), (), {"train.jsonl": "2"}))
    assert "trained on other files than acts" in said_of
    assert other_data_warning(RunConfig(), Corpus("acts", (), (), ())) == ""


def test_inputs_carry_what_the_teacher_says_of_their_documents(tmp_path):
    from tests.support.models.tiny_model import tiny_tokenizer
    from training.fitting.inputs import TrainingInputs

    space, rows = tiny_label_space(), documents(8)
    plain = TrainingInputs(
        rows, label_space=space, depth=3, tokenizer=tiny_tokenizer(), reading=ReadingConfig()
    )
    kept = KeptLogits(tmp_path, 8)
    ask(colour_teacher(), kept, rows, {"assigned": [(0, 0), (1, 1), (2, 2)]})
    inputs = TeacherInputs(plain, kept)
    assert len(inputs) == 8
    batches = inputs.epoch(np.random.default_rng(0), batch_size=3)
    batch = inputs.batch(batches[0]).to(torch.device("cpu"))
    numbers = [row for row, _ in batches[0]]
    expected = torch.from_numpy(said([rows[i] for i in numbers])).float()
    torch.testing.assert_close(
        torch.sigmoid(batch.targets.teacher.assigned), expected, atol=1e-3, rtol=0
    )
    assert all(batch.targets.teacher is None for batch in inputs.dev_batches(4))
