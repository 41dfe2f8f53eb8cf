"""The page about lexical matches: what their probabilities rest on, and how good they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from training.judging.coded import f1
from training.judging.measured import Measured
from training.studies.lexical_study import NOTE_WORDS, Cell, Judged


def lexical_page(
    by_kind: Mapping[Cell, tuple[int, int]],
    by_assertion: Mapping[str, tuple[int, int]],
    judged: Judged,
    about: Mapping[str, str],
) -> str:
    """The page in Markdown.

    Args:
        by_kind, by_assertion: of train, names that are right and all names.
        judged: of dev.
        about: what stands in the first lines: the vocabulary, its size, the command, the machine.
    """
    return "\n".join([*_head(about), *_dev(judged), *_kinds(by_kind), *_asserted(by_assertion)])


def beside_table(bundle: str, arms: Mapping[str, Measured]) -> str:
    """What names add to a bundle, in Markdown; the model alone first."""
    lines = ["", f"## Beside {bundle}, on dev", "", "| what suggests | MAP | micro-F1 at 0.5 |"]
    lines.append("| --- | ---: | ---: |")
    for arm, words in (("model_alone", "the model"), ("as_served", "with names")):
        means = arms[arm].means
        lines.append(f"| {words} | {means['map']:.3f} | {means['micro_f1@0.5']:.3f} |")
    return "\n".join([*lines, ""])


def _head(about: Mapping[str, str]) -> Iterator[str]:
    yield "# Names of codes in the text"
    yield ""
    yield f"By `{about['command']}` ({about['machine']})."
    yield ""
    yield (
        f"{about['vocabulary']}: {about['wordings']} wordings are looked for. The index takes "
        f"{about['build']} s of one core to build and {about['open']} s to open, and "
        f"{about['megabytes']} MB to keep."
    )
    yield ""


def _dev(judged: Judged) -> Iterator[str]:
    yield "## Quality on dev"
    yield ""
    yield "| which | codes named | precision | recall | micro-F1 |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for choice, (right, named, gold) in judged.counts.items():
        precision = right / named if named else 0.0
        score = f1(right, named, gold)
        yield f"| {choice} | {named:,} | {precision:.3f} | {right / gold:.3f} | {score:.3f} |"
    yield ""
    said, so = judged.calibration
    gold = next(iter(judged.counts.values()))[2]
    yield (
        f"Mean average precision of the names alone: {judged.mean_average_precision:.3f}. They are "
        f"said to be right with a probability of {said:.3f} on average, and {so:.3f} of them are. Of "
        f"the {gold:,} gold codes {judged.n_retired:,} are no codes of today's release any more, so "
        "they are never found."
    )
    yield ""
    case, note = judged.milliseconds
    yield (
        f"Time of one core, median: {case:.1f} ms a case, {note:.1f} ms a note of {NOTE_WORDS:,} "
        "words."
    )
    yield ""


def _kinds(by_kind: Mapping[Cell, tuple[int, int]]) -> Iterator[str]:
    yield "## What probabilities rest on: names that are affirmed, on train"
    yield ""
    yield "| name | words | names | right |"
    yield "| --- | --- | ---: | ---: |"
    for (kind, n_words), (right, n) in by_kind.items():
        words = "3 and more" if n_words > 2 else str(n_words)
        yield f"| {kind} | {words} | {n:,} | {right / n:.2f} |"
    yield ""


def _asserted(by_assertion: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    yield "| said of the mention | names | right |"
    yield "| --- | ---: | ---: |"
    for status, (right, n) in by_assertion.items():
        yield f"| {status} | {n:,} | {right / n:.2f} |"
    yield ""
    yield (
        "CodiEsp's annotators gave codes to what is denied about as often as to what is not. No "
        "coder may do that, so names that are denied, or are of the family, count half here: that "
        "is a decision, and no measurement."
    )
    yield ""
