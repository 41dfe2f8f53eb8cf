"""Score the check on a table of code sets with the findings that are expected.

`python -m tests.core.clinical.coding.score FILE` prints, by rule of the table, how many expected findings
are met and how many findings are right; `--wrong` lists the others. A finding is right if its row
expects one of its kind about one of its codes, and each expected finding is met once. Findings of a
kind are counted under the first rule that the kind answers to. With `--cases`, FILE is the codes of
real cases (`DATA/codiesp/train.jsonl.gz`), and the frequency of each kind is printed.

The tables name codes of fiscal year 2020. A code that has been divided since, such as N18.3, is
read as its unspecified code of today, unless the row expects that it is incomplete.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.clinical.codes.icd10cm import icd10cm
from core.clinical.coding.findings import DocumentCode, Finding
from core.clinical.notation import ICD10CM
from core.clinical.stay import FEMALE, MALE, Stay
from core.clinical.validity import check
from core.vocabulary.concepts import Hierarchy, is_code
from core.vocabulary.conventions import conventions_of

# The kinds of finding that answer to each rule of the tables.
KINDS = {
    "invalid_or_incomplete": ("category", "unknown", "withdrawn"),
    "unspecified_beside_specific": ("unspecified", "excludes1"),
    "combination": ("combined", "excludes1", "fragile", "effect"),
    "stages": ("stages", "excludes1", "unspecified"),
    "bilateral": ("bilateral",),
    "laterality": ("laterality",),
    "weeks_of_gestation": ("weeks",),
    "outcome_of_delivery": ("outcome",),
    "encounter_first": ("first",),
    "newborn_first": ("first",),
    "poisoning_first": ("poisoning",),
    "sequela_order": ("sequela",),
    "history_beside_current": ("history",),
    "integral_symptom": ("integral", "excludes1"),
    "external_cause_missing": ("cause",),
    "age_conflict": ("age",),
    "sex_conflict": ("sex",),
    "poa_missing": ("unmarked",),
    "poa_exempt_marked": ("exempt",),
    "manifestation_principal": ("manifestation", "codeFirst", "order"),
    "unacceptable_principal": (
        "unacceptable", "externalCause", "agent", "questionable", "manifestation",
    ),
    "code_first": ("order", "codeFirst", "sepsis", "infection"),
    "manifestation_without_cause": ("codeFirst", "manifestation"),
    "use_additional": ("useAdditionalCode", "codeAlso"),
    "excludes1": ("excludes1", "combined", "integral", "unspecified", "stages"),
}  # fmt: skip
RULE_OF: dict[str, str] = {}
for _rule, _kinds in KINDS.items():
    RULE_OF.setdefault(_kinds[0], _rule)
for _rule, _kinds in KINDS.items():
    for _kind in _kinds:
        RULE_OF.setdefault(_kind, _rule)
SEXES = {"F": FEMALE, "M": MALE}
EXEMPT_MARK = "1"


@dataclass
class Row:
    """One set of a table, with what was found about it."""

    row_id: str
    expected: list[dict[str, Any]]
    found: list[Finding]

    def meets(self, finding: Finding, expected: dict[str, Any]) -> bool:
        """Return whether a finding is an expected one."""
        about = {_today(code) for code in expected["codes"]}
        alike = finding.kind in KINDS.get(expected["rule"], ())
        return alike and bool({_today(code) for code in finding.concept_ids} & about)

    def missed(self) -> list[dict[str, Any]]:
        """Return the expected findings that no finding meets."""
        return [one for one in self.expected if not any(self.meets(f, one) for f in self.found)]

    def false(self) -> list[Finding]:
        """Return the findings that nothing expects."""
        return [f for f in self.found if not any(self.meets(f, one) for one in self.expected)]


def _today(code: str) -> str:
    """The stem that a code of 2020 shares with the codes into which it was divided."""
    return _STEMS.get(code, code)


_STEMS: dict[str, str] = {}


def read_rows(path: Path, tree: Hierarchy) -> Iterator[Row]:
    """Yield the sets of a table with the findings of the check."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        incomplete = {
            code
            for one in row["expected"]
            if one["rule"] == "invalid_or_incomplete"
            for code in one["codes"]
        }
        codes = [
            DocumentCode(_current(one["code"], tree, incomplete), present=_mark(one.get("poa")))
            for one in row["codes"]
        ]
        patient = row.get("patient") or {}
        stay = Stay(age_years=patient.get("age"), sex=SEXES.get(patient.get("sex", ""), ""))
        found = check(codes, tree, conventions_of(ICD10CM), stay)
        yield Row(row["id"], row["expected"], found)


