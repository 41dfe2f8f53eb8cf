"""What goes wrong: how near wrong suggestions are to the right ones on the tree."""

from __future__ import annotations

from core.insights.confusion import RELATIONS, Confusion
from core.insights.report import Insights
from pages.charts.plots import stacked_figure
from pages.charts.style import Series, is_dark
from pages.figures.figure import FigureContent, FigureSpec, MissingFigure
from pages.figures.quality import command_of, measured_on

WORDS = {
    "right": "right",
    "broader": "broader (parent or above)",
    "narrower": "narrower",
    "sibling": "sibling",
    "same_branch": "elsewhere in the same branch",
    "other_branch": "another branch",
}
RULE = (
    "For each document, as many first suggestions are looked at as people assigned labels to it. "
    "Each counts once, under the first of these that holds: **right**, it was assigned; "
    "**broader**, it stands above a label that was assigned (its parent, or higher); **narrower**, "
    "it stands below one; **sibling**, it has a parent in common with one, be that a mere division "
    "such as a micro-thesaurus; **elsewhere in the same branch**, it is below the same top concept "
    "as one; **another branch**, it is not."
)
IMPLIED = (
    "This model does not distinguish what is assigned from what is implied: what stands above an "
    "assigned label is right as well, and counts as assigned for how many are looked at and "
    "for siblings."
)
PAIR_COLUMNS = ("suggested", "assigned by people, and missed", "documents")


def relations(insights: Insights) -> FigureContent | MissingFigure:
    """Return a row for all suggestions, and a row for each level that they are on."""
    relations_found = insights.confusion
    if relations_found is None:
        return MissingFigure(
            "The labels of this model form no tree, or it does not distinguish assigned labels "
            "from implied ones."
        )
    rows = {"all": relations_found.counts} | {
        f"level {n}": c for n, c in sorted(relations_found.by_level.items())
    }
    rows = {name: counts for name, counts in rows.items() if sum(counts.values())}
    series = [
        Series(WORDS[relation], [c.get(relation, 0) / sum(c.values()) for c in rows.values()])
        for relation in RELATIONS
    ]
    return FigureContent(
        sentence="A wrong suggestion next to the right one on the tree is soon mended by hand; "
        f"one from another branch is a false track.{_near(relations_found)}",
        label=f"{measured_on(insights)} {sum(relations_found.counts.values()):,} suggestions; in "
        "brackets, how many are on a level.",
        command=command_of(insights),
        chart=stacked_figure(
            [f"{name} ({sum(c.values()):,})" for name, c in rows.items()], series, dark=is_dark()
        ),
        columns=("suggested labels", *(WORDS[relation] for relation in RELATIONS)),
        rows=[(name, *(c.get(relation, 0) for relation in RELATIONS)) for name, c in rows.items()],
        alt="; ".join(
            f"{WORDS[name]}: {relations_found.counts.get(name, 0):,}" for name in RELATIONS
        ),
        note=f"{RULE} {IMPLIED}" if insights.facts.get("labels") == "augmented" else RULE,
    )


def _near(relations_found: Confusion) -> str:
    wrong = sum(relations_found.counts.values()) - relations_found.counts.get("right", 0)
    near = wrong - relations_found.counts.get("other_branch", 0)
    return f" Of the wrong ones here, {near / wrong:.0%} stay in the right branch." if wrong else ""


def pairs(insights: Insights) -> FigureContent | None:
    """Return the near concepts that were taken for each other."""
    if insights.confusion is None or not insights.confusion.pairs:
        return None
    return FigureContent(
        sentence="Neighbours on the tree of which the model suggested one where people had chosen "
        "the other. Where a pair seems the same to you as well, a note in the vocabulary helps "
        "people and the next model alike.",
        label=measured_on(insights),
        command=command_of(insights),
        columns=PAIR_COLUMNS,
        rows=[
            (pair.suggested, pair.assigned, pair.n_documents) for pair in insights.confusion.pairs
        ],
        alt="Pairs of labels",
    )


FIGURES: tuple[FigureSpec[Insights], ...] = (
    FigureSpec("confusion_along_the_tree", "Wrong, but how far off?", relations),
    FigureSpec("confused_pairs", "Taken for each other", pairs, is_table=True),
)
