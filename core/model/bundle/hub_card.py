"""The card of a bundle as a model hub reads it: facts in a YAML header, then text for people.

Source: https://huggingface.co/docs/hub/model-cards, “Model card metadata”.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import BundleError
from core.model.bundle.cards import BundleCard, read_card

CARD = "README.md"
LIBRARY = "strata"
TASK = "text-classification"
LICENCES = ("apache-2.0", "mit", "cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "gpl-3.0", "eupl-1.2")
"""Of those that the hub knows by an id; any other is `other`, with its name."""
METRICS = ("r_precision_micro", "micro_f1", "macro_f1", "ndcg@5", "precision@5")
MARK = "---\n"


def card_of(bundle: Path) -> str:
    """Return the card of a bundle, as a hub reads it.

    Raises:
        BundleError: the bundle cannot be served.
    """
    card = read_card(bundle)
    if card.problem:
        raise BundleError(card.problem)
    own = bundle / CARD
    return hub_card(card, own.read_text("utf-8", "replace") if own.is_file() else "")


def hub_card(card: BundleCard, text: str = "") -> str:
    """Return the README.md of a bundle.

    Args:
        text: of a card that the bundle has; a header in it is replaced. Without one, what the
            manifest says is written out.
    """
    import yaml

    header = yaml.safe_dump(dict(_header(card)), sort_keys=False, allow_unicode=True)
    return f"{MARK}{header}{MARK}\n{without_header(text).strip() or _text(card)}\n"


def without_header(text: str) -> str:
    """Return a card without its YAML header."""
    if not text.startswith(MARK):
        return text
    _, _, rest = text[len(MARK) :].partition(f"\n{MARK}")
    return rest


def _header(card: BundleCard) -> Iterator[tuple[str, Any]]:
    if card.languages:
        yield "language", list(card.languages)
    yield from _licence(card.licence.get("weights", ""))
    yield "library_name", LIBRARY
    yield "pipeline_tag", TASK
    yield "tags", [LIBRARY, "subject-indexing", card.vocabulary_id, *card.suggesters]
    base = card.licence.get("encoder", "").split(",")[0].strip()
    if base.count("/") == 1 and " " not in base:
        yield "base_model", base
    if results := [*_results(card)]:
        yield "model-index", [{"name": card.name, "results": results}]


def _licence(name: str) -> Iterator[tuple[str, str]]:
    if not name:
        return
    known = name.lower() in LICENCES
    yield "license", name.lower() if known else "other"
    if not known:
        yield "license_name", name


def _results(card: BundleCard) -> Iterator[dict[str, Any]]:
    """Yield the figures of the test documents, as far as the manifest has them."""
    figures = card.metrics.get("test", {}).get("all", {})
    found = [{"type": name, "value": figures[name]} for name in METRICS if name in figures]
    if found:
        # A bundle that has learned from test was judged by its twin, which has not.
        whose = f" (of the twin {card.twin_hash[:16]})" if card.twin_hash else ""
        dataset = {"name": f"{card.vocabulary_id}, test{whose}", "type": card.vocabulary_id}
        yield {"task": {"type": TASK}, "dataset": {**dataset, "split": "test"}, "metrics": found}


def _text(card: BundleCard) -> str:
    """Return a card from the facts of a manifest."""
    training = card.training
    lines = [
        f"# {card.name}",
        f"Suggests concepts of {card.vocabulary_id} (version {card.vocabulary_version}) for a person "
        "to accept or reject.",
    ]
    if training.n_documents:
        lines.append(f"It was trained on {training.n_documents:,} documents.")
    if card.retrained:
        lines.append(f"It was retrained on decisions: {card.retrained}. {card.held}".strip())
    lines += [f"{split}: {words}" for split, words in card.judged.items()]
    lines += [
        f"Licence of the {part.replace('_', ' ')}: {words}" for part, words in card.licence.items()
    ]
    if not card.licence.get("weights"):
        lines.append("Its manifest names no licence of the weights.")
    return "\n\n".join(lines)
