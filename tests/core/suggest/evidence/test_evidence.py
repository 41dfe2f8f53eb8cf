"""Evidence: exact sums, places in the text as it is written, and what is no evidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from core.documents.document import Document, Part
from core.errors import VocabularyError
from core.model.token_terms import token_states
from core.suggest.backends.torch import padded
from core.suggest.evidence.spans import Span, without_spans
from core.suggest.guided import GuidedSuggester, window_shares
from core.suggest.label_suggester import LabelSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from core.suggest.windows import JoinRule
from tests.core.suggest.evidence.conftest import FISH
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.tiny_model import tiny_model

pytestmark = pytest.mark.usefixtures("single_thread")


def concepts(predictor: LabelSuggester) -> list[str]:
    return [i for i in predictor.label_space.concept_ids if predictor.can_assign(i)]


def test_the_terms_of_a_windows_pieces_add_up_to_its_logits(predictor, explanation):
    columns = np.arange(len(predictor.assigned_columns))
    bias = explanation.attribution("guided").bias(columns)
    summed = [
        terms.sum(axis=0) + bias
        for terms, _ in explanation.attribution("guided").windows.terms(columns)
    ]
    logits = (
        find_part(predictor, GuidedSuggester).backend.logits(predictor.read(FISH).windows).assigned
    )
    np.testing.assert_allclose(np.stack(summed), logits, atol=1e-4)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_what_is_explained_is_what_was_served_in_that_precision(
    precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_PRECISION", precision)
    write_tiny_bundle(tmp_path, linear=True, label_attention="label_wise")
    predictor = load_suggester(tmp_path)
    explanation = predictor.explain(FISH)
    columns = np.arange(len(predictor.assigned_columns))
    served = (
        find_part(predictor, GuidedSuggester).backend.logits(predictor.read(FISH).windows).assigned
    )
    assert np.array_equal(explanation.attribution("guided").windows.logits(columns), served)
    for (terms, _), logits in zip(
        explanation.attribution("guided").windows.terms(columns), served, strict=True
    ):
        summed = terms.sum(axis=0) + explanation.attribution("guided").bias(columns)
        np.testing.assert_allclose(summed, logits, atol=1e-4)
    for suggested in predictor.suggest(FISH, limit=5).suggestions:
        sources = explanation.evidence([suggested.concept_id])[suggested.concept_id].sources
        fused = 0.4 * sources["guided"] + 0.6 * sources["linear"]
        assert fused == pytest.approx(suggested.probability, abs=1e-6)
        _, before = explanation.without(suggested.concept_id, [Span("title", 0, 10)])
        assert before == suggested.probability


def test_an_encoder_that_is_given_the_first_windows_finds_nothing_behind_them(
    tmp_path: Path,
) -> None:
    write_tiny_bundle(tmp_path, linear=True, max_windows=1)
    predictor = load_suggester(tmp_path)
    first, more = "honey label " * 20, "trade bank fish " * 40
    document = Document.from_text("x", "the fish quota", first + more)
    explanation = predictor.explain(document)
    columns = np.arange(len(predictor.assigned_columns))
    guided, linear = (explanation.attribution(of).terms(columns) for of in ("guided", "linear"))
    spans, words = predictor.read(document).spans, explanation.words
    n_given = max(max(window) for window in predictor.read(document).positions)
    behind = np.unique(words.of_spans(spans[n_given + 1 :]))
    assert len(behind) > 50
    assert not guided[behind].any()
    assert linear[behind].any()
    suggested = predictor.suggest(document, limit=1).suggestions[0]
    sources = explanation.evidence([suggested.concept_id])[suggested.concept_id].sources
    fused = 0.4 * sources["guided"] + 0.6 * sources["linear"]
    assert fused == pytest.approx(suggested.probability, abs=1e-6)
    assert not predictor.suggest(document, limit=1).truncated


def test_the_terms_of_words_add_up_to_the_margins(predictor, explanation):
    linear = find_part(predictor, LinearSuggester)
    if linear is None:
        pytest.skip("this bundle has no linear part")
    columns = np.arange(len(predictor.assigned_columns))
    read = FISH.text[: predictor.read(FISH).n_characters_read]
    terms = explanation.attribution("linear").terms(columns)
    margins = linear.model.margins(FISH.title, read)
    np.testing.assert_allclose(terms.sum(axis=0) + linear.model.bias, margins, atol=1e-5)
    np.testing.assert_allclose(
        explanation.attribution("linear").logits(columns), margins, atol=1e-5
    )


def test_sources_fuse_to_the_probability_that_was_suggested(predictor, explanation):
    suggested = predictor.suggest(FISH, limit=5).suggestions
    found = explanation.evidence([suggestion.concept_id for suggestion in suggested])
    for suggestion in suggested:
        sources = found[suggestion.concept_id].sources
        weights = (0.4, 0.6) if len(predictor.sources) == 2 else (1.0,)
        fused = sum(w * p for w, p in zip(weights, sources.values(), strict=True))
        assert fused == pytest.approx(suggestion.probability, abs=1e-4)


def test_padding_gets_no_terms_and_changes_nothing():
    torch.manual_seed(0)
    model = tiny_model(pooling="mean").eval()
    head, columns = model.assigned_head, torch.arange(3)
    short, long = (2, 10, 11, 3), (2, *range(10, 40), 3)
    alone = token_states(model, *padded([short]))
    with torch.inference_mode():
        together = token_states(model, *padded([long, short]))
    terms = together.terms(head, columns)[1]
    torch.testing.assert_close(terms[:4], alone.terms(head, columns)[0, :4], atol=1e-5, rtol=1e-4)
    assert terms[4:].abs().max() == 0
    torch.testing.assert_close(together.attention[1, :4], alone.attention[0, :4])
    assert together.attention[1, 4:].max() == 0
    torch.testing.assert_close(together.attention.sum(dim=1), torch.tensor([32.0, 4.0]))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_attention_is_that_of_the_encoder_itself(pooling):
    torch.manual_seed(0)
    model = tiny_model(pooling=pooling).eval()
    ids, mask = padded([(2, 10, 11, 12, 3), (2, 13, 3)])
    model.encoder.set_attn_implementation("eager")
    with torch.inference_mode():
        found = token_states(model, ids, mask)
        last = model.encoder(input_ids=ids, attention_mask=mask, output_attentions=True)
    by_query = last.attentions[-1].mean(dim=1)[0]
    expected = by_query[0] if pooling == "cls" else by_query[:5].mean(dim=0)
    torch.testing.assert_close(found.attention[0] / 5, expected, atol=1e-5, rtol=1e-4)


def test_passages_stand_in_the_text_where_they_are_said_to(predictor, explanation):
    for evidence in explanation.evidence(concepts(predictor)).values():
        assert len(evidence.passages) <= 5
        shares = [passage.share for passage in evidence.passages]
        assert shares == sorted(shares, reverse=True) and sum(shares) <= 1 + 1e-6
        for passage in evidence.passages:
            for span in passage.spans:
                text = FISH.title if span.field == "title" else FISH.text
                written = text[span.start : span.end]
                assert set(written.casefold().split()) & set(passage.text.casefold().split())
                assert not written[0].isspace() and not written[-1].isspace()


def test_boilerplate_is_no_evidence(predictor, explanation):
    words = [explanation.words.text_of(i, i) for i in range(len(explanation.words))]
    assert not {"12", "2016", "1999", "No"} & set(words)
    for evidence in explanation.evidence(concepts(predictor)).values():
        assert not any(
            "1999" in passage.text or "2016" in passage.text for passage in evidence.passages
        )


def test_a_division_or_an_unknown_concept_has_no_evidence(predictor, explanation):
    division = next(i for i in predictor.label_space.concept_ids if not predictor.can_assign(i))
    assert explanation.evidence([division, "nothing"]) == {}
    with pytest.raises(VocabularyError):
        explanation.without("nothing", [Span("title", 0, 1)])


def test_without_is_the_probability_of_the_text_that_is_left(predictor, explanation):
    concept_id = concepts(predictor)[0]
    column = predictor.label_space.column(concept_id)
    start = FISH.text.index("fish")
    after, before = explanation.without(concept_id, [Span("text", start, start + 10)])
    left = Document("1", FISH.title, (Part(FISH.text[:start] + FISH.text[start + 10 :]),))
    expected = [
        suggestion.assigned[column] for suggestion in predictor.probabilities_of([left, FISH])
    ]
    assert [after, before] == pytest.approx(expected, abs=1e-6)
    assert after != before


def test_deleting_overlapping_spans_and_everything():
    document = Document.from_text("x", "a title", "𐍈 one two three")
    spans = [Span("text", 2, 5), Span("text", 4, 9), Span("title", 0, 2)]
    cut = without_spans(document, spans)
    assert (cut.title, cut.text) == ("title", "𐍈  three")
    assert without_spans(document, [Span("text", 0, 99)]).parts == ()


def test_a_title_alone_and_an_empty_document_are_explained(predictor):
    for document in (Document.from_text("t", "fish quota", ""), Document.from_text("e", "", "")):
        found = predictor.explain(document).evidence(concepts(predictor)[:2])
        assert len(found) == 2


def test_windows_that_are_nearly_as_loud_count_as_well():
    logits = np.array([[9.0, 9.0], [2.0, 0.0], [2.0, 5.0]], dtype=np.float32)
    shares = window_shares(logits, JoinRule(0.3, 1.0))
    np.testing.assert_allclose(shares.sum(axis=0), 1, rtol=1e-6)
    np.testing.assert_allclose(shares[:, 0], [0.3, 0.35, 0.35], rtol=1e-5)
    assert shares[2, 1] > 0.69 > 0.01 > shares[1, 1]
    np.testing.assert_allclose(window_shares(logits, JoinRule(0.3, 0.0))[1:], 0.35, rtol=1e-5)
    np.testing.assert_allclose(window_shares(logits[:1], JoinRule(0.3, 1.0)), 1)
