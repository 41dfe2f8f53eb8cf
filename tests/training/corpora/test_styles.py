"""Notes in other styles, and what training and judging read of them."""

from __future__ import annotations

import numpy as np
import pytest

from core.documents.document import Document, Part
from core.errors import ConfigError
from tests.support.labelled import act, tiny_label_space
from tests.support.models.tiny_model import tiny_tokenizer
from training.config import ReadingConfig, RunConfig
from training.corpora.styles import HEADINGS, as_one_text, passages, restyled
from training.fitting.inputs import TrainingInputs

REPORT = Document(
    "r", "", (Part("Fever, cough.", "history"), Part("Right lower lobe pneumonia.", "impression"))
)


def styles(document: Document, n: int = 1_000) -> set[str]:
    rng = np.random.default_rng(5)
    return {restyled(document, rng) for _ in range(n)}


def test_a_report_of_two_parts_is_read_in_every_style_that_its_parts_allow() -> None:
    found = styles(REPORT)
    history, impression = REPORT.parts[0].text, REPORT.parts[1].text
    assert {f"{history}\n{impression}", f"{impression}\n{history}", history, impression} <= found
    headed = {
        f"{h} {history}\n{i} {impression}"
        for h in HEADINGS["history"]
        for i in HEADINGS["impression"]
    }
    assert headed <= found
    assert "" not in found


def test_a_text_of_one_part_is_taken_apart_at_its_headings_or_sentences() -> None:
    headed = "Seen today.\nHISTORY:\nFever. Cough.\nPLAN:\nRest."
    assert [text for _, text in passages(Document.from_text("d", "", headed))] == [
        "Seen today.",
        "HISTORY:\nFever. Cough.",
        "PLAN:\nRest.",
    ]
    prose = Document.from_text("d", "", "A man had fever. Was it flu? Yes.")
    assert [text for _, text in passages(prose)] == ["A man had fever.", "Was it flu?", "Yes."]
    # No word is added, and one sentence at most is missing.
    assert all(len(set(text.split())) >= 4 for text in styles(prose))


def test_a_text_of_one_sentence_stays_as_it_is() -> None:
    assert styles(Document.from_text("d", "", "Normal chest.")) == {"Normal chest."}
    assert styles(Document.from_text("d", "A title", "")) == {""}


def test_parts_are_pasted_under_their_headings() -> None:
    found = as_one_text(REPORT)
    assert found.text == (
        "CLINICAL HISTORY: Fever, cough.\n\nIMPRESSION: Right lower lobe pneumonia."
    )
    assert len(found.parts) == 1 and found.document_id == "r"
    other = Document("d", "", (Part("Well.", "Progress note"), Part("Home.", "", title="Day 2")))
    assert as_one_text(other).text == "Progress note\nWell.\n\nDay 2\nHome."


def test_a_share_of_the_training_texts_changes_from_epoch_to_epoch() -> None:
    text = "honey label. tax trade. bank fish."
    inputs = training_inputs(text, mixed_styles=1.0)
    plain = inputs.texts[0]
    epochs = []
    for seed in range(8):
        inputs.epoch(np.random.default_rng(seed), batch_size=1)
        epochs.append(tuple(inputs.texts[0]))
    assert len(set(epochs)) > 2
    assert all(set(pieces) <= set(plain) for pieces in epochs)
    # The same seed gives the same style, so that a run goes on where it was stopped.
    inputs.epoch(np.random.default_rng(3), batch_size=1)
    assert tuple(inputs.texts[0]) == epochs[3]


def test_without_mixed_styles_texts_stay() -> None:
    inputs = training_inputs("honey label. tax trade. bank fish.", mixed_styles=0.0)
    before = [list(text) for text in inputs.texts]
    inputs.epoch(np.random.default_rng(1), batch_size=1)
    assert inputs.texts == before


def training_inputs(text: str, *, mixed_styles: float) -> TrainingInputs:
    return TrainingInputs(
        [act("x", "fish", text=text)],
        label_space=tiny_label_space(),
        depth=3,
        tokenizer=tiny_tokenizer(),
        reading=ReadingConfig(mode="first", max_length_tokens=32, mixed_styles=mixed_styles),
    )


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_outside_of_its_bounds_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match="mixed_styles"):
        RunConfig().replace("reading.mixed_styles", share)
