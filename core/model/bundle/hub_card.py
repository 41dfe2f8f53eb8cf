"""The card of a bundle as a model hub reads it: facts in a YAML header, then text for people.

Source: https://huggingface.co/docs/hub/model-cards, “Model card metadata”.
"""

from __future__ import annotations

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
    own_file = bundle / CARD
    return hub_card(card, own_file.read_text("utf-8", "replace") if own_file.is_file() else "")


def hub_card(card: BundleCard, text: str = "") -> str:
    """Return the README.md of a bundle.

    Args:
        text: of a card that the bundle has; a header in it is replaced. Without one, what the
            manifest says is written out.
    """
    return f"{MARK}{_header(card)}\n{MARK}\n{without_header(text).strip() or _text(card)}\n"


def without_header(text: str) -> str:
    """Return a card without its YAML header."""
    return text[len(MARK) :].partition(f"\n{MARK}")[2] if text.startswith(MARK) else text


def _header(card: BundleCard) -> str:
    from huggingface_hub import EvalResult, ModelCardData

    licence = card.licence.get("weights", "")
    is_known = licence.lower() in LICENCES
    base = card.licence.get("encoder", "").split(",")[0].strip()
    figures = card.metrics.get("test", {}).get("all", {})
    # A bundle that has learned from test was judged by its twin, which has not.
    whose = f" (of the twin {card.twin_hash[:16]})" if card.twin_hash else ""
    judged: dict[str, Any] = {
        "task_type": TASK,
        "dataset_type": card.vocabulary_id,
        "dataset_name": f"{card.vocabulary_id}, test{whose}",
        "dataset_split": "test",
    }
    results = [
        EvalResult(**judged, metric_type=name, metric_value=figures[name])
        for name in METRICS
        if name in figures
    ]
    data = ModelCardData(
        language=list(card.languages) or None,
        license=(licence.lower() if is_known else "other") if licence else None,
        license_name=licence if licence and not is_known else None,
        library_name=LIBRARY,
        pipeline_tag=TASK,
        tags=[LIBRARY, "subject-indexing", card.vocabulary_id, *card.suggesters],
        base_model=base if base.count("/") == 1 and " " not in base else None,
        model_name=card.name,
        eval_results=results or None,
    )
    return str(data.to_yaml())


def _text(card: BundleCard) -> str:
    n_documents = card.training.n_documents
    lines = [
        f"# {card.name}",
        f"Suggests concepts of {card.vocabulary_id} (version {card.vocabulary_version}) for a person "
        "to accept or reject.",
        f"It was trained on {n_documents:,} documents." if n_documents else "",
        f"It was retrained on decisions: {card.retrained}. {card.held}" if card.retrained else "",
        f"It was refreshed with {card.refreshed}." if card.refreshed else "",
        *(f"{split}: {words}" for split, words in card.judged.items()),
        *(f"Licence of the {part.replace('_', ' ')}: {w}" for part, w in card.licence.items()),
        "" if card.licence.get("weights") else "Its manifest names no licence of the weights.",
    ]
    return "\n\n".join(line.strip() for line in lines if line)
