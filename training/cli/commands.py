"""The commands of `python -m training`, in the order of the work, each with an example."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from training.cli import codes, compare, measure, prepare, served, ship, sweep, train


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what declares its options, what it does, and an example of it."""

    name: str
    add: Callable[[argparse.ArgumentParser], None]
    does: str
    example: str


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands for one step of the work."""

    title: str
    commands: tuple[Command, ...]


COMMAND_GROUPS = (
    CommandGroup(
        "Your documents",
        (
            Command(
                "describe",
                prepare.add_describe,
                "Count classes, documents, words and sentences of a corpus, beside Table 1 of the "
                "paper on DocBERT where it is one of its four, and say why they differ.",
                "describe training/configs/reuters.toml",
            ),
        ),
    ),
    CommandGroup(
        "An encoder of your own",
        (
            Command(
                "stack",
                prepare.add_stack,
                "Make a deeper encoder: its layers on top of themselves, to be trained on.",
                "stack sentence-transformers/all-MiniLM-L6-v2 --out runs/minilm-12",
            ),
            Command(
                "adapt",
                prepare.add_adapt,
                "Let an encoder go on learning the language of your texts: hidden words, and which "
                "sentence follows which. No labels are read. It prints a folder that model.encoder "
                "can name.",
                "adapt training/configs/adapt.toml --out runs/adapted",
            ),
            Command(
                "vectors",
                prepare.add_vectors,
                "Write an encoder's vectors of a student's words in fewer dimensions, for "
                "network.vectors.",
                "vectors mine.toml --encoder bert-base-uncased --out runs/vectors.txt",
            ),
        ),
    ),
    CommandGroup(
        "Train",
        (
            Command(
                "train",
                train.add_train,
                "Train one configuration, score dev and test, and write metrics.json.",
                "train training/configs/eurovoc_titles.toml --out runs/mine",
            ),
            Command(
                "resume",
                train.add_resume,
                "Go on with a run of train or adapt that was stopped or killed; the numbers are "
                "those of an unbroken run.",
                "resume runs/mine",
            ),
            Command(
                "baseline",
                train.add_baseline,
                "Train what a large model must beat, on the same data: logistic regression (lr), a "
                "linear SVM (svm) or k nearest neighbours (knn) on TF-IDF, as set or --tuned "
                "on dev; or trees of such classifiers (parabel, bonsai).",
                "baseline svm --config training/configs/reuters.toml --tuned",
            ),
            Command(
                "linear",
                train.add_linear,
                "Train the small linear suggester that a bundle fuses with the encoder.",
                "linear --out runs/linear",
            ),
            Command(
                "retrain",
                train.add_retrain,
                "Make a bundle of what was decided in a project, judge it beside what serves on the "
                "newest finished documents, and offer it on the page Models.",
                "retrain --project eurovoc",
            ),
        ),
    ),
    CommandGroup(
        "Judge and compare",
        (
            Command(
                "evaluate",
                compare.add_evaluate,
                "Judge finished runs or a bundle, with tables; --results keeps rows of them.",
                "evaluate runs/mine assets/models/eurovoc --split test",
            ),
            Command(
                "compare",
                compare.add_compare,
                "Train plans or arms from several seeds and make the tables, or make them of "
                "finished runs: mean ± std over seeds, paired bootstrap against one arm, documents "
                "seen, steps, minutes and commit.",
                "compare training/configs/plans12.toml --plans flat,last_half --seeds 1,2,3",
            ),
            Command(
                "coded",
                codes.add_coded,
                "Judge finished runs as the clinical challenges do: folds pooled, micro- and "
                "macro-F1 at thresholds of dev, mean average precision over all gold codes, means "
                "of two arms.",
                "coded runs/icd9cm-radiology --mix guided+lr --against lr",
            ),
            Command(
                "lexical",
                codes.add_lexical,
                "Count how often a name of a code in a case is a code of it, by kind of name on "
                "train, and with precision, recall and time on dev.",
                "lexical DATA/codiesp",
            ),
            Command(
                "learned-codes",
                codes.add_learned_codes,
                "Show what finished documents teach where codes are assigned, by names alone and "
                "beside a model.",
                "learned-codes DATA/codiesp DATA/cmc2007/radiology_reports.xml DATA/icd9cm",
            ),
            Command(
                "served-codes",
                served.add_served_codes,
                "Judge codes as the page serves them, a model and names ranked together: by folds, "
                "on CodiEsp's dev, and on files of hospital notes with their codes.",
                "served-codes --bundle assets/models/icd10cm-cases --cases DATA/codiesp --notes "
                "docs/results/hospital-notes/seen.jsonl",
            ),
            Command(
                "sweep",
                sweep.add_sweep,
                "Vary one setting after another, train what is missing, and draw quality against "
                "the setting (or against parameters), with other models as lines.",
                "sweep training/configs/table2/docbert.toml --over optim.epochs=4,30",
            ),
            Command(
                "small-data",
                compare.add_small_data,
                "Label embeddings against plain fine-tuning on few documents, paired over seeds.",
                "small-data reuters-single-50 --seeds 1,2",
            ),
        ),
    ),
    CommandGroup(
        "Look inside",
        (
            Command(
                "utilization",
                measure.add_utilization,
                "How much of an encoder's layers and heads is used, beside Table 2 of the paper.",
                "utilization runs/mine --split dev --query both",
            ),
            Command(
                "insights",
                measure.add_insights,
                "Where a model is good and where it errs, for the page Insights.",
                "insights assets/models/eurovoc --split dev",
            ),
            Command(
                "attention",
                measure.add_attention,
                "What [CLS] attends to in a text of yours, with label embeddings and without.",
                'attention runs/plain runs/labels --text "Duties on imported honey"',
            ),
        ),
    ),
    CommandGroup(
        "Ship",
        (
            Command(
                "rank-codes",
                served.add_rank_codes,
                "Fit what ranks names in the text and a model's codes together, on documents that "
                "the bundle of each fold has not learned, and add it to a bundle.",
                "rank-codes runs/bundles/cases-1 runs/bundles/cases-2 --into "
                "assets/models/icd10cm-cases",
            ),
            Command(
                "fuse",
                ship.add_fuse,
                "Average the scores of two runs, with weights tuned on dev.",
                "fuse runs/mine runs/omikuji-parabel --out runs/fused",
            ),
            Command(
                "bundle",
                ship.add_bundle,
                "Package a run for serving; STRATA_BUNDLE or the page Models then choose it.",
                "bundle runs/mine --linear runs/linear --name mine --out assets/models/mine",
            ),
            Command(
                "rank",
                ship.add_rank,
                "Fit what ranks the suggestions of a bundle, on dev and on documents that came "
                "after those that an earlier bundle of its recipe has learned from.",
                "rank assets/models/mine --origin 2013=runs/bundle-2012",
            ),
            Command(
                "cold-start",
                ship.add_cold_start,
                "Fit the weights by which labels in the text and similar documents are ranked where "
                "no model knows a vocabulary.",
                "cold-start",
            ),
            Command(
                "corrector",
                ship.add_corrector,
                "Fit the weights by which the suggestions of a model are corrected by what is "
                "decided, on documents that came after those that a bundle has learned from.",
                "corrector --origin 2013=runs/bundle-2012",
            ),
            Command(
                "share",
                ship.add_share,
                "Store the tokenizer of several bundles once, in a folder beside them.",
                "share assets/models/eurovoc",
            ),
            Command(
                "card",
                ship.add_card,
                "Write into the card of a bundle what a study (coded, lexical) found and on which "
                "documents, or which command trained it; the model itself does not change.",
                'card models/mine --results results/mine --arm guided --of "notes, dev"',
            ),
            Command(
                "submit",
                ship.add_submit,
                "Write what a run predicts for unlabelled documents: as CSV all probabilities "
                "(Kaggle's toxic comments), as TSV the one label of each (GLUE).",
                "submit runs/toxic --out submission.csv",
            ),
        ),
    ),
    CommandGroup(
        "Speed, and the record",
        (
            Command(
                "benchmark",
                measure.add_benchmark,
                "Documents a second, forward and in training, and the share of what a large matrix "
                "product reaches in the same run and precision.",
                "benchmark --encoder bert-base --lengths 512 --precisions bf16",
            ),
            Command(
                "latency",
                measure.add_latency,
                "Seconds over a split in batches and milliseconds over one document, of runs, "
                "baselines and bundles in one session; --out keeps them beside rows of results, "
                "where the page Insights plots quality against time.",
                "latency runs/reuters/* --format reuters --split dev --batch-size 128",
            ),
            Command(
                "cold-curve",
                measure.add_cold_curve,
                "How good suggestions are without a model, after no document, ten, and so on to all; "
                "Annif's back-ends beside them where it is installed.",
                "cold-curve --split dev",
            ),
            Command(
                "learning-curve",
                measure.add_learning_curve,
                "What learning from decisions brings, by month: dev and then test arrive, are "
                "suggested for and decided; a model that was trained again beside it.",
                "learning-curve BUNDLE --origin 2013=runs/bundle-2012",
            ),
            Command(
                "hints",
                measure.add_hints,
                "How often a concept that was taken away from a document is among the three that "
                "are called missed, and one that was put in among those called odd.",
                "hints runs/twin/eurovoc --split test",
            ),
            Command(
                "search",
                measure.add_search,
                "How often search has the concept that everyday words mean first, and among the "
                "first five, by vocabulary and kind of query.",
                "search table --misses",
            ),
            Command(
                "results",
                measure.add_results,
                "Write the tables of docs/results and those in README.md and docs/results.md anew "
                "from the committed rows; trains nothing.",
                "results",
            ),
        ),
    ),
)


PROGRAM = "python -m training"

BEGINNING = """\
The laboratory: from documents and a vocabulary to a model that is served, and to tables of its
quality.

