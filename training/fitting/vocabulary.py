"""The words that a network knows: those of the training documents, in a tokenizer of words."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from core.errors import ConfigError

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""Ids from 0; what is no word. Padding is 0, as everywhere that inputs are padded."""


def word_tokenizer(texts: Iterable[str], *, max_words: int, min_count: int) -> Tokenizer:
    """A tokenizer of lower-cased words and single punctuation marks, framed by [CLS] and [SEP].

    The words are the most frequent ones; of two equally frequent, the first in the alphabet. It
    keeps the offsets of words, so that documents, bundles and evidence read it as they read word
    pieces.

    Raises:
        ConfigError: no word occurs often enough.
    """
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=max_words + len(SPECIAL),
        min_frequency=min_count,
        special_tokens=list(SPECIAL),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() == len(SPECIAL):
        raise ConfigError(
            f"No word of the training documents occurs {min_count} times or more, so a network "
            "would know none; lower network.min_count, or train on more documents."
        )
    ids = tokenizer.get_vocab()
    frame = (("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    tokenizer.post_processor = processors.BertProcessing(*frame)
    return tokenizer


def sentence_ends(tokenizer: Tokenizer) -> tuple[int, ...]:
    """Ids of the tokens that end a sentence, as far as the tokenizer knows them."""
    found = (tokenizer.token_to_id(token) for token in (".", "!", "?", "。", "[SEP]"))
    return tuple(sorted(token_id for token_id in found if token_id is not None))
