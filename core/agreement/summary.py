"""All figures of a project's annotations together, as a lead reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agreement.annotations import AnnotatedDocument, annotation_table
from core.agreement.codes import AuditedEncounter, AuditRow, CoderAudit, audit_by_coder, audit_table
from core.agreement.figures import (
    Agreement,
    Bootstrap,
    ConceptAgreement,
    Estimate,
    agreement,
    by_branch,
    by_concept,
    by_level,
    by_pair,
    by_week,
)
from core.agreement.suggested import AnnotatorAndModel, agreement_on_suggested, by_annotator
from core.vocabulary.concepts import Hierarchy

PEOPLE, BRANCH, LEVEL, WEEK = "people", "branch", "level", "week"
MOST_CONCEPTS = 300  # those that were used most
PARTS = Bootstrap(n_resamples=200)  # of each row of a table: there may be hundreds


@dataclass(frozen=True, slots=True)
class AgreementSummary:
    """What was measured of a project's annotations.

    Attributes:
        parts: rows by pair, branch, level and week.
        concepts: those that were used most, in this order.
        on_suggested: F1 on what was suggested to either of two people, and on the rest.
        coders, differences: of encounters; none of other documents.
    """

    overall: Agreement
    parts: Mapping[str, Sequence[Agreement]]
    concepts: Sequence[ConceptAgreement]
    on_suggested: tuple[Estimate, Estimate]
    annotators: Sequence[AnnotatorAndModel]
    coders: Sequence[CoderAudit]
    differences: Sequence[AuditRow]


def summary(
    documents: Sequence[AnnotatedDocument],
    encounters: Sequence[AuditedEncounter],
    hierarchy: Hierarchy,
) -> AgreementSummary:
    """Measure annotations, and codings beside their references where documents are encounters."""
    table = annotation_table(documents, hierarchy)
    used = sorted(by_concept(table, bootstrap=PARTS), key=lambda row: -row.n_used)
    return AgreementSummary(
        agreement(table),
        {
            PEOPLE: by_pair(table, bootstrap=PARTS),
            BRANCH: by_branch(table, hierarchy, bootstrap=PARTS),
            LEVEL: by_level(table, hierarchy, bootstrap=PARTS),
            WEEK: by_week(table, bootstrap=PARTS),
        },
        used[:MOST_CONCEPTS],
        agreement_on_suggested(table),
        by_annotator(documents),
        audit_by_coder(encounters, hierarchy),
        audit_table(encounters, hierarchy),
    )
