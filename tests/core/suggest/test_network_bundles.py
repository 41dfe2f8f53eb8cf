"""Bundles of networks: the same answers, few bytes, and what they say of why."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import load_bundle, rewrite_checksums
from core.model.bundle.cards import read_card
from core.suggest.backends.torch import TorchBackend
from core.suggest.evidence.spans import without_spans
from core.suggest.guided import GuidedSuggester, GuidedWords
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.suggest.registry import suggester_of
from pages.bundles.card import facts
from tests.support.models.network_bundle import write_network_bundle

pytestmark = pytest.mark.usefixtures("single_thread")

FISH = Document.from_text(
    "1",
    "Regulation on the fish quota",
    "The fish quota of the bay. Unheard fish, fish quota!\n\nBay honey label. " * 9,
)


def test_a_bundle_gives_the_probabilities_of_the_model_that_it_was_made_of(tmp_path: Path) -> None:
    model = write_network_bundle(tmp_path)
    predictor = load_suggester(tmp_path)
    assert isinstance(predictor, GuidedSuggester)
    served = next(predictor.probabilities_of([FISH]))
    uncompressed = copy(predictor)
    uncompressed.backend = TorchBackend(model)
    before = next(uncompressed.probabilities_of([FISH]))
    np.testing.assert_allclose(served.assigned, before.assigned, atol=0.02)
    np.testing.assert_allclose(served.levels, before.levels, atol=0.02)
    # What was compressed once loses nothing the next time.
    again = next(suggester_of(load_bundle(tmp_path)).probabilities_of([FISH]))
    np.testing.assert_array_equal(served.assigned, again.assigned)


def test_tables_of_words_and_labels_take_a_byte_a_number(network_bundle: Path) -> None:
    stored = load_file(network_bundle / "model-00001.safetensors")
    for name in ("encoder.embeddings.word_embeddings.weight", "assigned_head.weight"):
        assert stored[name].dtype == torch.int8


def test_what_else_is_read_with_a_document_changes_nothing(
    network_predictor: LabelSuggester,
) -> None:
    titles = [
        Document.from_text(str(n), " ".join(FISH.title.split()[:n]), "") for n in (1, 3, 4, 5)
    ]
    together = [row.assigned for row in network_predictor.probabilities_of([*titles, FISH])]
    for document, found in zip([*titles, FISH], together, strict=True):
        alone = next(network_predictor.probabilities_of([document])).assigned
        np.testing.assert_allclose(found, alone, atol=1e-5)


def test_the_terms_of_words_add_up_to_the_logits(network_predictor: LabelSuggester) -> None:
    guided = network_predictor.explain(FISH).attribution("guided")
    assert isinstance(guided, GuidedWords) and isinstance(network_predictor, GuidedSuggester)
    columns = np.arange(len(network_predictor.assigned_columns))
    bias = guided.bias(columns)
    terms = [parts.sum(axis=0) + bias for parts, _ in guided.windows.terms(columns)]
    logits = network_predictor.backend.logits(network_predictor.read(FISH).windows).assigned
    assert logits is not None
    np.testing.assert_allclose(np.stack(terms), logits, atol=1e-4)


def test_passages_stand_where_the_document_has_them_and_matter(
    network_predictor: LabelSuggester,
) -> None:
    explanation = network_predictor.explain(FISH)
    best = network_predictor.suggest(FISH, limit=3).suggestions
    found = explanation.evidence([suggestion.concept_id for suggestion in best])
    assert any(evidence.passages for evidence in found.values())
    for concept_id, evidence in found.items():
        for passage in evidence.passages:
            span = passage.spans[0]
            assert getattr(FISH, span.field)[span.start : span.end] == passage.text
        spans = [span for passage in evidence.passages for span in passage.spans]
        after, before = explanation.without(concept_id, spans)
        cut = next(network_predictor.probabilities_of([without_spans(FISH, spans)])).assigned
        assert after == pytest.approx(float(cut[network_predictor.label_space.column(concept_id)]))
        assert before == pytest.approx(
            next(
                suggestion.probability for suggestion in best if suggestion.concept_id == concept_id
            )
        )


def test_the_card_names_the_network(network_bundle: Path) -> None:
    card = read_card(network_bundle)
    assert card.problem is None
    assert f"a network over {load_bundle(network_bundle).tokenizer.get_vocab_size():,} word" in (
        card.encoder
    )
    assert (card.n_layers, card.plan, card.pooling) == (1, "flat", "")
    rows = dict(facts(card))
    assert rows["Options"] == "none"
    assert rows["Trained on"] == "not stated"


def test_the_card_of_a_student_names_its_teacher(tmp_path: Path) -> None:
    write_network_bundle(tmp_path)
    manifest = json.loads((tmp_path / "bundle.json").read_text())
    manifest["training"] = {"training_documents": 1200, "teacher": "eurovoc"}
    (tmp_path / "bundle.json").write_text(json.dumps(manifest))
    assert dict(facts(read_card(tmp_path)))["Trained on"] == (
        "1,200 documents, and by the teacher eurovoc"
    )


def test_the_card_tells_how_wide_a_network_is(network_bundle: Path) -> None:
    card = read_card(network_bundle)
    assert card.hidden_size == load_bundle(network_bundle).model.encoder.config.hidden_size


def test_a_network_of_another_size_than_its_weights_is_damaged(tmp_path: Path) -> None:
    write_network_bundle(tmp_path)
    manifest = json.loads((tmp_path / "bundle.json").read_text())
    for key, value in {"vector_size": 13, "model_type": "lstm", "wings": 2}.items():
        changed = {**manifest, "encoder": {**manifest["encoder"], key: value}}
        (tmp_path / "bundle.json").write_text(json.dumps(changed))
        rewrite_checksums(tmp_path)
        with pytest.raises(BundleError, match="is damaged"):
            load_bundle(tmp_path)


def test_a_network_and_words_are_fused_as_an_encoder_is(tmp_path: Path) -> None:
    write_network_bundle(tmp_path, linear=True)
    predictor = load_suggester(tmp_path)
    best = predictor.suggest(FISH, limit=1).suggestions[0]
    evidence = predictor.explain(FISH).evidence([best.concept_id])[best.concept_id]
    assert set(evidence.sources) == {"guided", "linear"}


def test_words_that_a_network_does_not_know_say_nothing_of_their_letters(tmp_path: Path) -> None:
    write_network_bundle(tmp_path)
    predictor = load_suggester(tmp_path)
    one = replace(FISH, title="zyx fish", parts=())
    other = replace(FISH, title="wvut fish", parts=())
    first, second = (p.assigned for p in predictor.probabilities_of([one, other]))
    np.testing.assert_array_equal(first, second)
