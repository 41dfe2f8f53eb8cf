"""The whole story of `python -m training`: what each command does, in which order, by example."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from training.commands import comparing, encoders, fitting, measuring, results, shipping

PROGRAM = "python -m training"

BEGINNING = """\
The laboratory: from documents and a vocabulary to a model that is served, and to a table that
says how good it is.

A run is described by one file, CONFIG.toml: which data, which encoder and plan, how text is
read, how it is trained. It needs no more than what differs from its preset (`paper`, `small`
and others, see training/presets.py); relative paths in it start at its own folder. Those behind
the committed results are in training/configs. Whatever is stopped or killed goes on where it
was when the same command is given again, or `resume` with its folder, and gives the numbers of
an unbroken run. Several graphics cards or processes:
`accelerate launch -m training train CONFIG.toml`."""

END = """\
`python -m training COMMAND --help` lists the options of a command. docs/laboratory.md goes through
each method, docs/results.md has what came out."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how its options are declared, what it does, and a line that shows it."""

    name: str
    add: Callable[[argparse.ArgumentParser], None]
    does: str
    example: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """Commands that belong to one step of the way."""

    title: str
    commands: tuple[Command, ...]


CHAPTERS = (
    Chapter(
        "An encoder, where none at hand will do",
        (
            Command(
                "stack",
                encoders.add_stack,
                "Make a deeper encoder: its layers on top of themselves, to be trained on.",
                "stack sentence-transformers/all-MiniLM-L6-v2 --out runs/minilm-12",
            ),
            Command(
                "adapt",
                encoders.add_adapt,
                "Let an encoder go on learning the language of your texts: hidden words, and which "
                "sentence follows which. No labels are read. It prints a folder that model.encoder "
                "can name.",
                "adapt training/configs/adapt.toml --out runs/adapted",
            ),
        ),
    ),
    Chapter(
        "Train",
        (
            Command(
                "train",
                fitting.add_train,
                "Train one configuration, score dev and test, and write metrics.json.",
                "train training/configs/eurovoc_titles.toml --out runs/mine",
            ),
            Command(
                "resume",
                fitting.add_resume,
                "Go on with a run that was stopped or killed, of train or adapt, as its folder says; "
                "the numbers are those of an unbroken run.",
                "resume runs/mine",
            ),
            Command(
                "baseline",
                fitting.add_baseline,
                "Train a tree of TF-IDF classifiers (omikuji) on the same data, to be beaten.",
                "baseline bonsai --labels assigned --max-characters 5000",
            ),
            Command(
                "linear",
                fitting.add_linear,
                "Train the small linear suggester that a bundle fuses with the encoder.",
                "linear --out runs/linear",
            ),
        ),
    ),
    Chapter(
        "Judge and compare",
        (
            Command(
                "evaluate",
                measuring.add_evaluate,
                "Judge finished runs or a bundle, with tables; --results keeps rows of them.",
                "evaluate runs/mine assets/models/eurovoc --split test",
            ),
            Command(
                "compare",
                comparing.add_compare,
                "Train plans or arms from several seeds and make the tables, or make them of "
                "finished runs: mean ± std over seeds, paired bootstrap against one arm, documents "
                "seen, steps, minutes and commit.",
                "compare training/configs/plans12.toml --plans flat,last_half --seeds 1,2,3",
            ),
            Command(
                "small-data",
                comparing.add_small_data,
                "Label embeddings against plain fine-tuning on few documents, paired over seeds.",
                "small-data reuters-single-50 --seeds 1,2",
            ),
        ),
    ),
    Chapter(
        "Look inside",
        (
            Command(
                "utilization",
                measuring.add_utilization,
                "How much of an encoder's layers and heads is used, beside Table 2 of the paper.",
                "utilization runs/mine --split dev --query both",
            ),
            Command(
                "insights",
                measuring.add_insights,
                "Where a model is good and where it errs, for the page Insights.",
                "insights assets/models/eurovoc --split dev",
            ),
            Command(
                "attention",
                measuring.add_attention,
                "What [CLS] attends to in a text of yours, with label embeddings and without.",
                'attention runs/plain runs/labels --text "Duties on imported honey"',
            ),
        ),
    ),
    Chapter(
        "Ship",
        (
            Command(
                "fuse",
                shipping.add_fuse,
                "Average the scores of two runs, with weights tuned on dev.",
                "fuse runs/mine runs/omikuji-parabel --out runs/fused",
            ),
            Command(
                "bundle",
                shipping.add_bundle,
                "Package a run for serving; STRATA_BUNDLE or the page Models then choose it.",
                "bundle runs/mine --linear runs/linear --name mine --out assets/models/mine",
            ),
            Command(
                "submit",
                shipping.add_submit,
                "Write the probabilities of a corpus's unlabelled documents as Kaggle wants them, "
                "such as the toxic comments of test.csv.",
                "submit runs/toxic --out submission.csv",
            ),
        ),
    ),
    Chapter(
        "Speed, and the record",
        (
            Command(
                "benchmark",
                results.add_benchmark,
                "Documents a second, forward and in training, and the share of what a large matrix "
                "product reaches in the same run and precision.",
                "benchmark --encoder bert-base --lengths 512 --precisions bf16",
            ),
            Command(
                "results",
                results.add_results,
                "Write the tables of docs/results and those in README.md and docs/results.md anew "
                "from the committed rows; trains nothing.",
                "results",
            ),
        ),
    ),
)


def parser() -> argparse.ArgumentParser:
    """The command line, with the story as its help."""
    whole = argparse.ArgumentParser(
        prog=PROGRAM,
        description=BEGINNING,
        epilog=f"{story()}\n\n{END}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=f"{PROGRAM} COMMAND …",
    )
    # Without help of their own they are not listed a second time, out of their order.
    commands = whole.add_subparsers(required=True, metavar="COMMAND", help="one of those below")
    for chapter in CHAPTERS:
        for command in chapter.commands:
            command.add(
                commands.add_parser(
                    command.name,
                    description=command.does,
                    epilog=f"Example: {PROGRAM} {command.example}",
                )
            )
    return whole


def story() -> str:
    """Every command with an example, in the order of the work."""
    lines = []
    for number, chapter in enumerate(CHAPTERS, start=1):
        lines.append(f"\n{number}. {chapter.title}\n")
        for command in chapter.commands:
            text = f"{command.name:<13}{command.does}"
            lines += textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent=" " * 15)
            lines.append(f"    $ {PROGRAM} {command.example}")
    return "\n".join(lines).strip("\n")
