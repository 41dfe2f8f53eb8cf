"""The commands of `python -m training`, in the order of the work: what each does, by example."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from training.cli import (
    baselines,
    coding,
    comparing,
    corpora,
    encoders,
    fitting,
    measuring,
    names,
    results,
    shipping,
    sweeping,
)


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
        "Your documents",
        (
            Command(
                "describe",
                corpora.add_describe,
                "Count classes, documents, words and sentences of a corpus, beside Table 1 of the "
                "paper on DocBERT where it is one of its four, and say why they differ.",
                "describe training/configs/reuters.toml",
            ),
        ),
    ),
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
            Command(
                "vectors",
                encoders.add_vectors,
                "Write an encoder's vectors of a student's words in fewer dimensions, for "
                "network.vectors.",
                "vectors mine.toml --encoder bert-base-uncased --out runs/vectors.txt",
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
                baselines.add_baseline,
                "Train what a large model must beat, on the same data: logistic regression (lr), a "
                "linear SVM (svm) or k nearest neighbours (knn) on TF-IDF, as they come or --tuned "
                "on dev; or trees of such classifiers (parabel, bonsai).",
                "baseline svm --config training/configs/reuters.toml --tuned",
            ),
            Command(
                "linear",
                baselines.add_linear,
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
                "coded",
                coding.add_coded,
                "Judge finished runs as the clinical challenges do: folds pooled, micro- and macro-F1 "
                "at thresholds of dev, mean average precision over all gold codes, means of two arms.",
                "coded runs/icd9cm-radiology --mix guided+lr --against lr",
            ),
            Command(
                "lexical",
                names.add_lexical,
                "Count how often a name of a code in a case is a code of it, by kind of name on "
                "train, and with precision, recall and time on dev.",
                "lexical DATA/codiesp",
            ),
            Command(
                "sweep",
                sweeping.add_sweep,
                "Let one setting after another take several values, train what is missing, and draw "
                "quality against it (or against parameters), with other models as lines.",
                "sweep training/configs/table2/docbert.toml --over optim.epochs=4,30",
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
                "share",
                shipping.add_share,
                "Keep the tokenizer of bundles once, in a folder beside them; they stay the same.",
                "share assets/models/eurovoc",
            ),
            Command(
                "card",
                shipping.add_card,
                "Let the card of a bundle tell what a study (coded, lexical) found out about it and "
                "on which documents, or which command trained it; it stays the same bundle.",
                'card models/mine --results results/mine --arm guided --of "notes, dev"',
            ),
            Command(
                "submit",
                shipping.add_submit,
                "Write what a run says of a corpus's unlabelled documents: as CSV all probabilities "
                "(Kaggle's toxic comments), as TSV the one label of each (GLUE).",
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
                "latency",
                measuring.add_latency,
                "Seconds over a split in batches and milliseconds over one document, of runs, "
                "baselines and bundles in one session; --out keeps them beside rows of results, "
                "where the page Insights plots quality against time.",
                "latency runs/reuters/* --format reuters --split dev --batch-size 128",
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
