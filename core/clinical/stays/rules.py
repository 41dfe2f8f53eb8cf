"""Ranks the codes of a note as a coder of the stay would, from the chances that their names have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.instructions import CODE_ALSO, instructions
from core.clinical.names.mentions import Mention, Named
from core.clinical.names.wordings import Kind
from core.clinical.notation import ICD10CM
from core.clinical.ranking.denied import is_written, with_odds, written_words
from core.clinical.ranking.features import CodeRows
from core.clinical.ranking.guidelines import REPLACED, combinations_of, with_combinations
from core.clinical.ranking.listed import leading_codes, listed_codes, with_listed
from core.clinical.ranking.principal import with_principal
from core.clinical.stays.beside import EVEN, behind, beside_another, is_cause, is_kept, is_open
from core.clinical.stays.births import births
from core.clinical.stays.cancers import cancers, lymphomas
from core.clinical.stays.conditions.causes import causes, later_visits
from core.clinical.stays.conditions.fractures import displacement, open_fractures
from core.clinical.stays.conditions.mishaps import mishaps
from core.clinical.stays.conditions.said import in_a_child, in_a_man, said, said_last
from core.clinical.stays.conditions.sides import sides
from core.clinical.stays.conditions.spine import spine
from core.clinical.stays.conditions.ulcers import ulcers
from core.clinical.stays.conditions.wounds import wounds
from core.clinical.stays.detail import detail
from core.clinical.stays.diabetes import manifestations, polyneuropathy, retinopathy, type_1
from core.clinical.stays.drugs import drugs
from core.clinical.stays.encounters import block_of, earlier_operations, encounters, operations
from core.clinical.stays.germs import germs
from core.clinical.stays.note import StayCode, StayNote
from core.clinical.stays.numbers import consciousness, numbers
from core.clinical.stays.places import fragile, places
from core.clinical.stays.remission import remission
from core.clinical.stays.strokes import rehabilitation, sequelae, strokes
from core.clinical.stays.taken import family, taken
from core.documents.document import Document
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

Rule = Callable[[StayNote], Iterator[StayCode]]
RULES: Sequence[Rule] = (
    type_1, manifestations, retinopathy, said, in_a_man, in_a_child, wounds, mishaps, spine, lymphomas, cancers, germs, strokes, detail, sides, polyneuropathy, displacement, open_fractures, ulcers, remission, numbers, births, encounters, drugs, taken,
    earlier_operations, said_last, causes, places, family, consciousness, operations, sequelae, rehabilitation, fragile, later_visits,
    beside_another,
)  # fmt: skip
"""In the order in which they are applied; each sees what those before it found."""
BEHIND_ODDS = 0.02
"""Times the odds of a code that is not given beside another one."""
BEHIND_AT_MOST = 0.15
"""What such a code has, even where a list names it: so no rule builds on it."""
IN_FULL = 0.55
"""Probability, at least, of a disease that the note calls by a name of several words."""
SYMPTOM_ODDS = 0.02
"""Of a symptom's code, times the odds that it would have beside a disease."""
KEPT_ODDS = 3.0
"""Of one that is no mere symptom, such as a deficit of a stroke."""
STATUS_ODDS = 5.0
"""Of a status that the note says, times the odds that it would have."""
OPEN_AT_MOST = 0.65
"""Of a code that leaves something open: in notes that nobody tuned on, 27 of 47 of 70 to 90 % were right, and others
had a more specific one."""
WOUNDS = ("S", "T20", "T21", "T22", "T23", "T24", "T25", "T33", "T34")
"""Injuries, burns and frostbite by their site."""
DEFINITE = 0.5
"""Probability from which on a disease is taken as established."""


@dataclass(frozen=True, slots=True)
class OfStay:
    """What the rules make of a note.

    Attributes:
        chances: by code.
        parts: by combination code the codes of the conditions that it says.
        places: by code that a rule finds, where the words stand that say it.
        over: codes that the note names as over alone, and that no rule finds.
    """

    chances: Mapping[str, float]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    over: frozenset[str] = frozenset()


