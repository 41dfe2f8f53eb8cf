"""From a finished run to a bundle: compressed, joined, calibrated and measured as shipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from core.errors import ConfigError
from core.metrics import mean_defined, ndcg_at_k
from core.model.bundle.bundle import INT8, INT8_LAYERS, Bundle, load_bundle, save_bundle
from core.model.guided import GuidedClassifier
from core.model.sparse_linear import SparseLinear
from core.suggest.backends.protocol import Logits
from core.suggest.backends.torch import TorchBackend
from core.suggest.calibration import Calibration, Platt, Scaling, fit_platt
from core.suggest.fusion import Fusion
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.ranker import Ranker
from core.suggest.registry import RANKED
from core.suggest.windows import DocumentReader, JoinRule, ReadingSettings
from core.vocabulary.labels import LabelSpace
from training.config import RunConfig
from training.corpora.licences import licences
from training.fitting.resume import begun_config
from training.fitting.run import Run, load_trained, window_logits
from training.judging.folders import RunFolder, command_of_run
from training.networks import SERVED
from training.ranking.indexing import finder_of, mean_of, write_ranker
from training.shipping.fit_fusion import fit_by_kind, fit_fusion, fit_temperature
from training.shipping.package_linear import load_linear
from training.shipping.shipped import about_run, kept_data, seen

Array = npt.NDArray[np.float32]
_GRID = tuple(
    JoinRule(title, share)
    for title, share in product((0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0), (0.0, 0.25, 0.5, 1.0))
)


def package_bundle(
    run_folder: Path,
    out: Path,
    *,
    linear_folder: Path | None = None,
    name: str = "",
    shared: Path | None = None,
    twin: Path | None = None,
    max_windows: int = 0,
) -> Path:
    """Make the bundle of a finished run; joining, calibration and fusion are fitted on dev.

    Args:
        name: what the bundle calls itself; "" for the name of its vocabulary.
        linear_folder: what `python -m training baseline linear` wrote, for a second suggester.
        shared: folder of parts that bundles share. Such a bundle keeps its layers in int8, too:
            with the tokenizer and the word embeddings apart, they are most of it.
        twin: a bundle of the same recipe whose windows, joining, calibration, fusion and ranker
            are taken over, for a run that has learned from dev, too.
        max_windows: of a text that the encoder is given; 0 for all. A linear suggester has to read
            the rest.

    Raises:
        ConfigError: the run is of a baseline, its configuration or data are gone, `linear_folder` is a
            run of another kind, the twin has labels of its own or other suggesters or reads
            otherwise, or a part of the text would not be read.
        BundleError: the linear suggester's folder is damaged.
    """
    run = Run(begun_config(run_folder), run_folder)
    _check_served(run.config.network.kind)
    if max_windows:
        _check_windows(run, has_linear=linear_folder is not None)
    reading = replace(run.serving_reading, max_windows=max_windows)
    facts = _facts(run, name, reading)
    model = load_trained(run)
    linear = None if linear_folder is None else load_linear(linear_folder, run.label_space)
    if twin is not None:
        other = load_twin(twin, run.label_space, reading, has_linear=linear is not None)
        own_facts = other.manifest
        facts |= {name: own_facts[name] for name in ("reading", "join")}
        facts |= {"metrics": own_facts.get("metrics", {})}
        facts["about"] |= _about_twin(own_facts, other.sha256[:16])
        _save(run, model, out, other.calibration, facts, linear, shared=shared)
        if RANKED in own_facts["suggesters"]:
            indexed = finder_of(mean_of(out), run.corpus.train).indexed
            write_ranker(out, Ranker.load(twin, RANKER_FEATURES), indexed)
        return out
    n_levels = len(run.level_sizes) if model.level_heads is not None else 0
    identity = Calibration.identity(n_levels, model.shape.objective).to_dict()
    _save(run, model, out, identity, facts, shared=shared)
    # From here on the weights are those that ship, with what compression did to them.
    dev = DevLogits(run, load_bundle(out), reading)
    join = dev.best_join()
    calibration = dev.calibration(join)
    stored: dict[str, Any] = calibration.to_dict()
    if linear is not None:
        stored["fusion"] = dev.fusion(join, calibration, linear).to_dict()
    _save(run, model, out, stored, {**facts, "join": join.to_dict()}, linear, shared=shared)
    return out


def _check_served(kind: str) -> None:
    if kind != "none" and kind not in SERVED:
        raise ConfigError(
            f"A network of the kind {kind} is a baseline, which no bundle serves: train a student of "
            f"the kind {' or '.join(SERVED)}, or an encoder."
        )


def _check_windows(run: Run, *, has_linear: bool) -> None:
    if run.config.reading.mode != "windows" or not run.config.reading.windows_per_document:
        raise ConfigError(f"{run.out} reads no windows of a text.")
    if not has_linear:
        raise ConfigError(
            "With --windows, a linear suggester has to read the rest: name its folder by --linear."
        )


def _save(
    run: Run,
    model: GuidedClassifier,
    out: Path,
    calibration: Mapping[str, Any],
    facts: Mapping[str, Any],
    linear: SparseLinear | None = None,
    *,
    shared: Path | None,
) -> None:
    save_bundle(
        out,
        model=model,
        tokenizer=run.tokenizer,
        label_space=run.label_space,
        calibration=calibration,
        facts=facts,
        linear=linear,
        shared=shared,
        int8=INT8 if shared is None else INT8_LAYERS,
    )


def _facts(run: Run, name: str, reading: ReadingSettings) -> dict[str, Any]:
    trained = RunFolder.finished(run.out).facts
    vocabulary_id = run.label_space.hierarchy.vocabulary_id
    return {
        "name": name or vocabulary_id,
        "reading": reading.to_dict(),
        "join": JoinRule().to_dict(),
        "training": {
            "command": trained.get("command") or command_of_run(run.out),
            **{k: trained[k] for k in ("commit", "steps", "minutes", "documents_seen", "dtype")},
            "data": kept_data(run.config.data),
            "data_sha256": trained["data_sha256"],
            **seen(run.config.data),
            "versions": trained["versions"],
            "plan": run.config.model.plan,
            "config_digest": trained["digest"],
            **_small(run.config),
        },
        "licence": licences(
            run.corpus,
            vocabulary_id,
            run.config.model.encoder,
            vectors="encoder" if run.config.network.kind == "none" else run.config.network.vectors,
            teacher=run.config.distill.teacher,
        ),
        "about": about_run(RunFolder(run.out)),
    }


def _small(config: RunConfig) -> dict[str, Any]:
    facts = {"network": config.network.kind, "teacher": Path(config.distill.teacher).name}
    return {name: words for name, words in facts.items() if words not in ("", "none")}


# ---------------------------------------------------------------------- twins
# On documents that a model has learned from, nothing can be fitted and nothing measured. A twin is of
# the same recipe, and was fitted on dev; its figures are those that hold for both.


def load_twin(
    folder: Path, label_space: LabelSpace, reading: ReadingSettings, *, has_linear: bool
) -> Bundle:
    """Return a bundle from which one that has learned from everything takes over what was fitted.

    Args:
        reading: of the bundle, with all windows.
        has_linear: whether the bundle has a linear suggester beside the guided one.
    Raises:
        ConfigError: the twin has labels of its own or other suggesters, or reads otherwise.
    """
    twin = load_bundle(folder)
    # Where labels are those that were learned, more documents bring more of them.
    new_concept = next((i for i in twin.label_space.concept_ids if i not in label_space), None)
    if new_concept is not None:
        raise ConfigError(
            f"{folder} is no twin: {new_concept} is a label that this run has not learned."
        )
    if twin.model is None or (twin.linear is not None) != has_linear:
        raise ConfigError(f"{folder} is no twin: it has other suggesters.")
    if replace(ReadingSettings(**twin.manifest["reading"]), max_windows=0) != reading:
        raise ConfigError(f"{folder} is no twin: it reads documents otherwise.")
    return twin


def _about_twin(manifest: Mapping[str, Any], twin_hash: str) -> dict[str, Any]:
    about = manifest.get("about", {})
    sentence = (
        f"Measured on the twin {twin_hash}: the same recipe, but unlike this bundle it has learned "
        "neither from dev nor from test."
    )
    facts = {name: about[name] for name in ("threshold", "languages") if name in about}
    judged = dict.fromkeys(manifest.get("metrics", {}), sentence)
    return {**facts, "twin": twin_hash, "judged": judged}


# ---------------------------------------------------------------------- what is fitted on dev


class DevLogits:
    """The window logits of every dev document, and what is fitted on them."""

    def __init__(self, run: Run, bundle: Bundle, reading: ReadingSettings) -> None:
        self.run, self.documents = run, run.corpus.dev
        model, tokenizer = bundle.guided
        reader = DocumentReader(tokenizer, reading)
        self.windows = list(window_logits(TorchBackend(model), reader, self.documents))
        # As serving distinguishes them: a reading of one input has no text beside it.
        self.has_text = np.array([_n_windows(logits) > 1 for logits in self.windows], dtype=bool)

    def joined(self, join: JoinRule) -> tuple[Array | None, Array]:
        """Return logits by document, of levels (where there are heads) and assigned concepts."""
        rows = [logits.map(join) for logits in self.windows]
        levels = None if rows[0].levels is None else _stack([row.levels for row in rows])
        return levels, _stack([row.assigned for row in rows])

    @property
    def gold(self) -> csr_matrix:
        """What was assigned, in the columns of the assigned head."""
        return self.run.label_space.encode_assigned([d.assigned for d in self.documents])

    def best_join(self) -> JoinRule:
        """Return the rule with the best nDCG@5 of descriptors on dev documents with full text."""
        texts = np.flatnonzero(self.has_text)
        if not len(texts):
            return JoinRule()
        gold, windows = self.gold[texts], [self.windows[i].assigned for i in texts]

        def quality(rule: JoinRule) -> float:
            scores = _stack([rule(w) for w in windows if w is not None])
            return mean_defined(ndcg_at_k(gold, scores, 5))

        return max(_GRID, key=quality)

    def calibration(self, join: JoinRule) -> Calibration:
        """Return the scaling of each level, and of assigned concepts by titles and by texts."""
        level_logits, assigned_logits = self.joined(join)
        single = self.run.config.model.objective == "single_label"
        fit: Callable[[Array, Array], Scaling] = fit_temperature if single else fit_platt
        levels = () if level_logits is None else self._level_scalings(level_logits)
        return Calibration(levels, *fit_by_kind(fit, assigned_logits, self.gold, self.has_text))

    def _level_scalings(self, logits: Array) -> tuple[Platt, ...]:
        assigned = [d.assigned for d in self.documents]
        y_levels = self.run.label_space.encode(assigned, augmented=True)
        ends = np.cumsum([0, *self.run.level_sizes]).tolist()
        return tuple(
            fit_platt(logits[:, start:stop], y_levels[:, start:stop].toarray())
            for start, stop in pairwise(ends)
        )

    def fusion(self, join: JoinRule, calibration: Calibration, linear: SparseLinear) -> Fusion:
        """Return weights and calibration of a linear suggester beside the guided one."""
        space = self.run.label_space
        level_logits, assigned_logits = self.joined(join)
        levels = np.full((len(self.documents), len(space)), -np.inf, dtype=np.float32)
        start = 0
        for platt, size in zip(calibration.levels, self.run.level_sizes, strict=False):
            assert level_logits is not None
            levels[:, start : start + size] = platt(level_logits[:, start : start + size])
            start += size
        assigned = np.zeros_like(levels)
        for rows, scaling in (
            (~self.has_text, calibration.assigned),
            (self.has_text, calibration.assigned_text),
        ):
            assigned[np.ix_(rows, self.run.assigned_columns)] = scaling(assigned_logits[rows])
        margins = [linear.margins(d.document.title, d.document.text) for d in self.documents]
        return fit_fusion(
            assigned,
            levels,
            np.stack(margins),
            self.documents,
            space,
            has_text=self.has_text,
        )


def _n_windows(logits: Logits) -> int:
    assert logits.assigned is not None
    return len(logits.assigned)


def _stack(rows: Sequence[Array | None]) -> Array:
    present = [row for row in rows if row is not None]
    return np.stack(present)
