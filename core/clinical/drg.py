"""The diagnosis related group of a stay by the definitions of MS-DRG, and what each code does to it.

The package `drgpy` has the published tables of each version. It takes no age and no birth weight,
so it is not an official grouper, and what it says is for information. Nothing is ordered by it.

Source: MS-DRG Definitions Manual, versions 36 to 43.1 (Centers for Medicare & Medicaid Services).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from core.clinical.coding.findings import DocumentCode
from core.clinical.joined import part_of
from core.clinical.names.tables import lists, meanings
from core.clinical.notation import ICD10CM, ICD10PCS
from core.clinical.stay import FEMALE, MALE, NO_STAY, Stay
from core.errors import StrataError
from core.vocabulary.concepts import Hierarchy

NOT_OFFICIAL = "not an official grouper"
MCC, CC = "MCC", "CC"
SEVERITIES: Mapping[str, str] = {MCC: "a major complication", CC: "a complication"}
NO_EFFECT, CHANGES, PRINCIPAL, OTHER = "no effect", "changes the group", "principal", "not grouped"
UNGROUPED = "000"
HOME, DIED = "01", "20"
NOT_PRESENT = frozenset({"N", "U"})
KEPT_VERSIONS = 2  # some 100 MB each, and half a second of one core to read
FISCAL_YEAR_BEGINS = 10
# By the number of a list of hospital-acquired conditions, beginnings of the codes of which one makes a
# condition of the list such a one; none, where it is one always. Other lists are not decided here.
ACQUIRED_WITH = lists("drg", "acquired in hospital, with one of")
CATEGORIES: Mapping[str, str] = meanings("drg", "major diagnostic category")


class NoGroupError(StrataError):
    """A stay has no group; the message says why, and what to do where something can be done."""


@dataclass(frozen=True, slots=True)
class CodedStay:
    """What decides the group of a stay.

    Attributes:
        diagnoses: codes of ICD-10-CM, the principal one first.
        procedures: codes of ICD-10-PCS.
        others: codes of other systems, which decide nothing.
        present: marks of presence on admission, by code.
    """

    diagnoses: tuple[str, ...]
    procedures: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    present: Mapping[str, str] = field(default_factory=dict)
    stay: Stay = NO_STAY

    @classmethod
    def of(cls, codes: Iterable[DocumentCode], hierarchy: Hierarchy, stay: Stay) -> CodedStay:
        """Sort the accepted codes of a document by their systems."""
        accepted = [code for code in codes if not code.is_open]
        systems = {c.concept_id: part_of(c.concept_id, hierarchy).vocabulary_id for c in accepted}
        return cls(
            diagnoses=tuple(code for code, system in systems.items() if system == ICD10CM),
            procedures=tuple(code for code, system in systems.items() if system == ICD10PCS),
            others=tuple(c for c, system in systems.items() if system not in (ICD10CM, ICD10PCS)),
            present={code.concept_id: code.present for code in accepted if code.present},
            stay=stay,
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """What a code does to the group of its stay.

    Attributes:
        mark: MCC, CC, NO_EFFECT, CHANGES, PRINCIPAL or OTHER.
        counts: False where it is an MCC or CC that is not counted in this stay.
        words: the same in a phrase, with the reason where it does not count.
        drg: the group without an accepted code, or with a suggested one; "" where it is the same.
    """

    mark: str
    counts: bool
    words: str
    drg: str = ""


@dataclass(frozen=True, slots=True)
class StayGroup:
    """The group of a stay.

    Attributes:
        mdc: the major diagnostic category as two digits, with its name; "" where it is in none.
        severity: MCC, CC, or "" where no code counts as either.
        version: of the definitions, such as "43.1"; `since` is the day from which it is in force.
        assumed: what is not known of the stay and was taken for granted, a sentence each.
        effects: of the accepted codes.
    """

    drg: str
    title: str
    mdc: str
    severity: str
    version: str
    since: date
    assumed: tuple[str, ...]
    effects: Mapping[str, Effect]


def group_of(coded: CodedStay) -> StayGroup:
    """Return the group of a stay, by the version that is in force on the day of discharge.

    Raises:
        NoGroupError: there is none, or not enough is known of the stay.
    """
    grouping = _Grouping(coded)
    engine, drg = grouping.engine, grouping.drg
    facts = engine.drgmap.get(drg, {})
    effects = grouping.effects()
    counted = {effect.mark for effect in effects.values() if effect.counts}
    return StayGroup(
        drg=drg,
        title=str(facts.get("desc", "")),
        mdc=" ".join(filter(None, (mdc := str(facts.get("mdc", "")), CATEGORIES.get(mdc, "")))),
        severity=next((severity for severity in SEVERITIES if severity in counted), ""),
        version=engine.version.removeprefix("v"),
        since=engine.version_info.effective_date,
        assumed=grouping.assumed,
        effects=effects,
    )


def offered_effects(
    coded: CodedStay, suggested: Sequence[str], hierarchy: Hierarchy
) -> dict[str, Effect]:
    """Return what suggested codes would do if they were accepted behind those that there are.

    Raises:
        NoGroupError: the stay has no group yet.
    """
    grouping = _Grouping(coded)
    effects = {}
    for code in suggested:
        system = part_of(code, hierarchy).vocabulary_id
        if system in (ICD10CM, ICD10PCS):
            effects[code] = grouping.added(code, is_procedure=system == ICD10PCS)
    return effects


class _Grouping:
    """One stay with the definitions of its version.

    Raises:
        NoGroupError: it has no group.
    """

    def __init__(self, coded: CodedStay) -> None:
        if not coded.diagnoses:
            raise NoGroupError("There is no group before a principal diagnosis is accepted.")
        self.coded = coded
        self.first = coded.diagnoses[0]
        self.engine, unsure = _definitions_on(coded.stay.discharged)
        if not self.engine.dxmap.get(_plain(self.first)):
            raise NoGroupError(
                f"Version {self.engine.version[1:]} of MS-DRG does not know {self.first}, so the "
                "stay has no group; look at the code and at the day of discharge."
            )
        self.disposition = coded.stay.disposition or HOME
        sexes = {FEMALE: "F", MALE: "M"}
        self.sex = sexes.get(coded.stay.sex, "F")
        self.drg = self.regrouped(coded.diagnoses, coded.procedures)
        self._refuse_doubt()
        home = "" if coded.stay.disposition else "Where the patient went is not known: as if home."
        bare = (
            "" if coded.procedures else "No procedure of ICD-10-PCS is coded: as if none was done."
        )
        self.assumed = tuple(filter(None, (unsure, home, bare, self._undecided())))

    def _undecided(self) -> str:
        """Return of which codes only their operations, which are not looked at, say more."""
        lists_of = {code: self._list(code) for code in self.coded.diagnoses[1:]}
        codes = [code for code, number in lists_of.items() if number not in (*ACQUIRED_WITH, "")]
        if not codes:
            return ""
        return (
            f"Whether {' and '.join(codes)} is a hospital-acquired condition, which does not count, "
            "depends on the operation: as if it is none."
        )

    def _refuse_doubt(self) -> None:
        """Refuse what is grouped nowhere, or by a sex that is not known."""
        if not self.coded.stay.sex:
            other = self.regrouped(self.coded.diagnoses, self.coded.procedures, sex="M")
            if other != self.drg:
                raise NoGroupError(
                    "The sex of the patient decides the group; add it to the stay above the text."
                )
        if self.drg == UNGROUPED:
            raise NoGroupError(f"No group of MS-DRG has {self.first} as the principal diagnosis.")

    def regrouped(
        self, diagnoses: Sequence[str], procedures: Sequence[str], *, sex: str = ""
    ) -> str:
        """Return the group of other codes in the same stay."""
        marks = {
            _plain(code): self.coded.present[code]
            for code in diagnoses
            if self._is_acquired(code, diagnoses, procedures)
        }
        return str(
            self.engine.get_drg(
                [_plain(code) for code in diagnoses],
                [_plain(code) for code in procedures],
                gender=sex or self.sex,
                is_alive=self.disposition != DIED,
                poa=marks,
                discharge_status=self.disposition,
            )
        )

    def _list(self, code: str) -> str:
        """Return the list of hospital-acquired conditions that has a code which began in the stay."""
        if self.coded.present.get(code, "") not in NOT_PRESENT:
            return ""
        return str(self.engine.ccmap.get(_plain(code), {}).get("hac") or "")

    def _is_acquired(self, code: str, diagnoses: Sequence[str], procedures: Sequence[str]) -> bool:
        """Return whether a code is a hospital-acquired condition beside other codes of the stay.

        Of its list, a diagnosis that makes it one began in the stay as well.
        """
        with_one_of = ACQUIRED_WITH.get(self._list(code))
        if not with_one_of:
            return with_one_of is not None
        begun = (other for other in diagnoses if self.coded.present.get(other, "") in NOT_PRESENT)
        return any(_plain(other).startswith(with_one_of) for other in (*begun, *procedures))

    def effects(self) -> dict[str, Effect]:
        """Return what each accepted code does."""
        diagnoses, procedures = self.coded.diagnoses, self.coded.procedures
        effects = {self.first: Effect(PRINCIPAL, True, "the principal diagnosis")}
        for code in diagnoses[1:]:
            other = self.regrouped(
                [other_code for other_code in diagnoses if other_code != code], procedures
            )
            effects[code] = self._of_diagnosis(code, other, "without it")
        for code in procedures:
            other = self.regrouped(
                diagnoses, [other_code for other_code in procedures if other_code != code]
            )
            effects[code] = self._of_group(other, "without it")
        for code in self.coded.others:
            effects[code] = Effect(OTHER, False, "its code system is not grouped")
        return effects

    def added(self, code: str, *, is_procedure: bool) -> Effect:
        """Return what another code would do."""
        diagnoses, procedures = self.coded.diagnoses, self.coded.procedures
        if is_procedure:
            return self._of_group(self.regrouped(diagnoses, [*procedures, code]), "with it")
        other = self.regrouped([*diagnoses, code], procedures)
        return self._of_diagnosis(code, other, "with it")

    def _of_diagnosis(self, code: str, other: str, how: str) -> Effect:
        severity = str(self.engine.ccmap.get(_plain(code), {}).get("level", ""))
        if severity not in SEVERITIES:
            return self._of_group(other, how)
        reason = self._reason(code)
        if reason:
            return Effect(severity, False, f"{SEVERITIES[severity]}, {reason}")
        words = f"{SEVERITIES[severity]}; {self._change(other, how)}"
        return Effect(severity, True, words, self._if_other(other))

    def _of_group(self, other: str, how: str) -> Effect:
        mark = CHANGES if self._if_other(other) else NO_EFFECT
        return Effect(mark, mark == CHANGES, self._change(other, how), self._if_other(other))

    def _reason(self, code: str) -> str:
        """Return why a complication is not counted; "" where it is."""
        facts = self.engine.ccmap[_plain(code)]
        if _plain(self.first) in self.engine.exmap.get(facts["pdx"], ()):
            return f"excluded by {self.first}"
        if _plain(code) in self.engine.drg_exclusions.get(self.drg, ()):
            return f"not counted in {self.drg}, whose definition has it"
        if facts["aowa"] and self.disposition == DIED:
            return "counted only of patients who leave alive"
        if self._is_acquired(code, self.coded.diagnoses, self.coded.procedures):
            return f"acquired in hospital (mark {self.coded.present[code]}), so not counted"
        return ""

    def _if_other(self, drg: str) -> str:
        return "" if drg == self.drg else drg

    def _change(self, drg: str, how: str) -> str:
        if drg == self.drg:
            return f"the group is the same {how}"
        title = self.engine.drgmap.get(drg, {}).get("desc", "no group")
        return f"{how} {drg} {title}"


def _plain(code: str) -> str:
    return code.replace(".", "")


def _definitions_on(discharged: date | None) -> tuple[Any, str]:
    """Return the definitions of a day, and what is unsure about them; the newest without a day.

    Raises:
        NoGroupError: the day is before the oldest version.
    """
    from drgpy._versions import SUPPORTED_VERSIONS

    newest, oldest = SUPPORTED_VERSIONS[-1], SUPPORTED_VERSIONS[0]
    if discharged is None:
        return _read_definitions(newest.name), "No day of discharge is known: the newest version."
    if discharged < oldest.effective_date:
        raise NoGroupError(
            f"Stays that ended before {oldest.effective_date} have no group here: the oldest "
            f"version is {oldest.name[1:]}."
        )
    supported = [version for version in SUPPORTED_VERSIONS if version.effective_date <= discharged]
    start = newest.effective_date
    ends = date(start.year + (start.month >= FISCAL_YEAR_BEGINS), FISCAL_YEAR_BEGINS, 1)
    unsure = "A newer version was in force at discharge." if discharged >= ends else ""
    return _read_definitions(supported[-1].name), unsure


@lru_cache(maxsize=KEPT_VERSIONS)
def _read_definitions(version: str) -> Any:
    from drgpy.msdrg import DRGEngine

    return DRGEngine(version)
