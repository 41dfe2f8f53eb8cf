"""How faithful evidence is: `python -m training.benchmarks.evidence_benchmark` takes hours.

Of each act's words the share that supports a concept most is deleted; comprehensiveness is by how
much the fused probability falls (higher is better). Then only these words are kept; sufficiency is
by how much it falls then (lower is better). Every method deletes as many words. What is measured is
kept in a file, so that a second run goes on where the first was stopped.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from typer import Option

from core.commands.options import run_function
from core.documents.document import Document
from core.settings import PROJECT_ROOT, Settings
from core.suggest.evidence.explanation import DocumentExplanation
from core.suggest.evidence.spans import without_spans
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.vocabulary.labels import LabelSpace
from training.benchmarks.evidence_methods import Array, IntegratedGradients, attention_alone
from training.cli.options import Split
from training.corpora.corpus import LabelledDocument, full_texts
from training.corpora.readers import read_corpus
from training.judging.folders import development_data
from training.judging.recorded import write_text
from training.results.tables import markdown

OURS = "as served: guided and linear part"
REFERENCE = "integrated gradients, 8 steps"
RANDOM = "random passages"
SHOWN = "the passages that are shown"
MAX_BEHIND, MIN_TIMES_RANDOM = 0.03, 2.0


@dataclass(frozen=True, slots=True)
class EvidenceScores:
    """One method on one concept of one act.

    Attributes:
        before: the fused probability with the whole text.
        deleted_share: of the words, one for each time that some are deleted.
        without: the probability without these words.
        only: the probability with nothing but these words.
    """

    act: str
    concept: str
    method: str
    before: float
    deleted_share: list[float]
    without: list[float]
    only: list[float]


SHARES = (0.05, 0.10, 0.20)
N_ACTS, N_CONCEPTS, SEED = 40, 2, 4
RANDOM_PASSAGE_WORDS = 8
MAIN = (OURS, REFERENCE, RANDOM, SHOWN)
CANDIDATES = ("guided part alone", "linear part alone", "attention alone")


@dataclass(frozen=True, slots=True)
class EvidenceCase:
    """An act and some of its descriptors."""

    document: Document
    concept_ids: tuple[str, ...]


def main(
    *,
    bundle: Path | None = None,
    acts: int = N_ACTS,
    split: Split = "test",
    candidates: Annotated[int, Option(help="acts for these methods")] = N_ACTS,
    runs: Path = PROJECT_ROOT / "runs" / "evidence",
    out: Path = PROJECT_ROOT / "docs" / "results" / "evidence",
    tables_only: Annotated[bool, Option("--tables-only", help="measure nothing")] = False,
) -> None:
    """Measure what is missing, then print the table and write it."""
    suggester = load_suggester(bundle or Settings.from_env().bundle_dir)
    path = runs / f"{split}-{suggester.bundle_hash}.jsonl"
    if not tables_only:
        documents = read_corpus("acts_jsonl", development_data() / "eurlex").split(split)
        cases = draw(documents, suggester.label_space, n_acts=acts)
        for names, some in ((MAIN, cases), (CANDIDATES, cases[:candidates])):
            Measurement(suggester, path).run(some, names)
    text = table(read(path), suggester.name, suggester.bundle_hash)
    print(text)
    write_text(out / f"table-{split}.md", text)


def draw(
    documents: Sequence[LabelledDocument], label_space: LabelSpace, *, n_acts: int = N_ACTS
) -> list[EvidenceCase]:
    """Return acts with full text and two descriptors each, the same for the same corpus."""
    rng = random.Random(SEED)
    acts = sorted(full_texts(documents), key=lambda act: act.document_id)
    rng.shuffle(acts)
    cases = []
    for act in acts:
        known = [i for i in act.assigned if i in label_space]
        known = sorted(i for i in known if label_space.assignable[label_space.column(i)])
        if len(known) >= N_CONCEPTS:
            cases.append(EvidenceCase(act.document, tuple(rng.sample(known, N_CONCEPTS))))
    return cases[:n_acts]


class Measurement:
    """Measures cases and appends what it found to a file, a line a concept and method."""

    def __init__(self, suggester: LabelSuggester, path: Path) -> None:
        self.suggester, self.path = suggester, path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.done = {(m.act, m.concept, m.method) for m in read(path)}

    def run(self, cases: Sequence[EvidenceCase], methods: Sequence[str]) -> None:
        """Go through all cases, leaving out what has been measured."""
        for number, case in enumerate(cases, start=1):
            missing = {
                concept_id: [m for m in methods if self._is_missing(case, concept_id, m)]
                for concept_id in case.concept_ids
            }
            if any(missing.values()):
                found = list(self.measure(case, missing))
                with self.path.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(asdict(scores)) + "\n" for scores in found)
                print(f"{number} of {len(cases)}: {case.document.document_id}", flush=True)

    def _is_missing(self, case: EvidenceCase, concept_id: str, method: str) -> bool:
        return (case.document.document_id, concept_id, method) not in self.done

    def measure(
        self, case: EvidenceCase, methods: dict[str, list[str]]
    ) -> Iterator[EvidenceScores]:
        """Yield all that is to be measured of one act."""
        explanation = self.suggester.explain(case.document)
        scores = {
            name: _scores(self.suggester, explanation, case.concept_ids, name)
            for name in {name for names in methods.values() for name in names}
        }
        whole = next(self.suggester.probabilities_of([case.document])).assigned
        for i, (concept_id, names) in enumerate(methods.items()):
            column = self.suggester.label_space.column(concept_id)
            for name in names:
                chosen = _chosen(explanation, concept_id, name, scores[name][:, i])
                variants = [
                    document
                    for words in chosen
                    for document in (deleted(explanation, words), kept(explanation, words))
                ]
                found = [
                    float(probabilities.assigned[column])
                    for probabilities in self.suggester.probabilities_of(variants)
                ]
                yield EvidenceScores(
                    act=case.document.document_id,
                    concept=concept_id,
                    method=name,
                    before=float(whole[column]),
                    deleted_share=[len(words) / len(explanation.words) for words in chosen],
                    without=found[::2],
                    only=found[1::2],
                )


def _scores(
    suggester: LabelSuggester,
    explanation: DocumentExplanation,
    concept_ids: Sequence[str],
    name: str,
) -> Array:
    """Return word scores of a method, (n_words, concepts); those that draw at random need none."""
    columns = np.array([suggester.assigned_column(i) for i in concept_ids])
    if name == OURS:
        return explanation.scores(concept_ids)
    if name == REFERENCE:
        return IntegratedGradients(suggester, explanation)(concept_ids)
    if name == "attention alone":
        return np.repeat(attention_alone(explanation)[:, None], len(concept_ids), axis=1)
    parts = explanation.parts(columns)
    if name == "guided part alone":
        return parts[0]
    if name == "linear part alone":
        return parts[-1]
    return np.zeros((len(explanation.words), len(concept_ids)), dtype=np.float32)


def _chosen(
    explanation: DocumentExplanation, concept_id: str, name: str, scores: Array
) -> list[list[int]]:
    """Return the words that a method deletes, for each share; shown passages are one set."""
    n_words = len(explanation.words)
    if name == SHOWN:
        passages = explanation.evidence([concept_id])[concept_id].passages
        spans = [span for passage in passages for span in passage.spans]
        return [explanation.words.inside(spans)]
    sizes = [max(1, round(share * n_words)) for share in SHARES]
    if name == RANDOM:
        rng = random.Random(f"{explanation.document.document_id} {concept_id}")
        return [random_passages(n_words, size, rng) for size in sizes]
    order = np.argsort(-scores, kind="stable").tolist()
    return [order[:size] for size in sizes]


def random_passages(n_words: int, size: int, rng: random.Random) -> list[int]:
    """Return words of runs of eight that begin anywhere, `size` of them."""
    found: dict[int, None] = {}
    while len(found) < size:
        start = rng.randrange(n_words)
        found.update(dict.fromkeys(range(start, min(start + RANDOM_PASSAGE_WORDS, n_words))))
    return list(found)[:size]


def deleted(explanation: DocumentExplanation, words: Sequence[int]) -> Document:
    """Return the document without these words; the rest is as it is written."""
    return without_spans(explanation.document, [explanation.words.spans[i] for i in words])


def kept(explanation: DocumentExplanation, words: Sequence[int]) -> Document:
    """Return nothing but these words, in their order."""
    texts = {"title": "", "text": ""}
    for i in sorted(words):
        texts[explanation.words.spans[i].field] += f" {explanation.words.text_of(i, i)}"
    return Document.from_text("", texts["title"], texts["text"].strip())


def read(path: Path) -> list[EvidenceScores]:
    """Return what has been measured so far."""
    if not path.is_file():
        return []
    return [EvidenceScores(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(run_function(main, "training.benchmarks.evidence_benchmark"))


def table(measured: Sequence[EvidenceScores], name: str, bundle_hash: str) -> str:
    """Return means by method in Markdown, with their meaning and the bar."""
    by_method: dict[str, list[EvidenceScores]] = {}
    for scores in measured:
        by_method.setdefault(scores.method, []).append(scores)
    equal = {m: rows for m, rows in by_method.items() if len(rows[0].without) > 1}
    lines = [f"Bundle {name} ({bundle_hash}).", "", _methods(equal)]
    if SHOWN in by_method:
        lines += ["", _shown(by_method[SHOWN])]
    if {OURS, REFERENCE, RANDOM} <= equal.keys():
        lines += ["", *_bar(equal)]
    return "\n".join(lines) + "\n"


def falls(rows: Sequence[EvidenceScores], kind: str) -> list[float]:
    """Return the mean fall of the probability for each share, "without" or "only" these words."""
    found = np.array([[row.before - p for p in getattr(row, kind)] for row in rows])
    means: list[float] = found.mean(axis=0).tolist()
    return means


def _methods(equal: dict[str, list[EvidenceScores]]) -> str:
    header = ["method", "concepts", "compr. 5 %", "10 %", "20 %", "mean", "suff. 5 %", "10 %"]
    header += ["20 %", "mean", "compr. of ours on the same concepts"]
    body = []
    ours = {(row.act, row.concept): row for row in equal.get(OURS, [])}
    for method, rows in equal.items():
        cells = [f"{x:.3f}" for kind in ("without", "only") for x in _with_mean(falls(rows, kind))]
        same = [ours[row.act, row.concept] for row in rows if (row.act, row.concept) in ours]
        cells.append(f"{np.mean(falls(same, 'without')):.3f}" if same else "")
        body.append([method, f"{len(rows)}", *cells])
    return markdown(header, body)


def _with_mean(values: list[float]) -> list[float]:
    return [*values, float(np.mean(values))]


def _shown(rows: Sequence[EvidenceScores]) -> str:
    share = np.mean([row.deleted_share[0] for row in rows])
    return (
        f"The three to five passages that are shown, at all their places, are {share:.1%} of the "
        f"words: without them the probability falls by {falls(rows, 'without')[0]:.3f}, with them "
        f"alone by {falls(rows, 'only')[0]:.3f} ({len(rows)} concepts)."
    )


def _bar(equal: dict[str, list[EvidenceScores]]) -> list[str]:
    ours, reference, chance = (falls(equal[m], "without") for m in (OURS, REFERENCE, RANDOM))
    behind = max(theirs - mine for mine, theirs in zip(ours, reference, strict=True))
    times = min(mine / max(other, 1e-9) for mine, other in zip(ours, chance, strict=True))
    verdict = "met" if behind <= MAX_BEHIND and times >= MIN_TIMES_RANDOM else "missed"
    return [
        f"Comprehensiveness is at most {behind:.3f} behind integrated gradients (bar "
        f"{MAX_BEHIND}) and at least {times:.1f} times that of random passages (bar "
        f"{MIN_TIMES_RANDOM:g}), at every share: {verdict}."
    ]
