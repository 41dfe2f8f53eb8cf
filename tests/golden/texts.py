"""Texts that are made up of invented words and phrases like labels, always the same ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from core.documents.document import Document, Part

N_TEXTS = 50
SYLLABLES = (
    "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo",
    "kel", "mar", "nor", "tis", "wen",
)  # fmt: skip
LAWS = (
    "fishing quotas", "organic honey", "railway tickets", "import duty", "olive oil",
    "data protection", "air pollution", "state aid", "animal health", "waste packaging",
    "customs tariff", "road safety", "vocational training", "electricity market", "plant variety",
    "consumer credit", "youth employment", "public procurement", "food additives", "port charges",
    "wine labelling", "asylum seekers", "drinking water", "copyright", "milk powder",
)  # fmt: skip
CLINICAL = (
    "pneumonia", "chronic kidney disease", "type 2 diabetes", "atrial fibrillation", "cough",
    "hip fracture", "urinary tract infection", "hypertension", "pleural effusion", "fever",
    "congestive heart failure", "abdominal pain", "acute bronchitis", "hydronephrosis", "anemia",
    "chest pain", "vesicoureteral reflux", "sepsis", "hypothyroidism", "acute kidney failure",
)  # fmt: skip
DENIALS = ("", "", "", "no ", "history of ", "family history of ", "possible ", "denies ")
RULES = (
    "Regulation on {} and {}.", "Member States shall report on {}.", "Trade in {} is subject to {}.",
    "The {} of {} is established for {}.", "Article {}: rules on {}.", "Annex on {} ({}).",
)  # fmt: skip
NOTES = (
    "Patient with {}.", "{} was treated with {}.", "Assessment: {}, {}.", "Impression: {}.",
    "Admitted for {}; {}.", "{} improved on {}.",
)  # fmt: skip
LENGTHS = (0, 2, 4, 6, 8, 10, 14, 20, 30, 80)  # sentences


def generated_documents() -> list[Document]:
    """Titles alone, short and long texts, with and without parts; half of them are clinical."""
    return [_document(number) for number in range(N_TEXTS)]


def _document(number: int) -> Document:
    draw = random.Random(1000 + number)
    is_clinical = number % 2 == 1
    n_sentences = LENGTHS[number // 2 % len(LENGTHS)]
    title = _sentence(draw, is_clinical).rstrip(".")
    texts = [_sentence(draw, is_clinical) for _ in range(n_sentences)]
    if n_sentences < 20:
        return Document.from_text(f"text-{number}", title, " ".join(texts))
    cut = n_sentences // 3
    kinds = ("Discharge summary", "Radiology report") if is_clinical else ("body", "annex")
    parts = (Part(" ".join(texts[:cut]), kinds[0]), Part(" ".join(texts[cut:]), kinds[1]))
    return Document(f"text-{number}", title, parts)


def _sentence(draw: random.Random, is_clinical: bool) -> str:
    pattern = draw.choice(NOTES if is_clinical else RULES)
    phrases = [_phrase(draw, is_clinical) for _ in range(pattern.count("{}"))]
    return pattern.format(*phrases)


def _phrase(draw: random.Random, is_clinical: bool) -> str:
    if draw.random() < 0.3:
        return _invented(draw, SYLLABLES)
    return draw.choice(DENIALS) + draw.choice(CLINICAL) if is_clinical else draw.choice(LAWS)


def _invented(draw: random.Random, syllables: Sequence[str]) -> str:
    return " ".join(
        "".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(draw.randint(1, 2))
    )
