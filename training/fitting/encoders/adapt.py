"""Domain adaptation: an encoder goes on learning its language from the words of a corpus.

Masked-language-model and next-sentence training on the texts of the training split, each of which
can be switched off, by the same loop as every other run. The labels of the corpus are not read.
Source: Devlin et al. (2019) for both tasks; Gururangan et al. (2020) for going on with them on the
texts of a domain before fine-tuning.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import AutoTokenizer, BertForPreTraining

from core.errors import ConfigError
from training.config import RunConfig
from training.corpora.corpus import Corpus
from training.corpora.sampling import training_documents
from training.fitting.checks import check_length
from training.fitting.devices import check_processes, is_main_process
from training.fitting.encoders.adapt_inputs import AdaptInputs
from training.fitting.encoders.adapt_model import (
    AdaptingEncoder,
    AdaptOutput,
    adaptation_loss,
    load_pretraining,
)
from training.fitting.loop import Trainer
from training.fitting.progress import TrainingProgress
from training.fitting.resume import begin, is_finished
from training.fitting.run import load_tokenizer
from training.judging.folders import load_corpus
from training.judging.recorded import commit, write_facts

_LOG = logging.getLogger(__name__)

ENCODER = "encoder"
"""Folder of the adapted encoder within that of the run."""

DEV_WINDOWS = 512
"""Full texts have hundreds of windows each; so many of all measure the dev loss well enough."""


def adapt(
    config: RunConfig, out: Path, *, fresh: bool = False, say: Callable[[str], None] = _LOG.info
) -> Path:
    """Adapt the configured encoder; a folder that is finished already is left as it is.

    Writes into `out`: config.toml, log.jsonl, checkpoint.pt (while it runs), the adapted encoder
    in `encoder/`, and, last, run.json.

    Args:
        say: is called with a report of what was read and which records were skipped.
    Returns:
        The folder of the adapted encoder, which `model.encoder` can name.
    Raises:
        ConfigError: both tasks are switched off, the encoder cannot be adapted, or the folder holds
            another run.
    """
    _check(config)
    if not fresh and is_finished(config, out):
        return out / ENCODER
    begin(config, out, fresh=fresh, command="adapt")
    check_processes(out, say)
    corpus = load_corpus(config.data)
    say(corpus.report())
    tokenizer = load_tokenizer(config.model.encoder)
    dev = inputs_of(corpus, "dev", config, tokenizer)
    train = inputs_of(corpus, "train", config, tokenizer)
    torch.manual_seed(config.seed)
    whole = load_pretraining(config.model.encoder, dropout=config.model.encoder_dropout)
    model = AdaptingEncoder(whole, config.adapt)
    progress = Trainer(config, model, adaptation_loss, train, dev, out).fit(fresh=fresh)
    if is_main_process():
        _write(config, out, whole, {**_facts(config, progress, corpus), **measure(model, dev)})
    return out / ENCODER


def inputs_of(corpus: Corpus, split: str, config: RunConfig, tokenizer: Tokenizer) -> AdaptInputs:
    """Return the texts of a split; of train, as many as configured."""
    is_train = split == "train"
    return AdaptInputs(
        training_documents(corpus, config.data, config.seed) if is_train else corpus.split(split),
        tokenizer=tokenizer,
        config=config.adapt,
        max_length_tokens=config.reading.max_length_tokens,
        at_most=0 if is_train else DEV_WINDOWS,
    )


def measure(model: AdaptingEncoder, dev: AdaptInputs) -> dict[str, float]:
    """Return shares of hidden word pieces and following segments predicted right on dev."""
    right = {"masked_words": 0, "next_sentences": 0}
    asked = dict.fromkeys(right, 0)
    device = next(model.parameters()).device
    model.eval()
    for batch in dev.dev_batches(32):
        batch = batch.to(device)
        with torch.inference_mode():
            output: AdaptOutput = model(**batch.model_inputs())
        targets = batch.targets
        for name, logits, truth in (
            ("masked_words", output.words, targets.words),
            ("next_sentences", output.random_next, targets.random_next),
        ):
            if logits is not None:
                right[name] += int((logits.argmax(dim=-1) == truth).sum())
                asked[name] += len(truth)
    return {f"dev_{n}_right": round(right[n] / asked[n], 4) for n in right if asked[n]}


def _check(config: RunConfig) -> None:
    if not (config.adapt.masked_lm or config.adapt.next_sentence):
        raise ConfigError(
            "Nothing is left to learn: adapt.masked_lm and adapt.next_sentence are off."
        )
    if config.network.kind != "none":
        raise ConfigError(
            f"`adapt` goes on teaching an encoder its language, and network.kind is "
            f"“{config.network.kind}”: set it to “none”, or train the network on labels."
        )
    if config.optim.select != "loss":
        raise ConfigError("`adapt` learns no labels: set optim.select = “loss”.")
    if config.reading.max_length_tokens < 8:
        raise ConfigError("Two segments need a reading.max_length_tokens of 8 or more.")
    check_length(config.model.encoder, "max_length_tokens", config.reading.max_length_tokens)


def _facts(config: RunConfig, progress: TrainingProgress, corpus: Corpus) -> dict[str, Any]:
    # It may be kept in public: a hub id names what was adapted, a folder's place does not.
    encoder = Path(config.model.encoder)
    return {
        "name": config.name,
        "digest": config.digest(),
        "adapted": encoder.name if encoder.exists() else config.model.encoder,
        "tasks": config.adapt.model_dump(),
        "steps": progress.step,
        "windows_seen": progress.documents,
        "minutes": progress.minutes,
        "dev_loss": round(progress.best_loss, 5),
        "problems": len(corpus.problems),
        "data_sha256": dict(corpus.sha256),
        "commit": commit(),
    }


def _write(config: RunConfig, out: Path, whole: BertForPreTraining, facts: dict[str, Any]) -> None:
    # With its heads, so that it can be adapted further; `transformers` finds the encoder inside.
    whole.save_pretrained(out / ENCODER)
    AutoTokenizer.from_pretrained(config.model.encoder).save_pretrained(out / ENCODER)
    write_facts(out, facts)
    (out / "checkpoint.pt").unlink(missing_ok=True)
