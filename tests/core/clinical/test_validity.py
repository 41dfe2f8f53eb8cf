"""Each thing that the check before finishing tells, and what it lets pass."""

from __future__ import annotations

from datetime import date

import pytest

from core.clinical.coding.findings import DocumentCode, Finding
from core.clinical.coding.rules.assignable import still_open
from core.clinical.stay import Stay
from core.clinical.validity import check
from core.vocabulary.concepts import Concept, Hierarchy, is_code
from core.vocabulary.conventions import Conventions, conventions_of
from tests.support.coded import icd9, icd10

EXEMPT_CODES = ("Z79.4",)


def found(
    *ids: str, hierarchy: Hierarchy | None = None, stay: Stay | None = None, **more: str
) -> list[Finding]:
    """The findings of accepted codes, each marked and dated."""
    tree = hierarchy or icd10()
    marks = {"present": "Y", "performed_on": "2026-05-04"} | more
    coded = [
        DocumentCode(
            code, False, "" if code in EXEMPT_CODES else marks["present"], marks["performed_on"]
        )
        for code in ids
    ]
    return check(coded, tree, conventions_of(tree.vocabulary_id), stay)


def kinds(findings: list[Finding]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(finding.severity, finding.kind, finding.concept_ids) for finding in findings]


def test_codes_in_order_are_passed_without_a_word() -> None:
    assert found("E11.621", "L97.419", "Z79.4") == []
    assert found("G30.9", "F02.8") == []
    assert found("428.0", "99.15", "V10.3", "E888.9", hierarchy=icd9()) == []


def test_an_open_category_is_an_error_until_a_code_below_it_is_accepted() -> None:
    conventions = conventions_of("icd10cm")
    held = DocumentCode("E11", is_open=True)
    (first, second) = check([held], icd10(), conventions)
    assert (first.severity, first.kind, first.concept_ids) == ("error", "open", ("E11",))
    assert "E11 is still open" in first.sentence
    assert (second.severity, second.kind) == ("warning", "empty")
    codes = [DocumentCode("E11.621", present="Y"), DocumentCode("L97.419", present="Y"), held]
    assert check(codes, icd10(), conventions) == []
    assert still_open(["E11", "E10"], ["E11.9", "unheard of"], icd10()) == ["E10"]


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("E11", "category", "a category"),
        ("E08-E13", "category", "a category"),
        ("E11.0", "withdrawn", "use E11.9"),
        ("E99.9", "unknown", "no code of icd10cm test"),
    ],
)
def test_what_is_no_code_is_an_error(code: str, kind: str, words: str) -> None:
    (first, *_) = found(code)
    assert (first.severity, first.kind, first.concept_ids) == ("error", kind, (code,))
    assert words in first.sentence
    assert not is_code(code, icd10())


def test_an_excluded_pair_is_told_once_with_the_note() -> None:
    (pair,) = found("E10.9", "E11.9", "Z79.4")
    assert (pair.severity, pair.kind, set(pair.concept_ids)) == (
        "warning",
        "excludes1",
        {"E10.9", "E11.9"},
    )
    assert pair.note == "Excludes1: type 2 diabetes mellitus (E11.-)"


def test_codes_that_may_stand_together_are_no_finding() -> None:
    assert found("J18.9", "J69.0") == []
    assert found("J11.1", "J69.0") == []


def test_what_has_to_stand_first_is_missed_or_found_behind() -> None:
    assert kinds(found("L97.419")) == [("warning", "codeFirst", ("L97.419",))]
    late = found("L97.419", "E11.621", "Z79.4")
    assert kinds(late) == [("warning", "order", ("L97.419", "E11.621"))]
    assert late[0].note == "Code first diabetic ulcers (E08.621, E11.621)"
    assert late[0].remedy is not None
    assert late[0].remedy.order == ("E11.621", "L97.419", "Z79.4")
    assert found("J18.9") == []  # "if applicable"


def test_examples_of_a_cause_may_be_met_by_another_code_before() -> None:
    assert kinds(found("J11.1", "F02.8")) == [("note", "codeFirst", ("F02.8",))]


def test_an_unnamed_cause_is_any_code_before() -> None:
    assert ("warning", "codeFirst", ("L97.429",)) in kinds(found("L97.429", "E11.621", "Z79.4"))
    assert found("E11.621", "Z79.4", "L97.429") == []