def rank_stay(
    document: Document,
    hierarchy: Hierarchy,
    chances: Mapping[str, float],
    named: Sequence[Named],
    candidates: CodeRows,
    denied: Mapping[str, str],
) -> OfStay:
    """Rank the codes of a note by the rules; those that know codes by name hold for ICD-10-CM alone.

    Args:
        chances: of its codes, by their names.
        named: all codes that it names.
        denied: those that it denies.
    """
    undenied = _not_denied_or_over(named, denied)
    barred = frozenset(code.concept_id for code in named) - {code.concept_id for code in undenied}
    over = barred - denied.keys()
    chances = _over_behind(chances, over)
    note = StayNote(
        document, hierarchy, chances, undenied, barred | denied.keys(),
        [code for code in named if code.concept_id in denied],
    )  # fmt: skip
    ranked = _symptoms_behind(note, candidates)
    ranked = _status_ahead(ranked, candidates, denied)
    ranked = _in_full(ranked, note, candidates)
    listed = listed_codes(document, undenied)
    ranked = with_listed(ranked, listed)
    ranked = _general_behind(ranked, candidates, denied, listed, hierarchy)
    if hierarchy.vocabulary_id != ICD10CM:
        return OfStay(ranked, over=over)
    ranked, where, instead = _by_rules(replace(note, chances=ranked))
    # What gave way to another code says nothing together with a third one.
    said_now = replace(note, chances=ranked).codes
    asserted = [i for i in said_now if i not in instead or ranked[i] >= EVEN]
    combined = combinations_of(ranked, asserted, hierarchy)
    ranked = with_combinations(ranked, combined)
    ranked = _open_at_most(ranked, hierarchy)
    names = {code: note.spans(code) for code in ranked}
    leading = leading_codes(document, names, where)
    lines = [[instead.get(code, code) for code in line] for line in leading]
    ranked = with_principal(ranked, lines, note, where)
    parts = {both.code: both.parts for both in combined}
    return OfStay(ranked, parts, where, over - where.keys())


def _general_behind(
    chances: Mapping[str, float],
    candidates: CodeRows,
    denied: Mapping[str, str],
    listed: Collection[str],
    hierarchy: Hierarchy,
) -> dict[str, float]:
    """Return probabilities where a finding that is named in two ways is coded in one.

    "Pneumonia" is part of "pneumonia due to Streptococcus pneumoniae": of two codes of one
    block, or of one chapter where the general one leaves something open, the one whose words
    are part of the other's is right only where that one is not. If the general one is listed,
    the specific one takes its place in the list.
    Source: ICD-10-CM guidelines, sections I.B.2 and I.B.18.
    """
    words = {
        concept_id: written_words(named)
        for concept_id, named in candidates.named.items()
        if concept_id in chances and concept_id not in denied
    }
    adjusted = dict(chances)
    for general in words:
        more = [
            code
            for code in words
            if words[general] < words[code]
            # "AKI on CKD" says both, wherever "AKI" stands alone as well.
            and not is_written(words[code], candidates.named[general])
            and _is_more(code, general, hierarchy)
        ]
        best = max(more, key=lambda code: chances[code], default=general)
        if best == general or (general in listed and chances[best] < EVEN):
            continue
        adjusted[general] = min(adjusted[general], 1.0 - chances[best])
        if general in listed:
            adjusted[best] = max(adjusted[best], chances[general])
    return adjusted


def _is_more(code: str, general: str, hierarchy: Hierarchy) -> bool:
    """Return whether a code with more words may say what a general one says, and no less.

    It does not where it asks for that one: a hypertensive crisis for the hypertension.
    """
    asked = instructions(code, hierarchy, (CODE_ALSO,))
    if any(instruction.codes.matches(general) for instruction in asked):
        return False
    if is_open(general, hierarchy):
        return hierarchy.path(code)[0] == hierarchy.path(general)[0]
    if is_open(code, hierarchy):
        return False
    return block_of(code, hierarchy) == block_of(general, hierarchy)


def _open_at_most(chances: Mapping[str, float], hierarchy: Hierarchy) -> dict[str, float]:
    return {
        code: min(chance, OPEN_AT_MOST)
        if code in hierarchy and is_open(code, hierarchy)
        else chance
        for code, chance in chances.items()
    }


def _by_rules(
    note: StayNote,
) -> tuple[dict[str, float], dict[str, tuple[Span, ...]], dict[str, str]]:
    """Return the probabilities of a note's codes by the rules, where the words of each stand, and
    by code the one that took its place.
    """
    chances = dict(note.chances)
    where: dict[str, tuple[Span, ...]] = {}
    instead: dict[str, str] = {}
    for rule in RULES:
        for stay_code in list(rule(replace(note, chances=chances))):
            if stay_code.code in note.hierarchy and note.hierarchy[stay_code.code].assignable:
                _apply(stay_code, chances)
                where.setdefault(stay_code.code, stay_code.spans)
                instead |= dict.fromkeys(stay_code.replaced, stay_code.code)
    for code in set(behind(replace(note, chances=chances))) & chances.keys():
        chances[code] = min(with_odds(chances[code], BEHIND_ODDS), BEHIND_AT_MOST)
    return chances, where, instead


