"""The table of what is served for codes; rows of one call stand beside those of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from training.codes.served import SHOWN, ServedDocument, figures
from training.judging.measured import FIGURES, ArmFigures, read_figures, save_figures
from training.results.tables import markdown

HEAD = ("What suggests", "Documents", "Micro-F1", "Precision", "Recall", "MAP", "Calibration error")
ORDER = ("micro_f1@0.5", "precision@0.5", "recall@0.5", "map", "calibration_error")
TITLE = "# Codes as they are served"
ABOUT = (
    "In percent. Micro-F1, precision and recall are of suggestions of 0.5 and more, pooled over "
    "all documents; every code that people gave counts. MAP is mean average precision. The "
    f"calibration error is over suggestions of {SHOWN} and more, in ten bins. Notes: codes of the "
    "edition of 2020, of which one that is a category now is found by any code below it."
)


def add_rows(
    out: Path, found: Mapping[str, Sequence[ServedDocument]], *, command: str
) -> dict[str, ArmFigures]:
    """Write the figures of served documents beside those that stand in a folder already."""
    known: dict[str, ArmFigures] = {}
    commands: list[str] = []
    if (out / FIGURES).is_file():
        before, known = read_figures(out)
        commands = [line for line in before.split("; ") if line != command]
    arms = known | {name: figures(rows) for name, rows in found.items()}
    save_figures(out, arms, command="; ".join([*commands, command]))
    lines = [TITLE, ABOUT, table(arms), "\n".join(f"- `{one}`" for one in [*commands, command])]
    (out / "README.md").write_text("\n\n".join(lines) + "\n", "utf-8")
    return arms


def table(arms: Mapping[str, ArmFigures]) -> str:
    """Return a row for each arm, in percent."""
    rows = [
        [name, f"{arm.documents:,}", *(f"{100 * arm.means[one]:.1f}" for one in ORDER)]
        for name, arm in arms.items()
    ]
    return markdown(list(HEAD), rows)
