"""What the classical models read: documents as TF-IDF rows, learned from the training set alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from core.documents.document import Document
from core.errors import ConfigError
from core.model.terms import TermVectors, title_and_text
from training.baselines.linear import term_vectors

Array = npt.NDArray[np.float32]

STOP_WORDS = "english"
"""Scikit-learn's list; that of NLTK comes by a download."""

MIN_DF = 2
"""Titles and texts that a stemmed word or pair must occur in."""


class WordFeatures:
    """Words without English stop words, as scikit-learn's `TfidfVectorizer` cuts and weighs them.

    Lower-cased words of two characters or more, title and text as one. The paper says no more than
    “the tf–idf vectors of the documents”; its authors' toolkit leaves stop words out, and counts
    36,308 words in the training set of Reuters: NLTK's tokens, punctuation and numbers among them,
    where this has 22,908. Left in, stop words cost LR 0.7 points of test micro-F1, and SVM 0.4.
    Source: Adhikari et al. (2019), section 4; https://github.com/castorini/hedwig, `models/lr`,
    read, not copied.
    """

    def __init__(self) -> None:
        self._vectorizer = TfidfVectorizer(stop_words=STOP_WORDS)

    def fit(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Learn the words and how rare each is; shape (n_documents, n_terms), rows of length 1."""
        try:
            rows = self._vectorizer.fit_transform(self._texts(documents))
        except ValueError as error:
            raise ConfigError(f"The training documents have no word ({error}).") from error
        return sp.csr_matrix(rows)

    def transform(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Return rows over the words that were learned, of the type that models keep."""
        rows = self._vectorizer.transform(self._texts(documents))
        return sp.csr_matrix(rows, dtype=np.float32)

    def learned(self) -> tuple[Sequence[str], Array]:
        """Return the words in the order of the alphabet."""
        return self._vectorizer.get_feature_names_out().tolist(), self._vectorizer.idf_

    def restore(self, terms: Sequence[str], idf: Array) -> None:
        """Restore a fitted vectorizer from its words and weights."""
        self._vectorizer.set_params(vocabulary=list(terms))
        self._vectorizer.idf_ = np.asarray(idf, dtype=np.float64)

    def _texts(self, documents: Sequence[Document]) -> list[str]:
        return [f"{document.title}\n\n{document.text}" for document in documents]


class StemFeatures:
    """Stemmed words and pairs of neighbours, title and text weighed apart, as a bundle reads them.

    A term that occurs n times weighs (1 + ln n) · idf: what the linear suggester is served with, so
    a model over these can be shipped.
    """

    vectors: TermVectors

    def __init__(self, title_share: float = 0.25) -> None:
        self.title_share = title_share

    def fit(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Learn the terms of titles and texts together."""
        titles, texts, self.vectors = term_vectors(documents, min_df=MIN_DF)
        return title_and_text(titles, texts, self.title_share)

    def transform(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Return rows over the terms that were learned."""
        vectors = self.vectors
        rows = [
            title_and_text(vectors(document.title), vectors(document.text), self.title_share)
            for document in documents
        ]
        empty = sp.csr_matrix((0, len(vectors)), dtype=np.float32)
        return sp.csr_matrix(sp.vstack(rows)) if rows else empty

    def learned(self) -> tuple[Sequence[str], Array]:
        """Return the terms in the order of the alphabet."""
        return self.vectors.terms, self.vectors.idf

    def restore(self, terms: Sequence[str], idf: Array) -> None:
        """Set the terms of the vectors."""
        self.vectors = TermVectors(terms, idf)


Features = WordFeatures | StemFeatures


def features_named(kind: str, *, title_share: float) -> Features:
    """Return features, "words" or "stems", that are not fitted yet."""
    return WordFeatures() if kind == "words" else StemFeatures(title_share)