One file, CONFIG.toml, describes a run: its data, its encoder and plan, how text is read, and how
the model is trained. It holds only what differs from its preset (`paper`, `small` and others, see
training/config/presets.py); relative paths in it start at its own folder. The configurations of
the committed results are in training/configs. A run that is stopped or killed goes on where it was
when the same command is given again, or `resume` with its folder, and its numbers are those of an
unbroken run. Several graphics cards or processes:
`accelerate launch -m training train CONFIG.toml`."""

END = """\
`python -m training COMMAND --help` lists the options of a command. docs/laboratory.md describes
each method, docs/results.md the results."""


def parser() -> argparse.ArgumentParser:
    """Return the command line, whose help lists every command with an example."""
    whole = argparse.ArgumentParser(
        prog=PROGRAM,
        description=BEGINNING,
        epilog=f"{command_list()}\n\n{END}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=f"{PROGRAM} COMMAND …",
    )
    # Without help of their own they are not listed a second time, out of their order.
    commands = whole.add_subparsers(required=True, metavar="COMMAND", help="one of those below")
    for group in COMMAND_GROUPS:
        for command in group.commands:
            command.add(
                commands.add_parser(
                    command.name,
                    description=command.does,
                    epilog=f"Example: {PROGRAM} {command.example}",
                )
            )
    return whole


def command_list() -> str:
    """Return every command with an example, in the order of the work."""
    lines = []
    for number, group in enumerate(COMMAND_GROUPS, start=1):
        lines.append(f"\n{number}. {group.title}\n")
        for command in group.commands:
            text = f"{command.name:<16}{command.does}"
            lines += textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent=" " * 18)
            lines.append(f"    $ {PROGRAM} {command.example}")
    return "\n".join(lines).strip("\n")
