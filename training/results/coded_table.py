"""The table of codes found: micro- and macro-F1 and mean average precision, and what differs."""

from __future__ import annotations

from collections.abc import Sequence

from training.judging.coded import Difference, f1_differences
from training.judging.measured import Measured
from training.results.tables import markdown
from training.studies.coded_study import CodedArm

HEAD = ("Arm", "Folds", "Documents", "Micro-F1", "Macro-F1", "Micro-F1 at 0.5", "MAP")


def coded_table(arms: Sequence[CodedArm]) -> str:
    """One row an arm, in percent; thresholds of the first three tuned on dev of each fold."""
    return markdown(list(HEAD), [_row(arm) for arm in arms])


def _row(arm: CodedArm) -> list[str]:
    figures = (
        arm.tuned.micro_f1(),
        arm.tuned.macro_f1(),
        arm.even.micro_f1(),
        arm.precision,
    )
    counts = (str(arm.n_folds), f"{len(arm.tuned.document_ids):,}")
    return [arm.name, *counts, *(f"{100 * figure:.1f}" for figure in figures)]


def measured(arms: Sequence[CodedArm]) -> dict[str, Measured]:
    """The figures of the table, in [0, 1]; the threshold of `micro_f1` and `macro_f1` is dev's."""
    return {
        arm.name: Measured(
            len(arm.tuned.document_ids),
            arm.n_folds,
            {
                "micro_f1": arm.tuned.micro_f1(),
                "macro_f1": arm.tuned.macro_f1(),
                "micro_f1@0.5": arm.even.micro_f1(),
                "map": arm.precision,
            },
        )
        for arm in arms
    }


def pair_table(arms: Sequence[CodedArm], against: str) -> str:
    """Differences from one arm, in points, over the documents that both were judged on."""
    base = next(arm for arm in arms if arm.name == against)
    rows = []
    for arm in arms:
        if arm is base or set(arm.tuned.document_ids) != set(base.tuned.document_ids):
            continue
        found = f1_differences(arm.tuned, base.tuned)
        rows.append([arm.name, *(cell for one in found for cell in _cells(one))])
    return markdown(["Arm", "Micro-F1", "95 % interval", "Macro-F1", "95 % interval"], rows)


def _cells(difference: Difference) -> tuple[str, str]:
    value, low, high = (
        f"{100 * part:+.1f}" for part in (difference.value, difference.low, difference.high)
    )
    return f"**{value}**" if difference.is_one else value, f"{low} … {high}"


def page(arms: Sequence[CodedArm], *, title: str, against: Sequence[str], command: str) -> str:
    """All tables, with the command that makes them again."""
    weights = [
        f"{arm.name}: {', '.join(f'{weight:.1f}' for weight in arm.weights)}"
        for arm in arms
        if arm.weights
    ]
    parts = [
        f"# {title}",
        "Documents of all folds are pooled. Thresholds are tuned on the dev documents of each "
        "fold; every gold code counts, also one that a model does not know. Macro-F1 is the mean "
        "over the codes that are gold or predicted somewhere.",
        f"Command: `{command}`",
        coded_table(arms),
    ]
    if weights:
        said = "; ".join(weights)
        parts.append(f"A mean of two arms has the first's weight from dev, fold by fold: {said}.")
    if len(arms) > 1:
        for name in against:
            parts += [f"## Differences from {name}, in points", pair_table(arms, name)]
        parts.append(
            "Paired bootstrap over the pooled documents, 5,000 draws; bold where the interval "
            "leaves zero out."
        )
    return "\n\n".join(part for part in parts if part) + "\n"
