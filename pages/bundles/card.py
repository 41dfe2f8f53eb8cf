"""The card of a model bundle: its facts, its figures, and what its vocabulary means here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal

from core.clinical.familiar import KnownDocuments
from core.errors import BundleError
from core.model.bundle.cards import BundleCard
from core.serving.session import Session
from core.suggest.ranking.features import RANKER_FEATURES, TABLE
from core.vocabulary.versions.vocabulary_versions import BUNDLED
from pages.components.markdown import count, escaped
from pages.vocabularies.names import NAMES, version_name

SPLITS = ("test", "dev")
KINDS = {
    "all": "All",
    "titles": "Titles",
    "full_texts": "Full texts",
    "full_texts_title_alone": "Full texts by title alone",
    "as_served": "As served, with names",
    "model_alone": "The model alone",
}
# Those that a lead compares models by, in this order; the comparison shows all others too.
FIGURES = {
    "ndcg@5": "nDCG@5",
    "p@5": "Precision at 5",
    "recall@10": "Recall at 10",
    "r_precision_assigned": "R-Precision, assigned",
    "r_precision_micro": "R-Precision, all levels",
    "micro_f1": "Micro F1",
    "macro_f1": "Macro F1",
    "micro_f1@0.5": "Micro F1 at 0.5",
    "map": "Mean average precision",
    "hierarchical_f1": "Hierarchical F1",
    "accuracy": "Accuracy",
    "mcc": "Matthews correlation",
    "roc_auc": "ROC-AUC",
    "roc_auc_micro": "ROC-AUC, micro",
}
SAID_KINDS = {
    "titles": "for titles",
    "full_texts": "for full texts",
    "as_served": "as served, with names",
    "all": "",
}
"""Kinds of documents as a sentence names them; of `all`, only where there is no other."""
SENTENCES = {
    "p@5": "Right of its first five suggestions: {said}",
    "micro_f1@0.5": "Found and right, from 50 % on (micro F1): {said}",
    "micro_f1": "Found and right (micro F1): {said}",
}
OBJECTIVES = {"multi_label": "many labels a document", "single_label": "one label a document"}
LICENCE = {
    "weights": "Licence of the weights",
    "encoder": "Licence of the encoder",
    "vocabulary": "Licence of the vocabulary",
    "training_data": "Training data, licence",
}
RANKED_BY = {
    "suggesters": "meaning and words of the text",
    "branch": "the branch of a concept",
    "label": "its label in title and text",
    "similar": "similar documents",
    "company": "other likely concepts",
    "habit": "how often it is assigned",
}
UNKNOWN = "not stated"

Row = tuple[str, str]


def facts(card: BundleCard) -> list[Row]:
    """Return what a bundle says of itself, a name and a value each; nothing is escaped."""
    made = card.training
    return [
        ("Vocabulary", f"{vocabulary_name(card)}{_version(card)}"),
        ("Contents of the vocabulary", card.vocabulary_version or UNKNOWN),
        ("Labels", _labels(card)),
        ("Encoder", "none: words are weighed" if card.is_linear_alone else card.encoder or UNKNOWN),
        ("Layers", f"{card.n_layers} of {card.hidden_size} units" if card.n_layers else "none"),
        ("Plan", _plan(card.plan)),
        ("Objective", OBJECTIVES.get(card.objective, card.objective)),
        ("Options", _options(card)),
        ("Reads", _reads(card)),
        *([("Made for", words)] if (words := _made_for(card)) else []),
        ("Languages", ", ".join(card.languages) or UNKNOWN),
        ("Size on disk", megabytes(card.size_bytes)),
        ("Trained on", _trained_on(card)),
        *([("Retrained on", card.retrained)] if card.retrained else []),
        ("Trained", made.trained_at[:16].replace("T", " ") or UNKNOWN),
        ("Effort", _effort(card)),
        ("Made with", f"Strata {card.made_with}" if card.made_with else UNKNOWN),
        ("Commit", made.commit or UNKNOWN),
        ("Command", made.command or UNKNOWN),
        ("Identity", card.bundle_hash),
        ("Folder", str(card.directory)),
    ]


def licence(card: BundleCard) -> list[Row]:
    """The licences of a bundle and its parts, with attributions."""
    return [(LICENCE.get(name, name), words) for name, words in card.licence.items()]


def ranked_by(card: BundleCard) -> list[Row]:
    """Return what the ranker of a bundle goes by, one kind of features a row; none without one."""
    if "ranked" not in card.suggesters:
        return []
    rows = [row for row in TABLE if row.name in RANKER_FEATURES]
    meanings = {
        kind: " ".join(row.meaning for row in rows if row.kind == kind)
        for kind in dict.fromkeys(row.kind for row in rows)
    }
    return [(f"Ranked by: {RANKED_BY[kind]}", meaning) for kind, meaning in meanings.items()]


def figures(card: BundleCard, split: str) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table of a split: the chosen figures by kind of document."""
    by_kind = card.metrics.get(split, {})
    kinds = [kind for kind in KINDS if kind in by_kind]
    rows = [
        [words, *(percent(by_kind[kind].get(name)) for kind in kinds)]
        for name, words in FIGURES.items()
        if any(name in by_kind[kind] for kind in kinds)
    ]
    return [f"{split_name(split)}, in percent", *(KINDS[kind] for kind in kinds)], rows


