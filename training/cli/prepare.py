"""Commands that come before training: a corpus described, an encoder or word vectors made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from training.cli.options import (
    RUNS,
    Config,
    Fresh,
    NamedRun,
    Out,
    command,
    data_options,
    say,
)
from training.config import DataConfig, load_config
from training.judging.folders import load_corpus, over

GROUP = "Your documents"


@command(GROUP, "describe training/configs/reuters.toml", data=data_options)
def describe(
    config: Annotated[
        Path | None,
        Argument(metavar="CONFIG.toml", help="that names the corpus, where no option does"),
    ] = None,
    *,
    data: DataConfig,
) -> None:
    """Count classes, documents, words and sentences of a corpus, beside Table 1 of the paper on
    DocBERT where it is one of its four.
    """
    from training.studies.description import describe

    named = load_config(config).data if config else DataConfig()
    counted = over(named, data)
    corpus = load_corpus(counted)
    say(corpus.report())
    print(describe(corpus, counted))


@command(GROUP, "encoder adapt training/configs/adapt.toml --out runs/adapted", run=NamedRun)
def adapt(*, run: NamedRun, out: Out = None, fresh: Fresh = False) -> None:
    """Let an encoder go on learning the language of your texts: hidden words, and which sentence
    follows which. No labels are read. It prints a folder that model.encoder can name.
    """
    from training.fitting.encoders.adapt import adapt

    config = run.load()
    print(adapt(config, out or RUNS / config.name, fresh=fresh, say=say))


@command(GROUP, "encoder vectors mine.toml --encoder bert-base-uncased --out runs/vectors.txt")
def vectors(
    config: Config,
    *,
    encoder: Annotated[str, Option(help="hub id or folder")],
    size: Annotated[int | None, Option(help="units of a vector (network.vector_size)")] = None,
    out: Annotated[Path, Option(help="file for network.vectors")],
) -> None:
    """Write an encoder's vectors of a student's words in fewer dimensions, for network.vectors."""
    from training.fitting.encoders.word_vectors import write_small_vectors

    student = load_config(config)
    units = student.network.vector_size if size is None else size
    print(write_small_vectors(student, encoder, units, out))
