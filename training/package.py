"""From a finished run to a bundle: compressed, joined, calibrated and measured as shipped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from core.metrics import mean_defined, ndcg_at_k
from core.model.bundle import Bundle, load_bundle, save_bundle
from core.model.guided import GuidedClassifier
from core.model.precision import best_device
from core.model.sparse_linear import SparseLinear
from core.suggest.calibration import Calibration
from core.suggest.fusion import Fusion
from core.suggest.scoring import JoinRule, Logits, WindowScorer
from core.suggest.windows import DocumentReader, Reading
from training.config import load_config
from training.corpus import LabelledDocument
from training.fit_fusion import fit_fusion
from training.inputs import serving_reading
from training.platt import fit_platt
from training.run import Run, load_trained

Array = npt.NDArray[np.float32]
_GRID = tuple(
    JoinRule(title, share)
    for title, share in product((0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0), (0.0, 0.25, 0.5, 1.0))
)
LICENCE = {
    "weights": "Apache-2.0",
    "encoder": "sentence-transformers/all-MiniLM-L6-v2, Apache-2.0",
    "vocabulary": "EuroVoc © European Union; reuse with attribution, Decision 2011/833/EU",
    "training_data": "titles of EU acts: Toshkov (2019), free use with acknowledgement; full texts: "
    "EUR-Lex-Triples and lex-corpus, CC BY 4.0, © European Union",
}


def package_bundle(
    run_folder: Path, out: Path, *, linear_folder: Path | None = None, name: str = "eurovoc"
) -> Path:
    """Make the bundle of a finished run; joining, calibration and fusion are fitted on dev.

    Args:
        linear_folder: what `python -m training linear` wrote, for a second suggester.

    Raises:
        ConfigError: the run's configuration or data are not there any more.
        BundleError: the linear suggester's folder is damaged.
    """
    run = Run(load_config(run_folder / "config.toml"), run_folder)
    facts = _facts(run, name)
    identity = Calibration.identity(len(run.level_sizes)).to_dict()
    model = load_trained(run)
    _save(run, model, out, identity, facts)
    # From here on the weights are those that ship, with what compression did to them.
    dev = DevLogits(run, load_bundle(out), Reading(**facts["reading"]))
    join = dev.best_join()
    calibration = dev.calibration(join)
    stored: dict[str, Any] = calibration.to_dict()
    linear = None
    if linear_folder is not None:
        linear = SparseLinear.load(linear_folder, run.label_space)
        stored["fusion"] = dev.fusion(join, calibration, linear).to_dict()
    _save(run, model, out, stored, {**facts, "join": join.to_dict()}, linear)
    return out


def _save(
    run: Run,
    model: GuidedClassifier,
    out: Path,
    calibration: Mapping[str, Any],
    facts: Mapping[str, Any],
    linear: SparseLinear | None = None,
) -> None:
    save_bundle(
        out,
        model=model,
        tokenizer=run.tokenizer,
        label_space=run.label_space,
        calibration=calibration,
        facts=facts,
        linear=linear,
    )


def _facts(run: Run, name: str) -> dict[str, Any]:
    trained = json.loads((run.out / "run.json").read_text(encoding="utf-8"))
    return {
        "name": name,
        "reading": serving_reading(run.config.reading).to_dict(),
        "join": JoinRule().to_dict(),
        "training": {
            "command": f"python -m training train {run.config.name}.toml",
            **{k: trained[k] for k in ("commit", "steps", "minutes", "documents_seen", "dtype")},
            "data_sha256": trained["data_sha256"],
            "versions": trained["versions"],
            "plan": run.config.model.plan,
            "config_digest": trained["digest"],
        },
        "licence": LICENCE,
    }


class DevLogits:
    """The window logits of every dev document, and what is fitted on them."""

    def __init__(self, run: Run, bundle: Bundle, reading: Reading) -> None:
        self.run, self.documents = run, run.corpus.dev
        self.scorer = WindowScorer(bundle.model, device=best_device())
        self.reader = DocumentReader(bundle.tokenizer, reading)
        self.has_text = np.array([d.is_full_text for d in self.documents], dtype=bool)
        self.windows: list[Logits] = []
        for start in range(0, len(self.documents), 64):
            self.windows += self._logits(self.documents[start : start + 64])

    def _logits(self, documents: Sequence[LabelledDocument]) -> list[Logits]:
        pieces = [self.reader.read(d.document).windows for d in documents]
        logits = self.scorer([w for windows in pieces for w in windows], batch_size=32)
        ends = np.cumsum([0, *(len(windows) for windows in pieces)]).tolist()
        return [logits.rows(start, stop) for start, stop in pairwise(ends)]

    def joined(self, join: JoinRule) -> tuple[Array, Array]:
        """Logits of levels and of what is assigned, a row a document."""
        rows = [logits.map(join) for logits in self.windows]
        return _stack([row.levels for row in rows]), _stack([row.assigned for row in rows])

    @property
    def gold(self) -> csr_matrix:
        """What was assigned, in the columns of the assigned head."""
        return self._encoded(augmented=False)[:, self.run.assigned_columns].tocsr()

    def _encoded(self, *, augmented: bool) -> csr_matrix:
        assigned = [d.assigned for d in self.documents]
        return self.run.label_space.encode(assigned, augmented=augmented)

    def best_join(self) -> JoinRule:
        """The rule with the best nDCG@5 of descriptors on dev documents with full text."""
        texts = np.flatnonzero(self.has_text)
        if not len(texts):
            return JoinRule()
        gold, windows = self.gold[texts], [self.windows[i].assigned for i in texts]

        def quality(rule: JoinRule) -> float:
            scores = _stack([rule(w) for w in windows if w is not None])
            return mean_defined(ndcg_at_k(gold, scores, 5))

        return max(_GRID, key=quality)

    def calibration(self, join: JoinRule) -> Calibration:
        """Platt scaling of each level, and of what is assigned by titles and by texts."""
        level_logits, assigned_logits = self.joined(join)
        y_levels = self._encoded(augmented=True)
        levels, start = [], 0
        for size in self.run.level_sizes:
            columns = slice(start, start + size)
            levels.append(fit_platt(level_logits[:, columns], y_levels[:, columns].toarray()))
            start += size
        kinds = [
            fit_platt(assigned_logits[rows], self.gold[np.flatnonzero(rows)].toarray())
            for rows in (~self.has_text, self.has_text)
            if rows.any()
        ]
        return Calibration(tuple(levels), kinds[0], kinds[-1])

    def fusion(self, join: JoinRule, calibration: Calibration, linear: SparseLinear) -> Fusion:
        """Weights and calibration of a linear suggester beside the guided one."""
        space = self.run.label_space
        level_logits, assigned_logits = self.joined(join)
        levels = np.full((len(self.documents), len(space)), -np.inf, dtype=np.float32)
        start = 0
        for platt, size in zip(calibration.levels, self.run.level_sizes, strict=True):
            levels[:, start : start + size] = platt(level_logits[:, start : start + size])
            start += size
        assigned = np.zeros_like(levels)
        for rows, platt in (
            (~self.has_text, calibration.assigned),
            (self.has_text, calibration.assigned_text),
        ):
            assigned[np.ix_(rows, self.run.assigned_columns)] = platt(assigned_logits[rows])
        margins = [linear.margins(d.document.title, d.document.text) for d in self.documents]
        return fit_fusion(assigned, levels, np.stack(margins), self.documents, space)


def _stack(rows: Sequence[Array | None]) -> Array:
    found = [row for row in rows if row is not None]
    return np.stack(found)
