"""What suggestions from elsewhere are worth, computed by hand."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.suggest.elsewhere.worth import (
    GUESSED_ALONE,
    LearnedWorth,
    Worth,
    bin_of,
)
from core.suggest.protocol import FinishedDocument
from core.suggest.suggestions import FromElsewhere


def finished(
    name: str,
    found: dict[str, tuple[float, float]],
    assigned: tuple[str, ...] = (),
    rejected: tuple[str, ...] = (),
    *,
    identity: str = "here",
    version: int = 1,
) -> FinishedDocument:
    return FinishedDocument(
        document=Document.from_text(name, name, ""),
        version=version,
        assigned=assigned,
        rejected=rejected,
        elsewhere=FromElsewhere("tiny", identity, found),
    )


def learned(*documents: FinishedDocument) -> LearnedWorth:
    worth = Worth("here")
    worth.learn(documents)
    return worth.now()


@pytest.mark.parametrize(
    ("score", "number"), [(0.0, 0), (0.19, 0), (0.2, 1), (0.5, 2), (0.8, 4), (1.0, 4)]
)
def test_scores_fall_into_five_bins(score: float, number: int) -> None:
    assert bin_of(score) == number


def test_before_anything_is_decided_it_is_believed_a_little() -> None:
    known = Worth("here").now()
    # What nobody else suggests has the guessed share of its bin.
    alone = [known.chance(score, 0.0) for score in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert alone == pytest.approx(GUESSED_ALONE)
    # 50 % become 55 %; 80 %, with odds of 4, become 4 * 0.55 / 0.45 = 4.889, and that is 83.0 %.
    assert known.chance(0.9, 0.5) == pytest.approx(0.55)
    assert known.chance(0.9, 0.8) == pytest.approx(0.8302, abs=1e-4)
    # A concept that others hold for improbable is as one that they do not suggest.
    assert known.chance(0.9, 0.01) == pytest.approx(0.15)
    assert known.chance(0.9, 1.0) == 1.0


def test_more_of_the_others_never_makes_a_concept_less_probable() -> None:
    known = Worth("here").now()
    for score in (0.1, 0.5, 1.0):
        chances = [known.chance(score, beside / 100) for beside in range(101)]
        assert chances == sorted(chances)


def test_the_share_that_was_accepted_is_learned_by_bin() -> None:
    # Twenty of the highest bin, that nobody else suggests: fifteen accepted, five rejected.
    documents = [finished(f"r{n}", {"c": (0.9, 0.0)}, assigned=("c",)) for n in range(15)]
    documents += [finished(f"w{n}", {"c": (0.9, 0.0)}, rejected=("c",)) for n in range(5)]
    known = learned(*documents)
    # (15 + 20 * 0.15) / (20 + 20) = 0.45; the other bins stay as they were guessed.
    assert known.alone == pytest.approx((*GUESSED_ALONE[:4], 0.45))
    assert known.odds == pytest.approx([0.55 / 0.45] * 5)


def test_what_was_left_untouched_counts_half_against_it() -> None:
    # Ten untouched ones are five judged ones: 20 * 0.15 / (5 + 20) = 0.12.
    known = learned(*(finished(str(n), {"c": (0.9, 0.0)}) for n in range(10)))
    assert known.alone[4] == pytest.approx(0.12)


def test_where_others_agree_it_is_learned_by_how_much_they_expected_too_little() -> None:
    # Twenty that the others give 50 %, of which all are right: (20 + 11) / 40 = 0.775 against
    # (10 + 10) / 40 = 0.5, so that the odds rise by 0.775 / 0.225.
    right = [finished(str(n), {"c": (0.5, 0.5)}, assigned=("c",)) for n in range(20)]
    known = learned(*right)
    assert known.odds[2] == pytest.approx(0.775 / 0.225)
    assert known.chance(0.5, 0.5) == pytest.approx(0.775)
    # All wrong: (0 + 11) / 40 = 0.275, and agreement speaks against a concept from then on.
    wrong = [finished(str(n), {"c": (0.5, 0.5)}, rejected=("c",)) for n in range(20)]
    assert learned(*wrong).chance(0.5, 0.5) == pytest.approx(0.275)


def test_what_another_suggester_said_teaches_nothing() -> None:
    other = [finished(str(n), {"c": (0.9, 0.0)}, ("c",), identity="other") for n in range(9)]
    silent = FinishedDocument(Document.from_text("s", "s", ""), 1, ("c",), ())
    worth = Worth("here")
    worth.learn([*other, silent])
    assert worth.now() == Worth("here").now()
    assert worth.learned() == {**{str(n): 1 for n in range(9)}, "s": 1}


def test_documents_are_learned_anew_and_forgotten_to_the_last_digit() -> None:
    worth = Worth("here")
    worth.learn([finished("a", {"c": (0.9, 0.3), "d": (0.1, 0.0)}, assigned=("c",))])
    once = worth.now()
    worth.learn([finished("b", {"c": (0.7, 0.1)}, rejected=("c",))])
    worth.learn([finished("b", {"c": (0.7, 0.1)}, assigned=("c",), version=2)])
    assert worth.learned() == {"a": 1, "b": 2}
    worth.forget(["b", "unknown"])
    assert worth.now() == once
    worth.forget(["a"])
    assert worth.now() == Worth("here").now()
    assert worth.n_updates == 5
