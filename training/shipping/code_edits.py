"""Make the file of code edits that ships from the published lists of Medicare.

`python -m training.shipping.code_edits DATA/cms`, where the two lists are as tables.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

from core.clinical.coding.packed_codes import packed, with_point
from core.clinical.coding.published import EXEMPT, KINDS, PATH
from core.commands.options import run_function

EDITOR_TABLE, EXEMPT_TABLE = "mce_simple_code_edits_v37.tsv.gz", "poa_exempt_2020.tsv.gz"
FISCAL_YEAR = 2020


def main(folder: Path) -> None:
    """Make the file of code edits that ships from the published lists of Medicare."""
    codes: dict[str, set[str]] = defaultdict(set)
    for row in _rows(folder / EDITOR_TABLE):
        if row["ICD_Code_Type"] == "D" and row["MCE_Edit_Type"] in KINDS:
            codes[row["MCE_Edit_Type"]].add(with_point(row["ICD_Code"]))
    codes[EXEMPT] = {row["POAexemptCode"] for row in _rows(folder / EXEMPT_TABLE)}
    stored = {
        "fiscal_year": FISCAL_YEAR,
        "editor": "Medicare Code Editor 37",
        "exempt_list": "POA exempt list",
        "source": "Centers for Medicare & Medicaid Services, public domain",
        "codes": {kind: packed(sorted(codes[kind])) for kind in KINDS},
    }
    PATH.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stored, indent=1).encode()
    PATH.write_bytes(gzip.compress(text, mtime=0))


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


if __name__ == "__main__":
    sys.exit(run_function(main, "training.shipping.code_edits"))