def test_an_instruction_for_special_cases_is_no_warning_of_every_code() -> None:
    assert found("I50.9") == []
    assert found("T36.0X1A") == []  # a poisoning stands first
    for adverse in ("T36.0X5A", "T36.95XA"):
        assert kinds(found(adverse)) == [("warning", "unacceptable", (adverse,))]
        assert found("J11.1", adverse) == []  # which may be its nature


def test_a_further_code_is_asked_for_where_it_completes_the_code() -> None:
    assert all(one.kind != "useAdditionalCode" for one in found("G30.9", "E11.9"))  # "insulin"
    assert kinds(found("G30.9", "E11.621")) == [("warning", "useAdditionalCode", ("E11.621",))]
    assert found("G30.9", "E11.621", "L97.419") == []


def test_a_manifestation_or_an_external_cause_is_not_the_principal_diagnosis() -> None:
    errors = [finding for finding in found("F02.8", "G30.9") if finding.severity == "error"]
    assert kinds(errors) == [("error", "manifestation", ("F02.8", "G30.9"))]
    assert errors[0].remedy is not None
    assert errors[0].remedy.words == "Put G30.9 before F02.8"
    agent = found("B95.61", "J11.1")
    assert kinds(agent) == [("warning", "agent", ("B95.61", "J11.1"))]
    assert kinds(found("W19.XXXA", "G30.9")) == [("error", "externalCause", ("W19.XXXA", "G30.9"))]
    fall = found("99.15", "E888.9", "428.0", hierarchy=icd9())
    assert kinds(fall) == [("error", "externalCause", ("E888.9", "428.0"))]


def test_of_what_is_no_code_it_is_said_once() -> None:
    assert kinds(found("Y99.99", "J11.1", "Z79.4")) == [("error", "unknown", ("Y99.99",))]


def test_a_side_left_open_is_told_where_siblings_name_it() -> None:
    (side,) = found("E11.621", "Z79.4", "L97.409")
    assert (side.severity, side.kind, side.concept_ids) == ("warning", "laterality", ("L97.409",))
    assert "L97.419 is right, L97.429 is left" in side.sentence  # codes, no categories
    assert kinds(found("G81.90")) == [("warning", "laterality", ("G81.90",))]
    assert found("G81.91") == []


def test_missing_marks_and_days_are_told_together() -> None:
    unmarked = found("J11.1", "G30.9", "Z79.4", "W19.XXXA", present="")
    assert kinds(unmarked) == [("warning", "unmarked", ("J11.1", "G30.9", "W19.XXXA"))]
    undated = found("428.0", "99.15", hierarchy=icd9(), performed_on="")
    assert kinds(undated) == [("warning", "undated", ("99.15",))]


def test_a_procedure_is_dated_within_the_stay_or_three_days_before() -> None:
    stay = Stay(admitted=date(2026, 5, 4), discharged=date(2026, 5, 9))
    days = ("2026-04-30", "2026-05-01", "2026-05-09", "2026-05-10")
    told = [
        [
            (one.severity, one.sentence)
            for one in found("99.15", hierarchy=icd9(), stay=stay, performed_on=day)
            if one.kind == "outside"
        ]
        for day in days
    ]
    before = "99.15 is dated 2026-04-30, more than 3 days before admission on 2026-05-04."
    after = "99.15 is dated 2026-05-10, after discharge on 2026-05-09."
    assert told == [[("warning", before)], [], [], [("warning", after)]]
    assert "outside" not in {one.kind for one in found("99.15", hierarchy=icd9(), stay=Stay())}


def test_errors_come_first_and_a_vocabulary_without_the_rule_has_no_findings() -> None:
    severities = [finding.severity for finding in found("L97.409", "E11", "E10.9", present="")]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert check([DocumentCode("E11")], icd10(), Conventions()) == []


def test_a_list_of_procedures_is_asked_for_days_alone() -> None:
    concepts = [Concept(code, f"urn:{code}", code, {"en": "Invented"}) for code in ("0A", "0B")]
    tree = Hierarchy(concepts, vocabulary_id="icd10pcs", version="test")
    assert kinds(found("0A", "0B", hierarchy=tree, present="", performed_on="")) == [
        ("warning", "undated", ("0A", "0B"))
    ]
