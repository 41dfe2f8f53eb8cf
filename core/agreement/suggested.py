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
from core.agreement.figures import DEFAULT, NOBODY_USED, Estimate, mean_over_documents
from core.insights.decisions import RankRow, rank_rows
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
    suggested = [(a, a.concept_ids & a.ranks.keys()) for a in annotations]
    of_rank = Counter((rank, i in taken) for a, taken in suggested for i, rank in a.ranks.items())
    return AnnotatorAndModel(
        annotator,
        n_documents=len(annotations),
        n_assigned=sum(len(a.concept_ids) for a in annotations),
        n_accepted=sum(len(taken - a.typed) for a, taken in suggested),
        n_typed_suggested=sum(len(taken & a.typed) for a, taken in suggested),
        ranks=rank_rows(of_rank),
    )


def agreement_on_suggested(table: AnnotationTable) -> tuple[Estimate, Estimate]:
    """Return mean pairwise F1 on what was suggested to either of two people, and on the rest.

    Each is over the documents on which one of them assigned such a concept.
    """
    first, second, document = table.comparisons()
    a, b = table.sets[first], table.sets[second]
    shown = table.suggested[first] + table.suggested[second]

    def measured(a: sparse.csr_matrix, b: sparse.csr_matrix) -> Estimate:
        is_used = (a + b).getnnz(axis=1) > 0
        values = pairwise_f1(a, b)[is_used]
        return mean_over_documents(values, document[is_used], DEFAULT, undefined=NOBODY_USED)

    listed_a, listed_b = a.multiply(shown).tocsr(), b.multiply(shown).tocsr()
    return measured(listed_a, listed_b), measured(a > listed_a, b > listed_b)