def how_good(card: BundleCard) -> str:
    """Return how good it is in a sentence, by the first split that has a figure; "" without one."""
    for split in splits(card):
        by_kind = card.metrics[split]
        for name, sentence in SENTENCES.items():
            values = [
                (kind, by_kind[kind][name])
                for kind in SAID_KINDS
                if by_kind.get(kind, {}).get(name) is not None
                and (kind != "all" or len(by_kind) == 1)
            ]
            if values:
                words = split_name(split).lower() if split in SPLITS else split_name(split)
                figures = [
                    f"{_said(name, value)} {SAID_KINDS[kind]}".strip() for kind, value in values
                ]
                return f"{sentence.format(said=', '.join(figures))} ({words})."
    return ""


def _said(name: str, value: float) -> str:
    """Return a figure in a sentence: how many of five, or in percent."""
    return f"{5 * value:.2g}" if name == "p@5" else f"{100 * value:.0f} %"


def served_sentence(card: BundleCard, name: str) -> str:
    """Return a sentence on the serving model, its vocabulary and its quality, as Markdown.

    Args:
        name: what tells the bundle from others, as Markdown.
    """
    vocabulary = one_line(vocabulary_name(card))
    return f"**{name}** suggests in this project, for {vocabulary}. {one_line(how_good(card))}"


def splits(*cards: BundleCard) -> list[str]:
    """Return the splits that have figures: test and dev first, then what a study judged."""
    there = [split for card in cards for split in card.metrics if card.metrics[split]]
    return [split for split in dict.fromkeys([*SPLITS, *there]) if split in there]


def judged_by(card: BundleCard, split: str) -> tuple[str, str | None]:
    """Return what the figures of a split are of, and by which commands, as Markdown, a line each."""
    words, _, commands = card.judged[split].partition(" Command: ")
    return words, "\n\n".join(map(one_line, filter(None, commands.split("; ")))) or None


def split_name(split: str) -> str:
    """Return a part of the corpus as a table names it; of a study, as the study does."""
    return {"test": "Test documents", "dev": "Development documents"}.get(split, split)


def tab_name(split: str) -> str:
    """Return a part of the corpus, or a study, as a tab names it; escaped."""
    return one_line(split.capitalize() if split in SPLITS else split)


def percent(value: float | None) -> str:
    """Return a share in [0, 1] as it stands in tables: in percent, with one place.

    Bundles state four places. The figure in the middle between two is rounded to the even one, as
    often up as down, and so to the same as in the tables of the documentation.
    """
    if value is None:
        return "–"
    exact = 100 * Decimal(f"{value:.4f}")
    return str(exact.quantize(Decimal("0.1"), ROUND_HALF_EVEN))


def megabytes(n_bytes: int) -> str:
    """Return a size for a person."""
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:,.1f} kB"


def vocabulary_name(card: BundleCard) -> str:
    """Return the vocabulary of a bundle as a sentence names it."""
    return NAMES.get(card.vocabulary_id, card.vocabulary_id) or UNKNOWN


