"""Transfer sets: how many documents, which words, whose labels."""

from collections import Counter

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import ConfigError
from tests.support.models.tiny_model import tiny_tokenizer
from tests.support.transfer_documents import OTHER, SENTENCE, documents
from training.config import DistillConfig
from training.corpora.corpus import LabelledDocument
from training.distill.transfer import (
    MASK,
    SwapWords,
    TaggedText,
    check_shares,
    reading_masks,
    tag_words,
    transfer_set,
)


def made(n: int = 6, seed: int = 1, **settings: object) -> list[LabelledDocument]:
    config = DistillConfig(**{"copies": 3, **settings})  # type: ignore[arg-type]
    return transfer_set(documents(n), config, seed=seed, max_characters=5000)


def texts(rows: list[LabelledDocument]) -> list[str]:
    return [f"{row.document.title}\n{row.document.text}" for row in rows]


def test_it_is_as_many_training_sets_as_asked_for_and_begins_with_the_first():
    rows = made(copies=4)
    assert len(rows) == 4 * 6
    assert rows[:6] == documents()
    assert len(set(texts(rows))) == 4 * 6
    assert len({row.document_id for row in rows}) == 4 * 6


def test_the_same_seed_makes_the_same_and_another_another():
    assert made() == made()
    assert texts(made(seed=2)) != texts(made())
    # A document's copies do not depend on how many there are.
    by_id = {row.document_id: row for row in made(copies=3)}
    assert by_id["d2~1"] == {row.document_id: row for row in made(copies=2)}["d2~1"]


def test_labels_and_date_follow_their_document():
    for row in made()[6:]:
        original = documents()[int(row.document_id[1])]
        assert (row.assigned, row.date) == (original.assigned, original.date)


def test_a_tenth_of_the_words_is_masked_and_a_tenth_swapped():
    copies = made(n=40, copies=9, swap_share=0.0)[40:]
    n_masked = sum(text.count(MASK) for text in texts(copies))
    n_words = sum(len(TaggedText.of(text.replace(MASK, "x")).words) for text in texts(copies))
    assert n_masked / n_words == pytest.approx(0.1, abs=0.01)
    assert not any(MASK in text for text in texts(made(mask_share=0.0)))


def test_a_swapped_word_keeps_its_part_of_speech_and_comes_from_the_corpus():
    rows = made(n=20, copies=3, mask_share=0.0, swap_share=0.5)
    tag_of = {
        word: tag
        for text in (SENTENCE, OTHER)
        for word, tag in zip(words(text), tag_words(words(text)), strict=True)
    }
    n_swapped = 0
    for row in rows[20:]:
        original = documents(20)[int(row.document_id[1:].split("~")[0])].document.title
        for before, after in zip(words(original), words(row.document.title), strict=True):
            assert tag_of[after] == tag_of[before]
            n_swapped += before != after
    assert n_swapped > 40


def words(text: str) -> tuple[str, ...]:
    return TaggedText.of(text).words


def test_swaps_are_drawn_by_frequency():
    swaps = SwapWords({"NN": Counter({"honey": 3, "bank": 1}), "CD": Counter({"27": 5})})
    rng = np.random.default_rng(0)
    drawn = Counter(swaps.draw("NN", rng) for _ in range(2000))
    assert drawn["honey"] / 2000 == pytest.approx(0.75, abs=0.03)
    assert swaps.draw("CD", rng) == "27"


def test_what_stands_between_words_stays():
    text = " (EC) No 1,500/2001: “fish”\n\n and honey."
    tagged = TaggedText.of(text)
    assert tagged.with_words(tagged.words) == text
    assert tagged.with_words(["w"] * len(tagged.words)) == " (w) w w/w: “w”\n\n w w."


def test_doubles_are_dropped_so_a_short_document_has_fewer_copies():
    short = LabelledDocument(Document("d", "honey", ()), ("a",))
    config = DistillConfig(copies=4)
    rows = transfer_set([short], config, seed=1, max_characters=100)
    assert texts(rows) == ["honey\n", f"{MASK}\n"]


def test_of_a_long_text_a_copy_has_what_is_read():
    rows = transfer_set(documents(1), DistillConfig(copies=2), seed=1, max_characters=30)
    assert len(rows[0].document.text) > 100 > 60 > len(rows[1].document.text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mask_share": 0.6, "swap_share": 0.6}, "together 1.2, and can be 1 at most"),
        ({"mask_share": 0.0, "swap_share": 0.0}, "copies of a document would all be"),
    ],
)
def test_shares_that_make_no_copies_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        check_shares(DistillConfig(copies=3, **settings))


def test_a_tokenizer_reads_masks_as_its_mask_token_and_all_else_as_before():
    tokenizer = tiny_tokenizer()
    mask_id = tokenizer.token_to_id(MASK)
    reading = reading_masks(tokenizer)
    ids = reading.encode(f"fish {MASK}, bay", add_special_tokens=False).ids
    assert ids[:2] == [tokenizer.token_to_id("fish"), mask_id]
    assert reading.encode("honey label").ids == tokenizer.encode("honey label").ids
    assert reading_masks(reading) is reading
    assert reading.get_vocab_size() == tokenizer.get_vocab_size()


def test_without_a_mask_token_no_words_can_be_masked():
    from tokenizers import Tokenizer, models

    with pytest.raises(ConfigError, match=r"has no \[MASK\].*mask_share = 0"):
        reading_masks(Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")))


def test_the_tagger_tells_parts_of_speech_without_the_network():
    assert tag_words(["The", "council", "quickly", "said", "27", "regulations"]) == [
        *("DT", "NN", "RB", "VBD", "CD", "NNS"),
    ]
    assert tag_words([]) == []
    unknown = ["Zyzzyvania", "frobnicating", "1,500.75"]
    assert tag_words(["the", *unknown])[1:] == ["NNP", "VBG", "CD"]
