"""Two texts in one input: how they are cut, framed and told apart."""

from __future__ import annotations

import pytest
import torch

from core.documents.document import Document
from core.model.guided import GuidedClassifier
from core.suggest.windows import DocumentReader, ReadingSettings, pair_lengths
from tests.support.labelled import act, tiny_label_space
from tests.support.models.tiny_model import tiny_model, tiny_tokenizer
from training.config import ReadingConfig
from training.fitting.inputs import TrainingInputs, window_reading

CLS, SEP = (tiny_tokenizer().token_to_id(token) for token in ("[CLS]", "[SEP]"))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (2, 3, (2, 3)),  # both fit into eight less three
        (9, 9, (3, 2)),  # of equally long ones the second loses the odd piece
        (1, 9, (1, 4)),
        (9, 1, (4, 1)),
        (9, 0, (6, 0)),  # one text alone has one separator less
    ],
)
def test_the_longer_text_is_cut_first(first, second, expected):
    assert pair_lengths(first, second, 8) == expected


def test_a_pair_is_read_as_bert_reads_it():
    reader = DocumentReader(tiny_tokenizer(), ReadingSettings(window_tokens=8, pair=True))
    document = Document.from_text("x", "fish quota", "honey label tax trade bank")
    pieces = reader.read(document)
    title, text = reader.token_ids(document.title), reader.token_ids(document.text)
    assert pieces.windows == ((CLS, *title, SEP, *text[:3], SEP),)
    assert (pieces.n_tokens, pieces.n_tokens_read) == (7, 5)
    assert [span.field for span in pieces.spans] == ["title"] * 2 + ["text"] * 3
    assert pieces.positions[0] == (-1, 0, 1, -2, 2, 3, 4, -2)
    alone = reader.read(Document.from_text("x", "fish quota", ""))
    assert alone.windows == ((CLS, *title, SEP),)


def test_training_reads_a_pair_as_serving_does():
    documents = [act("x", "fish", title="fish quota", text="honey label tax trade bank")]
    config = ReadingConfig(mode="pair", max_length_tokens=8)
    inputs = TrainingInputs(
        documents,
        label_space=tiny_label_space(),
        depth=3,
        tokenizer=tiny_tokenizer(),
        reading=config,
    )
    served = DocumentReader(tiny_tokenizer(), window_reading(config))
    assert (inputs.window(0, -1),) == served.read(documents[0].document).windows


def pair_model(separator: int) -> GuidedClassifier:
    torch.manual_seed(3)
    return tiny_model(separator=separator).eval()


def test_the_second_text_has_a_segment_of_its_own():
    ids = torch.tensor([[CLS, 9, SEP, 10, 11, SEP, 0], [CLS, 9, 10, 11, 12, 13, SEP]])
    found = pair_model(SEP).segments(ids)["token_type_ids"]
    assert found.tolist() == [[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]]
    assert pair_model(0).segments(ids) == {}


def test_segments_change_the_answer_and_padding_does_not():
    ids = torch.tensor([[CLS, 9, SEP, 10, 11, SEP]])
    with torch.inference_mode():
        paired = pair_model(SEP)(ids, torch.ones_like(ids)).assigned
        plain = pair_model(0)(ids, torch.ones_like(ids)).assigned
        longer = torch.nn.functional.pad(ids, (0, 4))
        padded = pair_model(SEP)(longer, (longer != 0).long()).assigned
    assert not torch.allclose(paired, plain, atol=1e-4)
    torch.testing.assert_close(padded, paired, atol=1e-5, rtol=1e-4)