def _mark(poa: str | None) -> str:
    return "" if poa in (None, EXEMPT_MARK) else poa


def _current(code: str, tree: Hierarchy, incomplete: set[str]) -> str:
    """Return a code of today: the last below it, or the unspecified one, of one divided since."""
    if code in incomplete or code not in tree or is_code(code, tree):
        return code
    below = sorted(one for one in tree.descendants(code) if is_code(one, tree))
    unspecified = [one for one in below if "unspecified" in tree[one].label().lower()]
    today = (unspecified or below)[0]
    _STEMS[today] = code
    return today


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--cases", action="store_true", help="FILE is cases of CodiEsp: count")
    parser.add_argument("--wrong", action="store_true", help="list what is missed and false")
    given = parser.parse_args()
    if given.cases:
        count_cases(given.file)
        return
    rows = list(read_rows(given.file, icd10cm()))
    expected, met, found, right = (Counter[str]() for _ in range(4))
    for row in rows:
        missed, false = row.missed(), row.false()
        expected.update(one["rule"] for one in row.expected)
        met.update(one["rule"] for one in row.expected if one not in missed)
        found.update(RULE_OF[finding.kind] for finding in row.found if finding.kind != "empty")
        right.update(RULE_OF[finding.kind] for finding in row.found if finding not in false)
        if given.wrong:
            for one in missed:
                print(row.row_id, "missed", one["rule"], *one["codes"])
            for finding in false:
                print(row.row_id, "false", finding.kind, finding.severity, finding.sentence)
    _print(expected, met, found, right)
    clean = [row for row in rows if not row.expected]
    loud = [row for row in clean if any(f.severity != "note" for f in row.found)]
    print(f"\n{len(clean)} clean sets: {len(loud)} with a warning or error,", end=" ")
    print(f"{sum(bool(row.found) for row in clean)} with anything; {len(_STEMS)} codes read anew")


def count_cases(path: Path) -> None:
    """Print how often each kind of finding comes up on real codes, and how long a check takes."""
    tree, cases, seconds = icd10cm(), Counter[str](), []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        coded = [codes for line in file if (codes := json.loads(line)["icd10cm"])]
    for codes in coded:
        began = time.perf_counter()
        found = check([DocumentCode(c, present="Y") for c in codes], tree, conventions_of(ICD10CM))
        seconds.append(time.perf_counter() - began)
        cases.update({f"{one.severity} {one.kind}" for one in found if one.kind != "exempt"})
    print(f"{len(coded)} cases, median {statistics.median(seconds) * 1000:.1f} ms")
    for kind, n in cases.most_common():
        print(f"{kind}: {n} cases, {n / len(coded):.1%}")


def _print(*counters: Counter[str]) -> None:
    expected, _, found, _ = counters
    print("| rule | expected | met | recall | findings | right | precision |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rule in [*sorted(expected | found), "all"]:
        numbers = [c.total() if rule == "all" else c[rule] for c in counters]
        recall = f"{numbers[1] / numbers[0]:.2f}" if numbers[0] else ""
        precision = f"{numbers[3] / numbers[2]:.2f}" if numbers[2] else ""
        print(f"| {rule} | {numbers[0]} | {numbers[1]} | {recall} | ", end="")
        print(f"{numbers[2]} | {numbers[3]} | {precision} |")


if __name__ == "__main__":
    main()
