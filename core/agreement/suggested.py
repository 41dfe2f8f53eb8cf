"""Whether annotators follow the model: what they took from its list, and what they typed.

People who annotate blind of each other may still agree because both accept what stands first. They
then agree better on what was suggested than on the rest, and type little.

Source: Fort and Sagot (2010), “Influence of pre-annotation on POS-tagged corpus development”.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from scipy import sparse

from core.agreement.annotations import AnnotatedDocument, Annotation, AnnotationTable
from core.agreement.figures import DEFAULT, Bootstrap, Estimate, mean_over_documents
from core.insights import RankRow, rank_rows
from core.metrics import pairwise_f1


@dataclass(frozen=True, slots=True)
class AnnotatorAndModel:
    """How one annotator used suggestions.

    Attributes:
        n_assigned: concepts on all documents: `n_accepted` of them from the list,
            `n_typed_suggested` typed although they stood in it, the others typed and not in it.
        ranks: of the suggestions at some ranks, how many the annotator assigned, in either way.
    """

    annotator: str
    n_documents: int
    n_assigned: int
    n_accepted: int
    n_typed_suggested: int
    ranks: tuple[RankRow, ...]

    @property
    def accepted_share(self) -> float | None:
        """Of what was assigned, the share that was accepted from the list; None of nothing."""
        return self.n_accepted / self.n_assigned if self.n_assigned else None


def by_annotator(documents: Iterable[AnnotatedDocument]) -> list[AnnotatorAndModel]:
    """Return a row for each annotator, of all documents, those without a second annotation too."""
    annotations: dict[str, list[Annotation]] = {}
    for document in documents:
        for annotator, annotation in document.annotations.items():
            annotations.setdefault(annotator, []).append(annotation)
    return [_counted(annotator, annotations[annotator]) for annotator in sorted(annotations)]


def _counted(annotator: str, annotations: list[Annotation]) -> AnnotatorAndModel:
    of_rank: Counter[tuple[int, bool]] = Counter()
    accepted = typed_suggested = 0
    for annotation in annotations:
        suggested = annotation.concept_ids & annotation.ranks.keys()
        accepted += len(suggested - annotation.typed)
        typed_suggested += len(suggested & annotation.typed)
        of_rank.update((rank, i in suggested) for i, rank in annotation.ranks.items())
    n_assigned = sum(len(annotation.concept_ids) for annotation in annotations)
    ranks = rank_rows(of_rank)
    return AnnotatorAndModel(
        annotator, len(annotations), n_assigned, accepted, typed_suggested, ranks
    )


@dataclass(frozen=True, slots=True)
class AgreementOnSuggested:
    """Mean pairwise F1 on what the model suggested to either of two people, and on the rest.

    Each is over the documents on which one of them assigned such a concept.
    """

    on_suggested: Estimate
    on_others: Estimate


def agreement_on_suggested(
    table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT
) -> AgreementOnSuggested:
    """Compare agreement on suggested concepts with that on others."""
    pairs = table.comparisons()
    first, second = table.sets[pairs.first], table.sets[pairs.second]
    shown = table.suggested[pairs.first] + table.suggested[pairs.second]

    def f1(a: sparse.csr_matrix, b: sparse.csr_matrix) -> Estimate:
        is_used = (a + b).getnnz(axis=1) > 0
        values = pairwise_f1(a, b)[is_used]
        return mean_over_documents(values, pairs.document[is_used], bootstrap)

    suggested = (first.multiply(shown).tocsr(), second.multiply(shown).tocsr())
    return AgreementOnSuggested(f1(*suggested), f1(first > suggested[0], second > suggested[1]))
