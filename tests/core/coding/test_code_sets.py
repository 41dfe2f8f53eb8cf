"""The rules on a table of code sets that was written before them, by someone who had not seen them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.coding.findings import DocumentCode, Finding
from core.coding.validity import check
from core.vocabulary.codes.icd10cm import icd10cm
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import ICD10CM, conventions_of

TABLE = Path(__file__).with_name("code_sets.jsonl")
# The rules that are built, as the table names them, and the kinds of finding that meet each.
BUILT = {
    "unspecified_beside_specific": ("unspecified", "excludes1"),
    "stages": ("stages", "excludes1"),
    "bilateral": ("bilateral",),
    "weeks_of_gestation": ("weeks",),
    "outcome_of_delivery": ("outcome",),
    "newborn_first": ("first",),
    "encounter_first": ("first",),
    "poisoning_first": ("poisoning",),
    "sequela_order": ("sequela",),
    "history_beside_current": ("history",),
    "integral_symptom": ("integral", "excludes1"),
    "external_cause_missing": ("cause",),
    "combination": ("combined", "excludes1"),
}
NEW = {kind for kinds in BUILT.values() for kind in kinds} - {"excludes1"}


def findings(row: dict[str, Any], tree: Hierarchy) -> list[Finding]:
    codes = [DocumentCode(one["code"], present="Y") for one in row["codes"]]
    return check(codes, tree, conventions_of(ICD10CM))


def test_what_the_table_expects_is_found_and_clean_sets_stay_clean() -> None:
    tree = icd10cm()
    rows = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
    wrong = []
    for row in rows:
        found = [one for one in findings(row, tree) if one.kind in NEW | {"excludes1"}]
        if not row["expected"]:
            wrong += [(row["id"], "false", one.sentence) for one in found if one.kind in NEW]
        for expected in row["expected"]:
            kinds = BUILT.get(expected["rule"], ())
            met = any(
                one.kind in kinds and set(one.concept_ids) & set(expected["codes"]) for one in found
            )
            if kinds and not met:
                wrong.append((row["id"], expected["rule"], "+".join(expected["codes"])))
    assert len(rows) == 200
    assert not wrong, "\n" + "\n".join(" | ".join(one) for one in wrong)
