"""How faithful evidence is: `python -m training.benchmarks.evidence_benchmark`, over hours on a busy machine.

Of each act's words the share that speaks most for a concept is deleted; comprehensiveness is by how
much the fused probability falls (higher is better). Then only these words are kept; sufficiency is
by how much it falls then (lower is better). Every method deletes as many words. What is measured is
kept in a file, so that a second run goes on where the first was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.documents.document import Document
from core.settings import PROJECT_ROOT, Settings
from core.suggest.evidence.explanation import DocumentExplanation
from core.suggest.evidence.spans import without_spans
from core.suggest.predictor import Predictor
from core.vocabulary.labels import LabelSpace
from training.benchmarks.evidence_methods import Array, IntegratedGradients, attention_alone
from training.corpora.corpus import LabelledDocument, full_texts
from training.corpora.readers import read_corpus
from training.judging.folders import development_data
from training.results.evidence_table import OURS, RANDOM, REFERENCE, SHOWN, Measured, table

SHARES = (0.05, 0.10, 0.20)
N_ACTS, N_CONCEPTS, SEED = 40, 2, 4
RANDOM_PASSAGE_WORDS = 8
MAIN = (OURS, REFERENCE, RANDOM, SHOWN)
CANDIDATES = ("guided part alone", "linear part alone", "attention alone")


@dataclass(frozen=True, slots=True)
class Case:
    """An act and some of its descriptors."""

    document: Document
    concept_ids: tuple[str, ...]


def main() -> None:
    """Measure what is missing, then print the table and write it."""
    parser = argparse.ArgumentParser(prog="python -m training.benchmarks.evidence_benchmark")
    parser.add_argument("--bundle", type=Path, default=Settings.from_env().bundle_dir)
    parser.add_argument("--acts", type=int, default=N_ACTS)
    parser.add_argument("--split", default="test", choices=("dev", "test"))
    parser.add_argument("--candidates", type=int, default=N_ACTS, help="acts for these methods")
    parser.add_argument("--runs", type=Path, default=PROJECT_ROOT / "runs" / "evidence")
    parser.add_argument("--out", type=Path, default=PROJECT_ROOT / "docs" / "results" / "evidence")
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    predictor = Predictor.load(options.bundle)
    path = options.runs / f"{options.split}-{predictor.bundle_hash}.jsonl"
    if not options.tables_only:
        documents = read_corpus("acts_jsonl", development_data() / "eurlex").split(options.split)
        cases = draw(documents, predictor.label_space, n_acts=options.acts)
        for names, some in ((MAIN, cases), (CANDIDATES, cases[: options.candidates])):
            Measurement(predictor, path).run(some, names)
    text = table(read(path), predictor.name, predictor.bundle_hash)
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"table-{options.split}.md").write_text(text, encoding="utf-8")


def draw(
    documents: Sequence[LabelledDocument], label_space: LabelSpace, *, n_acts: int = N_ACTS
) -> list[Case]:
    """Acts with full text and two of their descriptors each, the same for the same corpus."""
    rng = random.Random(SEED)
    acts = sorted(full_texts(documents), key=lambda act: act.document_id)
    rng.shuffle(acts)
    cases = []
    for act in acts:
        known = [i for i in act.assigned if i in label_space]
        known = sorted(i for i in known if label_space.assignable[label_space.column(i)])
        if len(known) >= N_CONCEPTS:
            cases.append(Case(act.document, tuple(rng.sample(known, N_CONCEPTS))))
    return cases[:n_acts]


class Measurement:
    """Measures cases and appends what it found to a file, a line a concept and method."""

    def __init__(self, predictor: Predictor, path: Path) -> None:
        self.predictor, self.path = predictor, path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.done = {(m.act, m.concept, m.method) for m in read(path)}

    def run(self, cases: Sequence[Case], methods: Sequence[str]) -> None:
        """Go through all cases, leaving out what has been measured."""
        for number, case in enumerate(cases, start=1):
            missing = {
                concept_id: [m for m in methods if self._is_missing(case, concept_id, m)]
                for concept_id in case.concept_ids
            }
            if any(missing.values()):
                found = list(self.measure(case, missing))
                with self.path.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(asdict(one)) + "\n" for one in found)
                print(f"{number} of {len(cases)}: {case.document.document_id}", flush=True)

    def _is_missing(self, case: Case, concept_id: str, method: str) -> bool:
        return (case.document.document_id, concept_id, method) not in self.done

    def measure(self, case: Case, methods: dict[str, list[str]]) -> Iterator[Measured]:
        """All that is to be measured of one act."""
        explanation = self.predictor.explain(case.document)
        scores = {
            name: _scores(self.predictor, explanation, case.concept_ids, name)
            for name in {name for names in methods.values() for name in names}
        }
        whole = next(self.predictor.probabilities_of([case.document])).assigned
        for i, (concept_id, names) in enumerate(methods.items()):
            column = self.predictor.label_space.column(concept_id)
            for name in names:
                chosen = _chosen(explanation, concept_id, name, scores[name][:, i])
                variants = [
                    document
                    for words in chosen
                    for document in (deleted(explanation, words), kept(explanation, words))
                ]
                found = [
                    float(probabilities.assigned[column])
                    for probabilities in self.predictor.probabilities_of(variants)
                ]
                yield Measured(
                    act=case.document.document_id,
                    concept=concept_id,
                    method=name,
                    before=float(whole[column]),
                    deleted_share=[len(words) / len(explanation.words) for words in chosen],
                    without=found[::2],
                    only=found[1::2],
                )


def _scores(
    predictor: Predictor, explanation: DocumentExplanation, concept_ids: Sequence[str], name: str
) -> Array:
    """Word scores of a method, (n_words, concepts); those that draw at random need none."""
    columns = np.array([predictor.assigned_column(i) for i in concept_ids])
    if name == OURS:
        return explanation.scores(concept_ids)
    if name == REFERENCE:
        return IntegratedGradients(predictor, explanation)(concept_ids)
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
    """The words that a method deletes, for each share; the passages that are shown are one set."""
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
    """Words of runs of eight that begin anywhere, `size` of them."""
    found: dict[int, None] = {}
    while len(found) < size:
        start = rng.randrange(n_words)
        found.update(dict.fromkeys(range(start, min(start + RANDOM_PASSAGE_WORDS, n_words))))
    return list(found)[:size]


def deleted(explanation: DocumentExplanation, words: Sequence[int]) -> Document:
    """The document without these words; the rest is as it is written."""
    return without_spans(explanation.document, [explanation.words.spans[i] for i in words])


def kept(explanation: DocumentExplanation, words: Sequence[int]) -> Document:
    """Nothing but these words, in their order."""
    texts = {"title": "", "text": ""}
    for i in sorted(words):
        texts[explanation.words.spans[i].field] += f" {explanation.words.text_of(i, i)}"
    return Document.from_text("", texts["title"], texts["text"].strip())


def read(path: Path) -> list[Measured]:
    """What has been measured so far."""
    if not path.is_file():
        return []
    return [Measured(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
