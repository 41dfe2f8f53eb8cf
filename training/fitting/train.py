"""One run from its configuration, or from other runs, to scores: the folder that others read.

A configuration holds the paths of a teacher and of a file of word vectors, and so does its digest.
A teacher that is trained anew in the same folder is another one, and so is a file that is written
anew, so that their checksums are kept too.

Runs that went on from the same weights lie close enough for the mean of their weights to do about
what the mean of their predictions does, at the cost of one model.
Source: Wortsman et al. (2022), Model soups, equation 1 with equal weights.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from core.errors import ConfigError
from core.home import checksum_of
from core.model.guided import GuidedClassifier
from core.model.precision import best_device
from core.suggest.windows import JoinRule
from training.config import DataConfig, RunConfig
from training.corpora.corpus import Splits
from training.corpora.sampling import training_documents
from training.distill.student import TeacherInputs
from training.distill.teacher import teacher_identity
from training.distill.teacher_data import (
    check_teacher,
    learned_documents,
    other_data_warning,
    with_teacher,
)
from training.fitting.checks import (
    check_buildable,
    check_labels,
    check_network,
    check_optim,
    check_select,
)
from training.fitting.devices import check_processes, is_main_process
from training.fitting.loop import CHECKPOINT, Trainer
from training.fitting.progress import TrainingProgress, run_facts
from training.fitting.resume import ORIGINS, begin, begun_config, is_finished, weights_in
from training.fitting.run import TOKENIZER, Run
from training.fitting.start_weights import start_weights
from training.judging.folders import TITLE_ALONE, JudgedData, RunFolder
from training.judging.judge import reads_titles, titled_full_texts
from training.judging.recorded import shown_place, write_facts

_LOG = logging.getLogger(__name__)

CAPPED = (
    "Training ended at its time limit, optim.max_minutes = {minutes:g}, after {epochs:.1f} epochs: it "
    "may not have converged."
)

SUMMED = ("steps", "documents_seen", "minutes")
"""What runs cost together."""

Origins = dict[str, str]
"""“teacher” and “vectors” -> checksum, of those that the run has and that are there."""


def origins_of(config: RunConfig) -> Origins:
    """Return the checksums of what is there now.

    Raises:
        ConfigError: nothing in the teacher's folder can teach.
    """
    origins: Origins = {}
    if config.distill.teacher:
        origins["teacher"] = teacher_identity(Path(config.distill.teacher))
    if config.network.kind != "none" and Path(config.network.vectors).is_file():
        origins["vectors"] = checksum_of(Path(config.network.vectors))
    return origins


def note_origins(config: RunConfig, out: Path) -> Origins:
    """Record the origins of a run in its folder.

    Raises:
        ConfigError: there is a checkpoint that was made with another teacher or other vectors.
    """
    origins = origins_of(config)
    others = _differing(origins, out)
    if others and (out / CHECKPOINT).is_file():
        raise ConfigError(
            f"{out} was started when {_named(others)} had other contents: give another --out, or "
            "--fresh."
        )
    (out / ORIGINS).write_text(json.dumps(origins, indent=1) + "\n", encoding="utf-8")
    return origins


def changed_since(config: RunConfig, out: Path) -> str:
    """Return a warning where a finished run had another teacher or other vectors, or ""."""
    try:
        others = _differing(origins_of(config), out)
    except ConfigError:
        return ""  # the teacher is gone, and a finished student needs none
    if not others:
        return ""
    return f"{out} was trained when {_named(others)} had other contents; --fresh trains it anew."


def _differing(origins: Origins, out: Path) -> list[str]:
    """Return what is known to have been another; of runs that kept nothing, nothing is."""
    try:
        noted = json.loads((out / ORIGINS).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return [name for name, checksum in origins.items() if noted.get(name, checksum) != checksum]


def _named(names: list[str]) -> str:
    words = {"teacher": "distill.teacher", "vectors": "network.vectors"}
    return " and ".join(words[name] for name in names)


def train(
    config: RunConfig,
    out: Path,
    *,
    fresh: bool = False,
    say: Callable[[str], None] = _LOG.info,
    data: JudgedData | None = None,
) -> Path:
    """Train and score one configuration; a folder that is finished already is left as it is.

    Writes into `out`: config.toml, log.jsonl, checkpoint.pt (while it runs), model.safetensors,
    tokenizer.json (of a network with words of its own), scores_dev.npz, scores_test.npz and, last,
    run.json.

    Args:
        say: is called with a report of what was read and skipped, before hours go into training.
        data: of the configuration, where it has been read already.
    Raises:
        ConfigError: the folder holds a run of another configuration, or weights to start from are
            not there.
    """
    if not fresh and is_finished(config, out):
        if changed := changed_since(config, out):
            say(changed)
        return out
    check_settings(config)
    begin(config, out, fresh=fresh)
    check_processes(out, say)  # and wait until none of them clears the folder any more
    origins = note_origins(config, out)
    run = Run(config, out, data)
    if run.has_own_words and is_main_process():
        run.tokenizer.save(str(out / TOKENIZER))
    say(run.corpus.report())
    if warning := other_data_warning(config, run.corpus):
        say(warning)
    model, progress = fit(run, fresh=fresh, say=say)
    if progress.capped:
        say(CAPPED.format(minutes=config.optim.max_minutes, epochs=progress.epochs))
    if is_main_process():
        _write_run(run, model, progress, origins)
    return out


def _write_run(
    run: Run, model: GuidedClassifier, progress: TrainingProgress, origins: Origins
) -> None:
    config, out = run.config, run.out
    state = {k: v.contiguous() for k, v in model.state_dict().items()}
    save_file(state, out / "model.safetensors")
    if run.has_own_words:
        run.tokenizer.save(str(out / TOKENIZER))
    for split in ("dev", "test"):
        write_scores(run, model, split)
    facts = run_facts(
        config,
        progress,
        model,
        corpus=run.corpus,
        n_documents=len(run.train),
        levels=run.level_sizes,
        dtype=run.reading_dtype(best_device()),
    )
    facts |= {"learned_documents": len(run.learned), "origins": origins}
    write_facts(out, {**facts, "teacher_minutes": run.teacher_minutes})
    (out / "checkpoint.pt").unlink(missing_ok=True)


def fit(
    run: Run, *, fresh: bool = False, say: Callable[[str], None] = _LOG.info
) -> tuple[GuidedClassifier, TrainingProgress]:
    """Train the model of a run, or go on where a killed run stopped.

    Modifies the run: what it learns from, its tokenizer where words are masked, its number format
    and the minutes of its teacher.
    """
    splits = Splits(tuple(run.train), run.corpus.dev, run.corpus.test)
    check_labels(run.config.model, run.label_space, splits)
    run.learned, run.tokenizer = learned_documents(run.train, run.config, run.tokenizer)
    model, train = run.new_model(), run.inputs(run.learned)
    start_weights(run, model, train)
    taught, loss = with_teacher(
        train, run.new_loss(), run.learned, run.config, run.out, run.head_ids, say
    )
    if isinstance(taught, TeacherInputs):
        run.teacher_minutes = taught.kept.minutes
    trainer = Trainer(run.config, model, loss, taught, run.inputs(run.corpus.dev), run.out)
    run.dtype = trainer.dtype
    progress = trainer.fit(fresh=fresh)
    return model, progress


def write_scores(run: Run, model: GuidedClassifier, split: str) -> None:
    """Write scores of a split, and of its full texts as if only their titles were known."""
    documents = run.corpus.split(split)
    run.scores(model, documents, JoinRule()).save(run.out / f"scores_{split}.npz")
    titles = [d.title_alone() for d in titled_full_texts(documents)]
    if titles and reads_titles(run.config.reading):
        path = run.out / f"scores_{split}_{TITLE_ALONE}.npz"
        run.scores(model, titles, JoinRule()).save(path)


def average_runs(folders: Sequence[Path], out: Path) -> Path:
    """Write a run whose weights are the mean of those of other runs, which differ in their seed.

    Its configuration is that of the first; its steps, documents and minutes are those of all.

    Raises:
        ConfigError: there are fewer than two, one is not finished or is a baseline, they differ in
            more than their seed, or they name no weights that they start from.
    """
    if len(folders) < 2:
        raise ConfigError("Name two runs or more: the mean of one is the run itself.")
    runs = [RunFolder.finished(folder) for folder in folders]
    config = _common_config(folders)
    begin(config, out)
    run = Run(config, out)
    model = run.new_model(weights=folders[0] / "model.safetensors")
    states = [weights_in(folder / "model.safetensors") for folder in folders]
    model.load_state_dict({name: _mean([state[name] for state in states]) for name in states[0]})
    totals = {name: sum(finished.facts[name] for finished in runs) for name in SUMMED}
    progress = TrainingProgress(
        step=totals["steps"],
        documents=totals["documents_seen"],
        minutes=totals["minutes"],
        epochs=sum(finished.facts["epochs"] for finished in runs),
    )
    _write_run(run, model, progress, {"averaged": " ".join(map(shown_place, folders))})
    return out


def _common_config(folders: Sequence[Path]) -> RunConfig:
    configs = [begun_config(folder) for folder in folders]
    first = configs[0]
    for config, folder in zip(configs, folders, strict=True):
        if config.replace("seed", first.seed).digest() != first.digest():
            raise ConfigError(
                f"{folder} differs from {folders[0]} in more than its seed: runs are averaged whose "
                "configurations are otherwise the same."
            )
    if not first.optim.start_from:
        raise ConfigError(
            f"{folders[0]} did not go on from the weights of another run, and only runs that start "
            "from the same weights can be averaged: train each with optim.start_from."
        )
    return first


def _mean(values: Sequence[Tensor]) -> Tensor:
    # Counts, such as positions, are the same in all runs.
    is_counted = not values[0].is_floating_point()
    return values[0] if is_counted else torch.stack(list(values)).mean(dim=0)


# ---------------------------------------------------------------------- what can be trained


def check_settings(config: RunConfig) -> None:
    """Refuse what a run cannot be trained by, before its folder is made.

    Raises:
        ConfigError: settings contradict each other, or weights or a teacher are not there.
    """
    check_optim(config.optim)
    check_teacher(config)


def require_trainable(
    configs: Sequence[RunConfig], data_of: Callable[[DataConfig], JudgedData]
) -> None:
    """Refuse all runs where one of them cannot be trained; data are read once settings are right.

    Raises:
        ConfigError: a setting does not fit the others, the encoder or the data.
        PlanError: a plan does not fit the encoder.
    """
    # Seeds of an arm are as good as one.
    kinds = {config.replace("name", "run").replace("seed", 1): config for config in configs}
    for config in kinds.values():
        check_settings(config)
        check_network(config)
        check_select(config)
        check_buildable(config)
    for config in kinds.values():
        data = data_of(config.data)
        train = training_documents(data.corpus, config.data, config.seed)
        splits = Splits(tuple(train), data.corpus.dev, data.corpus.test)
        check_labels(config.model, data.label_space, splits)
