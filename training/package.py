"""From a finished run to a bundle: compressed, joined, calibrated and measured as shipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.metrics import mean_defined, ndcg_at_k
from core.model.bundle import Bundle, load_bundle, save_bundle
from core.model.precision import best_device
from core.suggest.calibration import Calibration, Platt
from core.suggest.scoring import JoinRule, Logits, WindowScorer
from core.suggest.windows import DocumentReader, Reading
from training.config import load_config
from training.corpus import LabelledDocument
from training.inputs import window_reading
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


def package_bundle(run_folder: Path, out: Path, *, name: str = "eurovoc") -> Path:
    """Make the bundle of a finished run; how windows are joined and calibrated is fitted on dev.

    Raises:
        ConfigError: the run's configuration or data are not there any more.
    """
    run = Run(load_config(run_folder / "config.toml"), run_folder)
    facts = _facts(run, name)
    identity = Calibration.identity(len(run.level_sizes)).to_dict()
    model = load_trained(run)
    _save(run, model, out, identity, facts)
    # From here on the weights are those that ship, with what compression did to them.
    bundle = load_bundle(out)
    fitted = fit_on_dev(run, bundle)
    _save(run, model, out, fitted.pop("calibration"), {**facts, **fitted})
    return out


def _save(run: Run, model: Any, out: Path, calibration: Any, facts: dict[str, Any]) -> None:
    save_bundle(
        out,
        model=model,
        tokenizer=run.tokenizer,
        label_space=run.label_space,
        calibration=calibration,
        facts=facts,
    )


def _facts(run: Run, name: str) -> dict[str, Any]:
    trained = json.loads((run.out / "run.json").read_text(encoding="utf-8"))
    return {
        "name": name,
        "suggesters": ["guided"],
        "reading": window_reading(run.config.reading).to_dict(),
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


def fit_on_dev(run: Run, bundle: Bundle) -> dict[str, Any]:
    """Reading, join rule and calibration that are best on the dev documents."""
    dev = run.corpus.dev
    texts = [d for d in dev if d.is_full_text]
    titles = [d for d in dev if not d.is_full_text]
    scorer = WindowScorer(bundle.model, device=best_device())
    reading = Reading(**bundle.manifest["reading"])
    text_windows = _window_logits(scorer, bundle, reading, texts)
    join = best_join(run, text_windows, texts)
    joined = [logits.map(join) for logits in text_windows]
    title_rows = _window_logits(scorer, bundle, reading, titles)
    title_rows = [logits.map(JoinRule()) for logits in title_rows]
    calibration = fit_calibration(run, title_rows, titles, joined, texts)
    return {
        "reading": reading.to_dict(),
        "join": join.to_dict(),
        "calibration": calibration.to_dict(),
    }


def _window_logits(
    scorer: WindowScorer, bundle: Bundle, reading: Reading, documents: Sequence[LabelledDocument]
) -> list[Logits]:
    reader = DocumentReader(bundle.tokenizer, reading)
    found: list[Logits] = []
    for start in range(0, len(documents), 128):
        pieces = [reader.read(d.document).windows for d in documents[start : start + 128]]
        logits = scorer([w for windows in pieces for w in windows], batch_size=32)
        at = 0
        for windows in pieces:
            found.append(logits.rows(at, at + len(windows)))
            at += len(windows)
    return found


def best_join(
    run: Run, windows: Sequence[Logits], documents: Sequence[LabelledDocument]
) -> JoinRule:
    """The rule with the best nDCG@5 of descriptors on dev documents with full text."""
    if not documents:
        return JoinRule()
    y_true = _assigned_gold(run, documents)

    def quality(rule: JoinRule) -> float:
        return mean_defined(ndcg_at_k(y_true, np.stack([w.map(rule).assigned for w in windows]), 5))

    return max(_GRID, key=quality)


def _assigned_gold(run: Run, documents: Sequence[LabelledDocument]) -> Any:
    gold = run.label_space.encode([d.assigned for d in documents], augmented=False)
    return gold[:, run.assigned_columns].tocsr()


def fit_calibration(
    run: Run,
    title_rows: Sequence[Logits],
    titles: Sequence[LabelledDocument],
    text_rows: Sequence[Logits],
    texts: Sequence[LabelledDocument],
) -> Calibration:
    """Platt scaling of each level over all dev documents, of what is assigned by kind of text."""
    rows, documents = [*title_rows, *text_rows], [*titles, *texts]
    y_levels = run.label_space.encode([d.assigned for d in documents], augmented=True)
    logits = np.stack([row.levels for row in rows])
    levels, start = [], 0
    for size in run.level_sizes:
        stop = start + size
        levels.append(fit_platt(logits[:, start:stop], y_levels[:, start:stop].toarray()))
        start = stop
    assigned = fit_platt(*_assigned(run, title_rows, titles))
    text = fit_platt(*_assigned(run, text_rows, texts)) if texts else assigned
    return Calibration(tuple(levels), assigned, text)


def _assigned(
    run: Run, rows: Sequence[Logits], documents: Sequence[LabelledDocument]
) -> tuple[Array, Array]:
    return np.stack([row.assigned for row in rows]), _assigned_gold(run, documents).toarray()


def fit_platt(logits: Array, y_true: Array, *, n_steps: int = 30) -> Platt:
    """Slope and bias of least cross-entropy, by Newton's method; shapes are equal."""
    x, y = logits.ravel().astype(np.float64), y_true.ravel().astype(np.float64)
    # Columns that nobody would suggest are nearly all of a row and say nothing of the slope where
    # it matters, but they must not drop out: each is a correct “no” that the bias has to keep.
    slope, bias = 1.0, 0.0
    for _ in range(n_steps):
        p = 1 / (1 + np.exp(-np.clip(slope * x + bias, -30, 30)))
        error, weight = p - y, np.maximum(p * (1 - p), 1e-12)
        gradient = np.array([error @ x, error.sum()])
        cross = weight @ x
        hessian = np.array([[weight @ (x * x), cross], [cross, weight.sum()]])
        step = np.linalg.solve(hessian + 1e-9 * np.eye(2), gradient)
        slope, bias = slope - step[0], bias - step[1]
        if np.abs(step).max() < 1e-6:
            break
    return Platt(float(slope), float(bias))
