"""Fits the linear suggester: one L2-regularised SVM a concept over TF-IDF terms, then pruned.

Against a frequent concept stand all documents without it. Against a rare one stand those that are
most like its own, and some drawn by chance from the rest, each for as many as were not drawn: most
of the many thousand others lie far beyond the margin and would change nothing but the time.
Source: Babbar and Schölkopf (2017), DiSMEC (one-vs-rest, pruned); Jain et al. (2019), Slice
(negatives by nearness).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

from core.documents.document import Document
from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear, position_type
from core.model.terms import StemmedTerms, TermVectors, title_and_text, weighed
from core.suggest.ranking.decided import UNTOUCHED

Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]
Progress = Callable[[int, int], None]

BLOCK = 128
NEGLIGIBLE = 1e-3
"""Weights of no more than this are not kept: a margin is of the order of 1."""


@dataclass(frozen=True, slots=True)
class LinearConfig:
    """What decides a linear suggester.

    Attributes:
        c: of the SVM; more trusts the training documents more.
        title_share: of a document's vector that is its title, the rest is its text.
        max_characters: of a text that are read in training; serving reads all that is given.
        max_terms: the strongest of a document's vector that are learned from.
        min_df: titles and texts that a term must occur in.
        min_positives: documents that a concept needs to be learned.
        frequent: documents from which on a concept is set against all others.
        n_near: at least so many of the most similar documents stand against a rarer concept,
        near_for_each: or so many for each document that has it.
        n_random: of the other documents that are drawn to stand for all of them.
        centroid_terms: by which similarity is judged.
        max_bytes: of the two files together.
        names: whether the names of the labels add to the weights: see `name_vectors`. A label then
            needs one document alone, since its name adds the rest.
        name_weight: factor of the names; None for the one that is best on dev.
    """

    c: float = 1.0
    title_share: float = 0.4
    max_characters: int = 10_000
    max_terms: int = 300
    min_df: int = 2
    min_positives: int = 2
    frequent: int = 500
    n_near: int = 300
    near_for_each: int = 5
    n_random: int = 800
    centroid_terms: int = 60
    max_bytes: int = 4_500_000
    seed: int = 0
    names: bool = False
    name_weight: float | None = None


def fit_linear(
    documents: Sequence[Document],
    labels: sp.csr_matrix,
    config: LinearConfig,
    *,
    rejected: sp.csr_matrix | None = None,
    terms: Collection[str] | None = None,
    on_progress: Progress | None = None,
) -> SparseLinear:
    """Learn from documents and what was assigned, pruned to the size that is allowed.

    Args:
        labels: ones where a document has an assignable concept, shape (n_documents, n_assignable).
        rejected: ones where somebody has rejected a concept, the same shape: all others that a
            document lacks then count half as much against it. None where all lacks count alike.
        on_progress: is called with (concepts done, concepts with a document).
    Raises:
        ConfigError: no document has both a concept and a term.
    """
    titles, texts, vectors = term_vectors(
        documents, min_df=config.min_df, max_characters=config.max_characters, terms=terms
    )
    both = np.flatnonzero((np.diff(titles.indptr) > 0) & (np.diff(texts.indptr) > 0))
    # An act is also learned by its title alone, as most acts are read.
    joined = title_and_text(titles, texts, config.title_share)
    rows = sp.vstack([strongest_by_row(joined, config.max_terms), titles[both]]).tocsr()
    y = sp.vstack([labels, labels[both]]).tocsr()
    if (sp.diags((rows.getnnz(axis=1) > 0) * 1.0) @ y).sum(axis=0).max() < config.min_positives:
        raise ConfigError(
            f"No assigned concept has {config.min_positives} training documents with a term."
        )
    refused = None if rejected is None else sp.csc_matrix(sp.vstack([rejected, rejected[both]]))
    weights, bias = _one_against_rest(rows, y, refused, config, on_progress)
    whole = SparseLinear(vectors, weights, bias, config.title_share)
    return pruned(whole, max_bytes=config.max_bytes)


def term_vectors(
    documents: Sequence[Document],
    *,
    min_df: int = 1,
    max_characters: int | None = None,
    terms: Collection[str] | None = None,
) -> tuple[sp.csr_matrix, sp.csr_matrix, TermVectors]:
    """Return TF-IDF rows of the titles and of the texts, over the terms of both.

    Args:
        min_df: titles and texts that a term must occur in.
        max_characters: of a text that are read; None for all.
        terms: these and no others, whether they occur or not.
    Raises:
        ConfigError: no term occurs as often.
    """
    vocabulary = None if terms is None else sorted(terms)
    counter = CountVectorizer(
        analyzer=StemmedTerms(), min_df=min_df, vocabulary=vocabulary, dtype=np.float32
    )
    titles = [document.title for document in documents]
    texts = [document.text[:max_characters] for document in documents]
    try:
        counts = sp.csr_matrix(counter.fit_transform([*titles, *texts]))
    except ValueError as error:
        raise ConfigError(f"The training documents have no term in common ({error}).") from error
    n_read = int((counts.getnnz(axis=1) > 0).sum())
    idf = np.log((1 + n_read) / (1 + counts.getnnz(axis=0))) + 1
    vectors = TermVectors(counter.get_feature_names_out().tolist(), idf)
    rows = weighed(counts, vectors.idf)
    return rows[: len(documents)], rows[len(documents) :], vectors


# ---------------------------------------------------------------------- fitting


@dataclass(frozen=True, slots=True)
class _Task:
    """One concept against others.

    Attributes:
        rows: to learn from; None for all of them, in their order.
        counts_as: how many rows each stands for.
        has_it: which of them have the concept.
    """

    concept: int
    rows: Indices | None
    counts_as: npt.NDArray[np.float64]
    has_it: npt.NDArray[np.bool_]


def _one_against_rest(
    x: sp.csr_matrix,
    y: sp.csr_matrix,
    rejected: sp.csc_matrix | None,
    config: LinearConfig,
    on_progress: Progress | None,
) -> tuple[sp.csr_matrix, Array]:
    """Return weights (n_terms, n_concepts) and bias, the lowest for concepts without documents."""
    by_concept = sp.csc_matrix(y)
    n_learned = int((by_concept.getnnz(axis=0) >= config.min_positives).sum())
    rows, columns, values = [], [], []
    bias = np.full(y.shape[1], np.nan, dtype=np.float32)
    wide = x.astype(np.float64)  # what liblinear reads; converted once, not for each concept
    for done, task in enumerate(_tasks(x, by_concept, config), start=1):
        if rejected is not None:
            _weigh_lacks(task, rejected)
        terms, strengths, bias[task.concept] = _separate(wide, task, config)
        rows.append(terms)
        columns.append(np.full(len(terms), task.concept))
        values.append(strengths.astype(np.float32))
        if on_progress:
            on_progress(done, n_learned)
    bias[np.isnan(bias)] = np.nanmin(bias)
    entries = (np.concatenate(rows), np.concatenate(columns))
    return sp.csr_matrix((np.concatenate(values), entries), shape=(x.shape[1], y.shape[1])), bias


def _weigh_lacks(task: _Task, rejected: sp.csc_matrix) -> None:
    """Have rows count half where the concept was neither assigned nor rejected."""
    rows = np.arange(len(task.counts_as)) if task.rows is None else task.rows
    was_rejected = np.isin(rows, rejected[:, [task.concept]].indices)
    task.counts_as[~task.has_it & ~was_rejected] *= UNTOUCHED


def _tasks(x: sp.csr_matrix, by_concept: sp.csc_matrix, config: LinearConfig) -> Iterator[_Task]:
    """Yield what each concept with a document is learned from, the frequent concepts first."""
    n_members = by_concept.getnnz(axis=0)
    everything = np.arange(x.shape[0])
    for concept in np.flatnonzero(n_members >= config.frequent).tolist():
        members = by_concept[:, [concept]].indices
        yield _Task(concept, None, np.ones(x.shape[0]), np.isin(everything, members))
    rare = np.flatnonzero((n_members >= config.min_positives) & (n_members < config.frequent))
    generator = np.random.default_rng(config.seed)
    for start in range(0, len(rare), BLOCK):
        block = rare[start : start + BLOCK]
        centroids = sp.csr_matrix(by_concept[:, block].T @ x)
        nearness = (x @ strongest_by_row(centroids, config.centroid_terms).T).toarray()
        for position, concept in enumerate(block.tolist()):
            members = by_concept[:, [concept]].indices
            yield _against_the_nearest(concept, members, nearness[:, position], config, generator)


def _against_the_nearest(
    concept: int,
    members: npt.NDArray[np.int32],
    nearness: Array,
    config: LinearConfig,
    generator: np.random.Generator,
) -> _Task:
    order = np.argsort(-nearness, kind="stable")
    others = order[~np.isin(order, members)]
    n_near = max(config.n_near, config.near_for_each * len(members))
    near, far = others[:n_near], others[n_near:]
    drawn = generator.choice(far, min(config.n_random, len(far)), replace=False)
    rows = np.concatenate([members.astype(np.intp), near, drawn])
    counts_as = np.ones(len(rows))
    counts_as[len(rows) - len(drawn) :] = len(far) / max(len(drawn), 1)
    return _Task(concept, rows, counts_as, np.arange(len(rows)) < len(members))


def _separate(
    x: sp.csr_matrix, task: _Task, config: LinearConfig
) -> tuple[Indices, npt.NDArray[np.float64], float]:
    """Return the terms with a weight, their weights, and the bias of one concept."""
    if task.has_it.all():
        return np.empty(0, dtype=np.intp), np.empty(0), 1.0
    machine = LinearSVC(C=config.c, dual=True, tol=0.1, max_iter=20, random_state=config.seed)
    rows = x if task.rows is None else x[task.rows]
    with warnings.catch_warnings():
        # A rough solution ranks as well as an exact one, in a tenth of the time.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(rows, task.has_it, sample_weight=task.counts_as)
    weights = machine.coef_[0]
    terms = np.flatnonzero(np.abs(weights) > NEGLIGIBLE)
    return terms, weights[terms], float(machine.intercept_[0])


# ---------------------------------------------------------------------- pruning


def strongest_by_row(matrix: sp.csr_matrix, n: int) -> sp.csr_matrix:
    """Return the matrix with only the `n` entries of the largest size in each row."""
    return _kept(matrix, _ranks(matrix) < n)


def pruned(model: SparseLinear, *, max_bytes: int) -> SparseLinear:
    """Return the model with as many of its strongest weights as fit, and the terms that they need.

    Frequent concepts keep more than rare ones: they are described in more ways.
    """
    weights = sp.csr_matrix(model.weights)
    ranks = np.empty(weights.nnz, dtype=np.intp)
    ranks[np.argsort(-np.abs(weights.data), kind="stable")] = np.arange(weights.nnz)
    low, high = 0, weights.nnz
    while low < high:
        middle = (low + high + 1) // 2
        if _size(model, _kept(weights, ranks < middle)) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    pruned_weights = _kept(weights, ranks < low)
    used = np.flatnonzero(pruned_weights.getnnz(axis=1))
    terms = [model.vectors.terms[row] for row in used]
    vectors = TermVectors(terms, model.vectors.idf[used])
    return SparseLinear(vectors, pruned_weights[used], model.bias, model.title_share)


def _ranks(matrix: sp.csr_matrix) -> Indices:
    """Return how many entries of its row are larger than each stored entry."""
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((-np.abs(matrix.data), row_of))
    ranks = np.empty(matrix.nnz, dtype=np.intp)
    ranks[order] = np.arange(matrix.nnz) - matrix.indptr[:-1][row_of]
    return ranks


def _kept(matrix: sp.csr_matrix, keep: npt.NDArray[np.bool_]) -> sp.csr_matrix:
    ends = np.concatenate(([0], np.cumsum(keep)))[matrix.indptr]
    return sp.csr_matrix((matrix.data[keep], matrix.indices[keep], ends), shape=matrix.shape)


def _size(model: SparseLinear, weights: sp.csr_matrix) -> int:
    """Return bytes on disk: 3 a weight, 7 and its letters a term, 8 a concept, and a header.

    Of more concepts than two bytes can tell apart 5 a weight, and 9 and its letters a term.
    """
    used = np.flatnonzero(weights.getnnz(axis=1))
    letters = sum(len(model.vectors.terms[row].encode()) for row in used)
    n_weights, n_concepts = int(weights.nnz), int(weights.shape[1])
    position = position_type(n_concepts).itemsize
    of_weights, of_terms = (1 + position) * n_weights, (5 + position) * len(used)
    return of_weights + letters + of_terms + 8 * n_concepts + 1000
