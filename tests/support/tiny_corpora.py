"""Small corpora for classical models."""

from __future__ import annotations

from tests.support.labelled import act, tiny_label_space
from training.corpora.corpus import Corpus
from training.judging.folders import JudgedData

SUBJECTS = {
    "grape": "vineyards growing grapes for wine",
    "wheat": "cereals: common wheat and durum",
    "fish": "vessels catching herring and cod",
}


def acts(n: int, prefix: str = "x") -> list[object]:
    names = list(SUBJECTS)
    return [
        act(f"{prefix}{i}", names[i % 3], title=f"Regulation {i} on {SUBJECTS[names[i % 3]]}")
        for i in range(n)
    ]


def tiny_data() -> JudgedData:
    test = [*acts(5, "t"), act("full", "fish", title="On herring", text="Vessels and cod.")]
    corpus = Corpus("tiny", tuple(acts(30)), tuple(acts(6, "d")), tuple(test))  # type: ignore[arg-type]
    return JudgedData(corpus, tiny_label_space())
