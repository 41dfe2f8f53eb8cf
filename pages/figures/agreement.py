"""How far people agree who annotated the same documents blind, for who leads a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.agreement.annotations import AnnotatedDocument
from core.agreement.codes import CODES, DETAILS, PRINCIPAL, AuditedEncounter
from core.agreement.figures import Agreement, Estimate
from core.agreement.suggested import AnnotatorAndModel
from core.agreement.summary import BRANCH, LEVEL, PARTS, PEOPLE, WEEK, AgreementSummary, summary
from core.insights.decisions import RankRow
from core.review.annotations.annotated import annotated_documents, audited_encounters
from core.review.people.accounts import list_accounts
from core.review.store.store import Store
from core.roles import Right
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from pages.components.counting import counted, may_count
from pages.components.markdown import count
from pages.figures.decisions import rank_words
from pages.figures.figure import Cell, FigureContent, FigureSpec, percent, render_figures, rounded
from pages.serving import current_session

NONE_YET = (
    "No document has two finished annotations yet. On *Documents*, select some and have them "
    "annotated twice: two people then index each without seeing what the other does."
)
MEASURES = ("documents", "the same %", "F1", "α, sets", "α, tree")
INTERVAL = "In brackets the interval of 95 %, from 1,000 samples of the documents."
MEANING = (
    "The same: nobody would have to change anything. F1: what both assigned, of all that the two "
    "assigned. α: agreement beyond chance, 0 to 1; over whole sets, and on the tree, where a "
    "neighbour is half right."
)
ALL = "all"


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """What was measured, and what is shown of annotators and of concepts, by their ids."""

    found: AgreementSummary
    people: Mapping[str, str]
    labels: Mapping[str, str]

    def person(self, name: str) -> str:
        """Return what is shown of an annotator."""
        return self.people.get(name, name)

    def label(self, concept_id: str) -> str:
        """Return the label of a concept, or its id where the vocabulary has it no more."""
        return self.labels.get(concept_id, concept_id)


def render_agreement() -> None:
    """Draw the figures, or say how a project comes to some."""
    session = current_session()
    session.require(Right.TEAM)
    if not may_count("agreement_count"):
        return
    has_codes = bool(conventions_of(session.vocabulary_id()).system)
    arguments = session.store(), session.project_id(), session.hierarchy()
    found = counted("agreement", partial(read_summary, *arguments, has_codes=has_codes))
    if found is not None and not found.overall.f1.n_documents:
        st.info(NONE_YET, icon=":material/info:")
    elif found is not None:
        render_figures(FIGURES, _figures(found, session))


def read_summary(
    store: Store, project_id: int, hierarchy: Hierarchy, *, has_codes: bool
) -> AgreementSummary:
    """Measure the finished annotations of a project.

    Args:
        has_codes: whether documents are encounters, whose codings are compared, too.
    """
    documents = annotated_documents(store, project_id, hierarchy)
    encounters = audited_encounters(store, project_id) if has_codes else []
    facts = (hierarchy.vocabulary_id, hierarchy.version, repr(documents), repr(encounters))
    return _measured(facts, documents, encounters, hierarchy)


@st.cache_data(max_entries=8, show_spinner="Measuring agreement")
def _measured(
    facts: tuple[str, ...],
    _documents: Sequence[AnnotatedDocument],
    _encounters: Sequence[AuditedEncounter],
    _hierarchy: Hierarchy,
) -> AgreementSummary:
    """Kept, as it takes a second for a hundred documents."""
    return summary(_documents, _encounters, _hierarchy)


def _figures(found: AgreementSummary, session: Session) -> AgreementFigures:
    hierarchy, language = session.hierarchy(), session.language()
    named = {
        *(row.concept_id for row in found.concepts),
        *(key for row in found.parts[BRANCH] for key in row.key),
        *(row.chapter for row in found.differences),
    }
    labels = {i: hierarchy[i].label(language) for i in named if i in hierarchy}
    people = {row.name: row.shown for row in list_accounts(session.store())}
    return AgreementFigures(found, people, labels)


# ---------------------------------------------------------------------- figures


def overall(figures: AgreementFigures) -> FigureContent:
    """Return all documents in a sentence, and a row for each two people."""
    found = figures.found.overall
    same, f1 = found.exact, found.f1
    pairs = figures.found.parts[PEOPLE]
    return FigureContent(
        sentence=f"On {count(f1.n_documents, 'document')} that people annotated without seeing each "
        f"other, **{percent(f1.value)}** of what two assigned is shared{_from_to(f1)}; on "
        f"{percent(same.value)} nobody would have to change anything. Two people who differ in a "
        "neighbour on the tree count as half agreed under *α, tree* alone.",
        label=f"{MEANING} {INTERVAL}",
        columns=("people", *MEASURES),
        rows=[
            (ALL, *_cells(found)),
            *((", ".join(map(figures.person, row.key)), *_cells(row)) for row in pairs),
        ],
        alt="Agreement of all, and of each two people",
    )


def of_part(word: str, sentence: str, figures: AgreementFigures) -> FigureContent | None:
    """Return a row for each branch, level or week, those of least agreement first but for weeks."""
    rows = figures.found.parts[word]
    if not rows:
        return None
    names = figures.label if word == BRANCH else str
    if word == BRANCH:
        rows = sorted(rows, key=lambda row: _least_first(row.f1))
    return FigureContent(
        sentence=sentence,
        label=f"{INTERVAL.replace('1,000', str(PARTS.n_resamples))}",
        columns=(word, *MEASURES),
        rows=[(names(row.key[0]), *_cells(row)) for row in rows],
        alt=f"Agreement by {word}",
    )


def concepts(figures: AgreementFigures) -> FigureContent | None:
    """Return the concepts that were used most, those of least agreement first."""
    if not figures.found.concepts:
        return None
    rows = sorted(figures.found.concepts, key=lambda row: _least_first(row.kappa))
    return FigureContent(
        sentence="People differ most often on the concepts at the top: a guideline may help there. κ is "
        "agreement beyond chance; of a concept on few annotations it says little.",
        label=f"The {len(rows):,} concepts that were used most.",
        columns=("concept", "id", "κ", "used", "share of annotations %"),
        rows=[
            (
                figures.label(row.concept_id),
                row.concept_id,
                _estimate(row.kappa),
                row.n_used,
                rounded(row.prevalence),
            )
            for row in rows
        ],
        alt="Agreement on single concepts",
    )


def with_model(figures: AgreementFigures) -> FigureContent:
    """Return how each used the suggestions, and whether people agree where the model led them."""
    listed, rest = figures.found.on_suggested
    return FigureContent(
        sentence=f"On what the model suggested, two people share {percent(listed.value)}; on the "
        f"rest, {percent(rest.value)}. The first is always higher. Where it rises over weeks and the "
        "second does not, the suggestions lead people.",
        label="Taken at rank 1: of what stood first in the list, the share that was assigned.",
        columns=(
            "person",
            "documents",
            "assigned",
            "accepted from the list %",
            "typed though listed",
            *(f"taken at {rank_words(row)} %" for row in _ranks(figures)),
        ),
        rows=[_model_row(row, figures) for row in figures.found.annotators],
        alt="How each person used the suggestions",
    )


def _model_row(row: AnnotatorAndModel, figures: AgreementFigures) -> tuple[Cell, ...]:
    taken = {
        rank_words(rank): rounded(rank.n_taken / rank.n_shown) for rank in row.ranks if rank.n_shown
    }
    return (
        figures.person(row.annotator),
        row.n_documents,
        row.n_assigned,
        rounded(row.accepted_share),
        row.n_typed_suggested,
        *(taken.get(rank_words(rank)) for rank in _ranks(figures)),
    )


def coders(figures: AgreementFigures) -> FigureContent | None:
    """Return the audit by coder; None where documents are no encounters."""
    if not figures.found.coders:
        return None
    verdicts = (PRINCIPAL, CODES, DETAILS)
    return FigureContent(
        sentence="Each coding beside its reference: the adjudicated one, or else the second coder\u2019s. "
        "A principal diagnosis that differs outweighs all else.",
        label="Record over record: encounters without any difference. Code over code: of all codes of "
        "either side, those that both have.",
        columns=(
            "coder",
            "encounters",
            "same principal %",
            "record over record %",
            "code over code %",
            *(f"differs in {verdict}" for verdict in verdicts),
        ),
        rows=[
            (
                figures.person(row.coder),
                row.principal.n_documents,
                rounded(row.principal.value),
                rounded(row.record_over_record.value),
                rounded(row.code_over_code),
                *(row.verdicts[verdict] for verdict in verdicts),
            )
            for row in figures.found.coders
        ],
        alt="Audit by coder",
    )


def differences(figures: AgreementFigures) -> FigureContent | None:
    """Return how often each coder differs in each chapter, by kind."""
    if not figures.found.coders:
        return None
    n = sum(row.n for row in figures.found.differences)
    return FigureContent(
        sentence=f"{count(n, 'difference')} by coder, chapter and kind. Missed: the reference alone "
        "has the code; added: the coder alone; other detail: another code of the same category.",
        columns=("coder", "chapter", "kind", "times"),
        rows=[
            (figures.person(row.coder), figures.label(row.chapter), row.kind, row.n)
            for row in sorted(figures.found.differences, key=lambda row: -row.n)
        ],
        alt="Differences by coder, chapter and kind",
    )


FIGURES: tuple[FigureSpec[AgreementFigures], ...] = (
    FigureSpec("agreement", "How far do people agree?", overall, is_table=True),
    FigureSpec("audit_coders", "How does each coding differ?", coders, is_table=True),
    FigureSpec("audit_kinds", "In what do they differ?", differences, is_table=True),
    FigureSpec(
        "agreement_branches",
        "On which branches do they differ?",
        partial(
            of_part,
            BRANCH,
            "The branches of least agreement stand first, over the documents on which somebody used them.",
        ),
        is_table=True,
    ),
    FigureSpec("agreement_concepts", "On which concepts?", concepts, is_table=True),
    FigureSpec(
        "agreement_levels",
        "How far down the tree do they agree?",
        partial(
            of_part,
            LEVEL,
            "High at the top and low at the bottom: people agree on the subject, and differ in detail.",
        ),
        is_table=True,
    ),
    FigureSpec(
        "agreement_weeks",
        "Does it become better?",
        partial(
            of_part,
            WEEK,
            "A document counts to the week in which its last annotation was finished.",
        ),
        is_table=True,
    ),
    FigureSpec("agreement_model", "Do the suggestions lead them?", with_model, is_table=True),
)


# ---------------------------------------------------------------------- cells


def _cells(row: Agreement) -> tuple[Cell, ...]:
    alphas = (_estimate(row.alpha_masi), _estimate(row.alpha_tree))
    return row.f1.n_documents, rounded(row.exact.value), _estimate(row.f1), *alphas


def _least_first(figure: Estimate) -> float:
    """Of what is sorted, with what has no value behind all others."""
    return 2.0 if figure.value is None else figure.value


def _estimate(figure: Estimate) -> str:
    if figure.value is None:
        return figure.reason
    if figure.low is None or figure.high is None:
        return f"{figure.value:.2f}"
    return f"{figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})"


def _from_to(figure: Estimate) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f" ({100 * figure.low:.0f} to {100 * figure.high:.0f} %)"


def _ranks(figures: AgreementFigures) -> Sequence[RankRow]:
    """The ranks of the annotator who saw most of them."""
    return max((row.ranks for row in figures.found.annotators), key=len, default=())
