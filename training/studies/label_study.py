"""Label embeddings against plain fine-tuning on small data: the rows of one table, in order.

Each cell is a corpus cut to so many training documents. Dev chooses learning rate and steps for
the plain arm, and both arms take them; then come five seeds, each with a draw of training documents
of its own. Where a corpus is judged in folds, dev of the first fold chooses for all of them, and
its documents are test documents of the others: choosing in every fold would take five times the
runs. Cells are worked on in rounds, so that a study that is stopped has as many seeds of each.
Source: Wang et al. (2020), section 4, whose claim is that small training sets gain most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import ConfigError
from training.config import RunConfig
from training.judging.arms import Arm
from training.judging.compare import Comparison, Train
from training.judging.rows import ROWS, ResultRow, row_paths

PLAIN = Arm("plain")
LABELS = Arm("labels", (("model.label_embeddings", "class_mean"),))

GRID = (("200", "1e-4"), ("200", "3e-4"), ("400", "3e-4"))
"""Steps and learning rate of the encoder, among which dev chooses for the plain arm."""

N_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """A corpus, and how much of it there is to learn from.

    Attributes:
        metric: what dev chooses by, as the rows name it.
        folded: whether seed n is judged on fold n, where a corpus has no split of its own. Five
            seeds so judge every document once.
        cut: training documents; 0 for all.
    """

    corpus: str
    metric: str
    changes: Mapping[str, str]
    folded: bool = False
    cut: int = 0

    @property
    def name(self) -> str:
        """Such as "cmc2007-50"."""
        return f"{self.corpus}-{self.cut or 'all'}"

    def base(self, config: RunConfig, seed: int) -> RunConfig:
        """Return the configuration that both arms differ from."""
        changed = config.replace("name", self.name).replace("data.cut", self.cut)
        for key, value in self.changes.items():
            changed = changed.replace(key, value)
        fold = f"{(seed - 1) % N_FOLDS + 1}/{N_FOLDS}" if self.folded else ""
        return changed.replace("data.fold", fold)


# A story has its topic in its headline and first sentence; twice as many words take twice as long.
_FIRST_WORDS = {"data.format": "reuters", "reading.max_length_tokens": "64"}

_SINGLE = {**_FIRST_WORDS, "data.task": "single", "model.objective": "single_label"}
CORPORA = {
    "cmc2007": Cell("cmc2007", "micro_f1", {"data.format": "cmc2007"}, folded=True),
    "reuters-single": Cell("reuters-single", "accuracy", _SINGLE),
    "reuters": Cell("reuters", "micro_f1", _FIRST_WORDS),
    "codiesp": Cell("codiesp", "micro_f1", {"data.format": "codiesp"}),
}
ROUNDS: tuple[tuple[tuple[str, int], ...], ...] = (
    (("cmc2007", 50), ("reuters-single", 50), ("reuters", 50)),
    (("cmc2007", 200), ("reuters-single", 200), ("reuters", 200)),
    (("cmc2007", 0), ("reuters-single", 1000), ("reuters", 1000)),
    (("codiesp", 50), ("codiesp", 200), ("codiesp", 0)),
)
"""Cells by importance; those of one group advance together, seed by seed."""


def cells_named(names: Sequence[str]) -> list[list[Cell]]:
    """Return the cells whose name or corpus is named, in their groups; all where none is named.

    Raises:
        ConfigError: a name fits no cell.
    """
    groups = [[replace(CORPORA[corpus], cut=cut) for corpus, cut in group] for group in ROUNDS]
    known = {name for group in groups for cell in group for name in (cell.name, cell.corpus)}
    if unknown := [name for name in names if name not in known]:
        raise ConfigError(f"There is no cell “{unknown[0]}”; name some of {sorted(known)}.")
    chosen = [
        [cell for cell in group if not names or {cell.name, cell.corpus} & set(names)]
        for group in groups
    ]
    return [group for group in chosen if group]


@dataclass(slots=True)
class Study:
    """All cells of the table, with one base configuration, and where rows and runs are kept."""

    base: RunConfig
    groups: Sequence[Sequence[Cell]]
    seeds: Sequence[int]
    results: Path
    runs: Path
    say: Callable[[str], None] = print

    def run(self, train: Train, after: Callable[[], object] = lambda: None) -> None:
        """Train what is missing; `after` is called whenever all cells of a group have a seed more.

        Raises:
            ConfigError: a row was made from another configuration.
        """
        for group in self.groups:
            for cell in group:
                self.tuning(cell).run(train)
                self._leave_small(self.runs / cell.name / "tuning")
            for seed in self.seeds:
                for cell in group:
                    self._train(cell, seed, train)
                after()

    def cells(self) -> Iterator[Cell]:
        """Yield the cells in their order."""
        return (cell for group in self.groups for cell in group)

    def tuning(self, cell: Cell) -> Comparison:
        """Return the plain arm at every setting of the grid, from the first seed."""
        seed = self.seeds[0]
        grid = [
            Arm(
                f"lr{rate.replace('-', '')}_steps{steps}",
                (("optim.encoder_lr", rate), ("optim.min_steps", steps)),
            )
            for steps, rate in GRID
        ]
        return self._comparison(cell.base(self.base, seed), cell, grid, seed, part="tuning")

    def chosen(self, cell: Cell) -> Arm | None:
        """Return the best of the grid on dev; None where a run of it is missing.

        Of equal ones the first counts: fewer steps, then the lower learning rate.
        """
        tuning = self.tuning(cell)
        rows = tuning.rows()["dev"]
        if len(rows) < len(tuning.arms):
            return None
        return max(tuning.arms, key=lambda arm: rows[arm.name][0].mean(cell.metric))

    def comparison(self, cell: Cell, seed: int, arms: Sequence[Arm]) -> Comparison:
        """Return some arms of a cell from one seed, with what dev chose.

        Raises:
            ConfigError: dev has not chosen yet.
        """
        best = self.chosen(cell)
        if best is None:
            raise ConfigError(f"{cell.name} has no learning rate yet: its grid is not finished.")
        return self._comparison(best.configure(cell.base(self.base, seed), seed), cell, arms, seed)

    def rows(self, cell: Cell, arm: Arm) -> list[ResultRow]:
        """Return the finished rows of an arm on test, in the order of the seeds."""
        there = set(row_paths(self.results))
        paths = [
            self.results / ROWS / cell.name / f"{arm.name}-s{seed}-test" for seed in self.seeds
        ]
        return [ResultRow.load(path) for path in paths if path in there]

    def _train(self, cell: Cell, seed: int, train: Train) -> None:
        self.comparison(cell, seed, (PLAIN, LABELS)).run(train)
        # The first seed's weights are kept, to look at what its [CLS] attends to.
        if seed != self.seeds[0]:
            self._leave_small(self.runs / cell.name, f"-s{seed}-")

    def _comparison(
        self, base: RunConfig, cell: Cell, arms: Sequence[Arm], seed: int, part: str = ""
    ) -> Comparison:
        return Comparison(
            base=base,
            arms=arms,
            seeds=[seed],
            results=self.results,
            within=f"{cell.name}/{part}",
            runs=self.runs / cell.name / part,
            say=lambda line: self.say(f"{cell.name}: {line}"),
        )

    def _leave_small(self, folder: Path, named: str = "") -> None:
        """Drop the weights of judged runs: a hundred of them would fill a disk."""
        for path in folder.glob(f"*{named}*/model.safetensors"):
            path.unlink()
