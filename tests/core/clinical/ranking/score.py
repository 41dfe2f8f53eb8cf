"""How sure codes are right, and whether the principal one is first: `python -m tests.core.clinical.ranking.score FILE`.

FILE has encounters with their codes, such as `docs/results/hospital-notes/seen-7.jsonl`; they are
ranked by names and rules, as notes are that no model knows.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.clinical.suggester import codes_of
from core.settings import Settings
from core.vocabulary.versions.keeping import whole_vocabulary
from training.cli.codes import read_encounters

BANDS = ((0.9, 1.01), (0.7, 0.9), (0.5, 0.7), (0.05, 0.5), (0.0, 0.05))


def main(path: Path) -> None:
    """Print for each band of probability how many codes are right, and how often the first is."""
    home = Settings.from_env().home
    suggester = codes_of(None, whole_vocabulary("icd10cm", home), home)
    encounters = list(read_encounters(path))
    counts = {band: [0, 0] for band in BANDS}
    n_first = 0
    for encounter in encounters:
        chances = suggester.chances(encounter.document)
        n_first += next(iter(chances), None) == next(iter(encounter.assigned), None)
        for code, chance in chances.items():
            for (least, most), count in counts.items():
                if least <= chance < most:
                    count[0] += code in encounter.assigned
                    count[1] += 1
    for (least, _), (right, total) in counts.items():
        sys.stdout.write(f"from {least:.0%}: {right} of {total} right\n")
    sys.stdout.write(f"principal first: {n_first} of {len(encounters)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
