"""Diseases that a note calls in remission or in relapse, where codes say so.

Whoever is in remission has the disease's code of that, and neither its active one nor its history.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.n (leukemia and myeloma in
remission, not a history of them) and I.C.5.b.1 (dependence in remission); the codes' own titles.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.names.mentions import Mention
from core.clinical.names.tables import meanings, rows, whole_words
from core.clinical.notation import category_of
from core.clinical.stays.note import StayCode, StayNote
from core.vocabulary.concepts import Hierarchy

LIKELY = 0.7
IN_REMISSION, REMISSION = "in remission", "remission"
STATES = [(row.meaning, whole_words(row.pattern)) for row in rows("remission", "state")]
# By the beginning of a code, where the code of a state has no title that ends with it.
OF_STATE = {
    "in partial remission": meanings("remission", "code in partial remission"),
    "in full remission": meanings("remission", "code in full remission"),
    IN_REMISSION: meanings("remission", "code in remission"),
}
HISTORIES = meanings("remission", "history of what is in remission")


def remission(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of the state of each disease, in place of the one that leaves it open."""
    stated = [i for i in note.codes if _says_state(i, note.hierarchy)]
    for code in note.codes:
        history = HISTORIES.get(code[:3], code)
        if code in stated and history in note.codes:
            yield _instead(code, note, code, history)
        if category_of(code) in map(category_of, stated):
            continue
        states = (_state(mention, note) for mention in note.mentions(code))
        code_of_state = next(
            filter(None, (_in_state(code, s, note.hierarchy) for s in states)), None
        )
        if code_of_state:
            yield _instead(code_of_state, note, code, history)


def _instead(found: str, note: StayNote, *codes: str) -> StayCode:
    chance = max(LIKELY, note.chances[codes[0]])
    return StayCode(found, chance, note.spans(codes[0]), tuple(dict.fromkeys(codes)))


def _state(mention: Mention, note: StayNote) -> str:
    """Return the last state of which the words around a disease speak; "" where they do not."""
    start, end = note.around(mention.span)
    said = [
        (match.end(), -place, state)
        for place, (state, pattern) in enumerate(STATES)
        for match in note.affirmed(pattern, start, end)
    ]
    return max(said)[2] if said else ""


def _in_state(code: str, state: str, hierarchy: Hierarchy) -> str | None:
    """Return the code of a disease in a state; None without one."""
    if not state:
        return None
    states = [state, IN_REMISSION] if state.endswith(REMISSION) else [state]
    beside = [i for above in hierarchy[code].broader for i in hierarchy.narrower(above)]
    codes = [i for i in beside if hierarchy[i].assignable]
    for one in states:
        by_table = (c for begin, c in OF_STATE.get(one, {}).items() if code.startswith(begin))
        by_title = (i for i in codes if hierarchy[i].label().endswith(one))
        instead = next(by_table, None) or next(by_title, None)
        if instead is not None and instead in hierarchy:
            return instead
    return None


def _says_state(code: str, hierarchy: Hierarchy) -> bool:
    label = hierarchy[code].label()
    return any(state in label for state, _ in STATES)