def _apply(stay_code: StayCode, chances: dict[str, float]) -> None:
    chances[stay_code.code] = max(stay_code.probability, chances.get(stay_code.code, 0.0))
    for code in stay_code.replaced:
        if code != stay_code.code and code in chances:
            chances[code] = min(chances[code], REPLACED * (1.0 - chances[stay_code.code]))


def _not_denied_or_over(named: Sequence[Named], denied: Mapping[str, str]) -> list[Named]:
    """Return the codes that a note names, and neither denies nor calls over."""
    return [
        code
        for code in named
        if code.concept_id not in denied
        and not all(mention.is_over or mention.is_denied for mention in code.mentions)
    ]


def _over_behind(chances: Mapping[str, float], over: Collection[str]) -> dict[str, float]:
    """Return probabilities where what the patient had, and has no more, is not likely.

    Its code of having had it says it.
    Source: ICD-10-CM guidelines, sections III.A and I.C.21.c.4.
    """
    return {
        i: min(with_odds(p, BEHIND_ODDS), BEHIND_AT_MOST) if i in over else p
        for i, p in chances.items()
    }


def _symptoms_behind(note: StayNote, candidates: CodeRows) -> dict[str, float]:
    """Return probabilities where codes of symptoms have lower odds beside an established disease.

    Annotators of the training cases code each mention of a symptom; a coder of a stay does not
    where the disease is known, and a ranker of names alone serves notes of stays.
    Source: ICD-10-CM guidelines, sections I.B.4, I.B.5 and II.A.
    """
    symptoms = candidates.having("is_symptom")
    diseases = note.chances.keys() - symptoms - candidates.having("is_status") - note.barred
    if not any(note.chances[i] >= DEFINITE and not is_cause(i, note) for i in diseases):
        return dict(note.chances)
    kept_symptoms = {code for code in symptoms if is_kept(code, note)}
    odds = dict.fromkeys(symptoms, SYMPTOM_ODDS) | dict.fromkeys(
        kept_symptoms - note.barred, KEPT_ODDS
    )
    return {i: with_odds(p, odds.get(i, 1.0)) for i, p in note.chances.items()}


def _in_full(
    chances: Mapping[str, float], note: StayNote, candidates: CodeRows
) -> dict[str, float]:
    """Return probabilities where a disease that is called by several words is likely.

    Annotators of the training cases left out what did not matter to the case, and many injuries; a
    coder of a stay gives each condition that was treated, watched or changed the care.
    Source: ICD-10-CM guidelines, section III.
    """
    others = candidates.having("is_symptom") | candidates.having("is_status")
    diseases = {i for i in candidates.ids if i not in others and not is_cause(i, note)}
    in_full = {
        code.concept_id
        for code in note.named
        if code.concept_id in diseases and any(map(_is_in_full, code.mentions))
    }
    return {i: max(p, IN_FULL) if i in in_full else p for i, p in chances.items()}


def _is_in_full(mention: Mention) -> bool:
    match, status = mention.match, mention.assertion.status if mention.assertion else HISTORICAL
    # The titles of injuries say the visit as well, and what is missing, which no note does. What is
    # called an injury alone may be no wound: "acute liver injury" by a drug.
    is_wound = match.concept_id.startswith(WOUNDS) and not match.label.startswith(
        "Unspecified injury"
    )
    least = Kind.SHORTENED if is_wound else Kind.ALTERNATIVE
    is_name = match.kind <= least and not match.lowered and match.n_words > 1
    return is_name and match.gap <= 1 and status == HISTORICAL and not mention.is_over


def _status_ahead(
    chances: Mapping[str, float], candidates: CodeRows, denied: Mapping[str, str]
) -> dict[str, float]:
    """Return probabilities where a status that is said has higher odds.

    Annotators of the training cases seldom gave the codes of what a patient takes, has had or
    lives with; a coder of a stay gives each that the note says.
    Source: ICD-10-CM guidelines, section I.C.21.c.3.
    """
    statuses = candidates.having("is_status") & (candidates.named.keys() - denied.keys())
    return {i: with_odds(p, STATUS_ODDS) if i in statuses else p for i, p in chances.items()}