def vocabulary_note(card: BundleCard, session: Session) -> str | None:
    """Return what happens where the bundle was trained with another vocabulary."""
    vocabulary = session.vocabulary()
    if vocabulary is None:
        return None
    used = vocabulary.hierarchy
    if (card.vocabulary_id, card.vocabulary_version) == (used.vocabulary_id, used.version):
        return None
    comes_along = session.project.choice == BUNDLED
    learned_name, here = vocabulary_name(card), NAMES.get(used.vocabulary_id, used.vocabulary_id)
    if card.vocabulary_id == used.vocabulary_id:
        if comes_along:
            return (
                f"It was trained with another version of {learned_name} ({version_name(card.vocabulary_version)}), which "
                "comes into use with it. Decisions stay."
            )
        return (
            f"It was trained with {learned_name}, {version_name(card.vocabulary_version)}; "
            f"{version_name(used.version)} is in use. What "
            "that version does not have is not suggested."
        )
    return (
        f"It knows another vocabulary than the one in use: {learned_name}. It suggests in a project of that "
        f"vocabulary; nothing about the documents that are here changes, which are indexed with {here}."
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, are_numbers: bool = True) -> str:
    """Return a Markdown table; numbers, in all columns but the first, on the right edge of theirs.

    Args:
        head, rows: escaped already.
    """
    lines = [head, ["---", *("---:" if are_numbers else "---" for _ in head[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def facts_table(rows: Iterable[Row]) -> str:
    """Return names and values as a Markdown table without a head."""
    cells = ([f":gray[{one_line(name)}]", one_line(value)] for name, value in rows)
    return table(("", ""), cells, are_numbers=False)


def one_line(text: str) -> str:
    """Return what a bundle says, for a cell or a heading: escaped, and without line breaks."""
    return escaped(" ".join(text.split()))


def _version(card: BundleCard) -> str:
    """Return the version as a card says it first; a checksum is none that anybody knows."""
    version = card.vocabulary_version
    return f", {version_name(version)}" if version else ""


def _labels(card: BundleCard) -> str:
    levels = ", ".join(f"{size:,}" for size in card.level_sizes)
    n_levels = len(card.level_sizes)
    words = f"{count(n_levels, 'level')}: {levels}" if n_levels else "no levels"
    return f"{card.n_assigned:,} can be suggested ({words})"


def _plan(plan: str) -> str:
    """As the paper writes it; a model without level heads has none."""
    return plan if plan == "none" else plan.replace("_", " ").upper() or UNKNOWN


def _reads(card: BundleCard) -> str:
    if card.is_linear_alone:
        return f"{card.max_tokens:,} words at most"
    read = f"{card.max_tokens:,} tokens at most, {card.window_tokens:,} at a time"
    first = "one" if card.max_windows == 1 else f"{card.max_windows:,}"
    return (
        f"{read}; its encoder reads the first {first} of these alone" if card.max_windows else read
    )


def _made_for(card: BundleCard) -> str:
    """Return which notes a model of codes ranks; "" of a bundle that knows nothing of that."""
    try:
        documents = KnownDocuments.load(card.directory)
    except BundleError:
        return UNKNOWN
    if documents is None:
        return ""
    return (
        f"notes like its training documents, which have {documents.shortest:,} to {documents.longest:,} "
        "words; others are ranked by the names in them, without this model"
    )


def _options(card: BundleCard) -> str:
    if card.is_linear_alone:
        return "a linear suggester alone"
    options = [f"{card.pooling} pooling"] if card.pooling else []
    if card.label_embeddings != "none":
        options.append(f"label embeddings ({card.label_embeddings})")
    if "linear" in card.suggesters:
        options.append("a linear suggester beside it")
    if "ranked" in card.suggesters:
        options.append("a ranker over both")
    return ", ".join(options) or "none"


def _trained_on(card: BundleCard) -> str:
    made = card.training
    if made.n_documents is None:
        return (
            UNKNOWN if made.n_seen is None else f"{made.n_seen:,} documents read, repeats counted"
        )
    seen = f", {made.n_seen:,} read in all" if made.n_seen else ""
    teacher = f", and by the teacher {made.teacher}" if made.teacher else ""
    newer = f"; then on {card.refreshed}" if card.refreshed else ""
    return f"{made.n_documents:,} documents{seen}{teacher}{newer}"


def _effort(card: BundleCard) -> str:
    made = card.training
    facts = []
    if made.n_steps is not None:
        facts.append(f"{made.n_steps:,} steps")
    if made.minutes is not None:
        facts.append(f"{made.minutes:,.0f} minutes")
    if made.dtype:
        facts.append(made.dtype)
    return ", ".join(facts) or UNKNOWN
