"""Texts as TF-IDF vectors of stemmed words and pairs of words, as Annif makes them.

Source: Annif's TF-IDF mixin (https://annif.org), read, not copied: bigrams; min_df 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from core.documents.document import Document
from core.errors import ConfigError
from core.model.terms import StemmedWords

__all__ = ["StemmedWords", "TextFeatures"]


class TextFeatures:
    """TF-IDF features, fitted on the training documents alone.

    Args:
        max_words: 2 counts pairs of neighbouring words too.
        min_df: documents that a word must occur in.
        max_characters: how much of title and text is read; 0 for all.
    """

    def __init__(self, *, max_words: int = 2, min_df: int = 2, max_characters: int = 0) -> None:
        self._max_words = max_words
        self._max_characters = max_characters or None
        self._vectorizer = TfidfVectorizer(
            tokenizer=StemmedWords(),
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, max_words),
            min_df=min_df,
        )

    def fit(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Learn the words and their weights; shape (n_documents, n_features), rows of length 1."""
        return sp.csr_matrix(self._vectorizer.fit_transform(self._texts(documents)))

    def transform(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """The features of other documents; words that were not learned are left out."""
        return sp.csr_matrix(self._vectorizer.transform(self._texts(documents)))

    def save(self, folder: Path) -> None:
        """Write the terms and their weights, without code: words.txt, idf.npy, reading.json."""
        folder.mkdir(parents=True, exist_ok=True)
        terms = self._vectorizer.get_feature_names_out().tolist()
        (folder / "words.txt").write_text("".join(f"{t}\n" for t in terms), encoding="utf-8")
        np.save(folder / "idf.npy", self._vectorizer.idf_, allow_pickle=False)
        reading = {"max_words": self._max_words, "max_characters": self._max_characters or 0}
        (folder / "reading.json").write_text(json.dumps(reading) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> TextFeatures:
        """Read what `save` wrote.

        Raises:
            ConfigError: a file is missing or damaged.
        """
        try:
            features = cls(**json.loads((folder / "reading.json").read_text("utf-8")))
            terms = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
            features._vectorizer.set_params(vocabulary=terms)
            features._vectorizer.idf_ = np.load(folder / "idf.npy", allow_pickle=False)
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(f"{folder} holds no words of a baseline ({error}).") from error
        return features

    def _texts(self, documents: Iterable[Document]) -> Iterable[str]:
        """A legal act reads as its title followed by its text."""
        for document in documents:
            yield f"{document.title}\n\n{document.text}"[: self._max_characters]
