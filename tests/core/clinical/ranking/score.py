"""How sure codes are right, and whether the principal one is first: `python -m tests.core.clinical.ranking.score FILE`.

FILE has encounters with their codes, such as `docs/results/hospital-notes/seen-7.jsonl`; they are
ranked by names and rules, as notes are that no model knows. With `icd9cm` behind it, by the whole of
ICD-9-CM, which has to be imported, against their codes as the published mappings translate them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.clinical.notation import ICD9CM, ICD10CM
from core.clinical.ranking.ranked import older_codes
from core.clinical.suggester import codes_of
from core.settings import Settings
from core.vocabulary.versions.keeping import whole_vocabulary
from tests.core.clinical.ranking.conftest import EVEN
from training.cli.codes import read_encounters

BANDS = ((0.9, 1.01), (0.7, 0.9), (0.5, 0.7), (0.05, 0.5), (0.0, 0.05))


def main(paths: list[Path], system: str) -> None:
    """Print for each band of probability how many codes are right, and how often the first is."""
    home = Settings.from_env().home
    hierarchy = whole_vocabulary(system, home)
    suggester = codes_of(None, hierarchy, home)
    encounters = [encounter for path in paths for encounter in read_encounters(path)]
    counts = {band: [0, 0] for band in BANDS}
    n_first = n_assigned = 0
    for encounter in encounters:
        chances = suggester.chances(encounter.document)
        assigned = list(encounter.assigned)
        if system == ICD9CM:
            assigned = [old for code in assigned for old in older_codes(code, hierarchy)]
        assigned = list(dict.fromkeys(assigned))
        n_assigned += len(assigned)
        n_first += next(iter(chances), None) == next(iter(assigned), None)
        for code, chance in chances.items():
            for (least, most), count in counts.items():
                if least <= chance < most:
                    count[0] += code in assigned
                    count[1] += 1
    for (least, _), (right, total) in counts.items():
        sys.stdout.write(f"from {least:.0%}: {right} of {total} right\n")
    right, total = (
        sum(count[n] for (least, _), count in counts.items() if least >= EVEN) for n in (0, 1)
    )
    f1 = 2 * right / (total + n_assigned)
    sys.stdout.write(f"micro-F1 from {EVEN:.0%}: {100 * f1:.1f} ({n_assigned} codes)\n")
    sys.stdout.write(f"principal first: {n_first} of {len(encounters)}\n")


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:] if name != ICD9CM]
    main(files, ICD9CM if ICD9CM in sys.argv else ICD10CM)
