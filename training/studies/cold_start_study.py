"""How good suggestions are for a vocabulary that no model has learned, after so many documents."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.review.hints import TEXTS, TITLES
from core.suggest.cold_start.suggester import EXPECTED
from core.suggest.ranking.ranker import Ranker
from core.suggest.similar import READ_CHARACTERS
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.folders import JudgedData
from training.judging.recorded import write_study
from training.ranking.cold_start import STAGES, ColdStarts, draw
from training.ranking.examples import positions_of
from training.ranking.fit_ranker import Say
from training.results.tables import markdown

Array = npt.NDArray[np.float32]

OURS = "Strata, no model"
ANNIF_BACKENDS: Mapping[str, str] = {
    "mllm": "",
    "tfidf": "",
    "omikuji": "cluster_balanced=False\ncluster_k=100\nmax_depth=3\ncollapse_every_n_layers=5\n",
}
"""Back-ends of Annif, with their settings; those of omikuji are Bonsai's."""
K = 5
SUGGESTED = 20

_ANNIF = """
import json, sys
import annif, annif.registry
from annif.corpus import Document
app = annif.create_flask_app()
with app.app_context():
    project = annif.registry.get_project(sys.argv[1])
    texts = json.load(open(sys.argv[2]))
    found = project.suggest([Document(text=text) for text in texts])
    answers = [
        [[project.subjects[s.subject_id].uri, float(s.score)] for s in result] for result in found
    ]
    json.dump(answers, open(sys.argv[3], "w"))
"""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a program finds after so many documents.

    Attributes:
        documents: "titles" or "full texts".
        n_decided: documents that it has learned from.
        n_judged: documents that are suggested for.
        ndcg, right: nDCG@5, and how many of the first five are right, on average.
        seconds: of learning.
    """

    program: str
    documents: str
    n_decided: int
    n_judged: int
    ndcg: float
    right: float
    seconds: float


def curve(data: JudgedData, split: str, ranker: Ranker, *, say: Say) -> Iterator[CurvePoint]:
    """Yield ours at each stage; all of train are decided in a drawn order."""
    train = data.corpus.train
    starts = ColdStarts.drawn(data.label_space, train)
    judged = judged_documents(data.corpus.split(split))
    for number in STAGES:
        n_decided = min(number, len(train))
        started = time.perf_counter()
        known = starts.after(n_decided)
        seconds = time.perf_counter() - started
        for name, documents in judged.items():
            examples = starts.examples(documents, known)
            scorer = ranker.scorer(has_text=name == TEXTS)
            scores = np.zeros((len(documents), len(starts.position)), dtype=np.float32)
            for row in range(len(documents)):
                here = examples.of(row)
                scores[row, examples.positions[here]] = scorer(examples.rows[here])
            yield _point(OURS, name, n_decided, documents, scores, data.label_space, seconds)
            say(f"{name} after {n_decided:,}")


def judged_documents(documents: Sequence[LabelledDocument]) -> dict[str, list[LabelledDocument]]:
    """Return titles, and full texts, of documents that have a title."""
    titled = [row for row in documents if row.document.title]
    return {TITLES: [row.title_alone() for row in titled], TEXTS: full_texts(titled)}


def _point(
    program: str,
    name: str,
    n_decided: int,
    documents: Sequence[LabelledDocument],
    scores: Array,
    label_space: LabelSpace,
    seconds: float,
) -> CurvePoint:
    """Judge scores of the assignable concepts, (n_documents, n_assignable)."""
    gold = label_space.encode([row.assigned for row in documents], augmented=False)
    gold = gold[:, np.flatnonzero(label_space.assignable)].tocsr()
    return CurvePoint(
        program,
        name,
        n_decided,
        len(documents),
        100 * metrics.mean_defined(metrics.ndcg_at_k(gold, scores, K)),
        K * metrics.mean_defined(metrics.precision_at_k(gold, scores, K)),
        seconds,
    )


# ---------------------------------------------------------------------- Annif


def annif_curve(
    python: Path, folder: Path, data: JudgedData, split: str, *, say: Say
) -> Iterator[CurvePoint]:
    """Yield Annif's back-ends, which learn from the same documents at each stage.

    Args:
        python: the interpreter of Annif's own environment.
        folder: for its projects, in which its vocabulary “eurovoc” is loaded already.
    """
    train = data.corpus.train
    order = draw(len(train)).tolist()
    for number in STAGES[1:]:
        drawn = [train[n] for n in order[:number]]
        corpus = folder / f"decided-{len(drawn)}.tsv"
        corpus.write_text("".join(_lines(drawn, data.label_space)), "utf-8")
        for backend, settings in ANNIF_BACKENDS.items():
            yield from _annif(python, corpus, f"{backend}-{len(drawn)}", settings, data, split)
            say(f"Annif's {backend} after {len(drawn):,}")


def _annif(
    python: Path, corpus: Path, project: str, settings: str, data: JudgedData, split: str
) -> Iterator[CurvePoint]:
    backend, _, n_decided = project.partition("-")
    folder, space = corpus.parent, data.label_space
    (folder / "projects.cfg").write_text(
        f"[{project}]\nname={project}\nlanguage=en\nbackend={backend}\nvocab=eurovoc\n"
        f"analyzer=snowball(english)\nlimit={SUGGESTED}\n{settings}",
        "utf-8",
    )
    started = time.perf_counter()
    subprocess.run([python.with_name("annif"), "train", project, corpus], cwd=folder, check=True)
    seconds = time.perf_counter() - started
    column = {space.hierarchy[i].uri: n for i, n in positions_of(space).items()}
    for name, documents in judged_documents(data.corpus.split(split)).items():
        asked, answered = folder / "asked.json", folder / "answered.json"
        asked.write_text(json.dumps([_text(row) for row in documents]), "utf-8")
        subprocess.run(
            [python, "-c", _ANNIF, project, asked, answered], cwd=folder, check=True, timeout=3600
        )
        scores = np.zeros((len(documents), len(column)), dtype=np.float32)
        for row, found in enumerate(json.loads(answered.read_text("utf-8"))):
            for uri, score in found:
                if uri in column:  # it suggests mere divisions, too
                    scores[row, column[uri]] = score
        yield _point(f"Annif, {backend}", name, int(n_decided), documents, scores, space, seconds)


def _text(row: LabelledDocument) -> str:
    return " ".join(f"{row.document.title} {row.document.text[:READ_CHARACTERS]}".split())


def _lines(documents: Sequence[LabelledDocument], space: LabelSpace) -> Iterator[str]:
    for row in documents:
        uris = [f"<{space.hierarchy[i].uri}>" for i in row.assigned if i in space]
        yield f"{_text(row)}\t{' '.join(uris)}\n"


# ---------------------------------------------------------------------- the page


def study_page(points: Sequence[CurvePoint], *, command: str, split: str) -> str:
    """Return the curves as tables, with the command."""
    parts = [
        "# Suggestions without a model",
        f"EuroVoc as if it were new, judged on {split}. After so many documents of train, in a drawn "
        "order, each with its descriptors; 0: labels in the text alone. Annif 1.4 learns from the "
        "same documents, where a figure stands.",
        f"    {command}",
    ]
    for documents in (TITLES, TEXTS):
        here = [point for point in points if point.documents == documents]
        stages = sorted({point.n_decided for point in here})
        programs = list(dict.fromkeys(point.program for point in here))
        known = {(point.program, point.n_decided): point for point in here}
        parts.append(f"## {documents.capitalize()}: nDCG@5, of {here[0].n_judged:,}")
        rows = []
        for program in programs:
            cells = [known.get((program, stage)) for stage in stages]
            rows.append([program, *(f"{point.ndcg:.1f}" if point else "" for point in cells)])
        right = [f"{known[OURS, stage].right:.1f}" for stage in stages]
        rows.append([f"right of the first five, {OURS}", *right])
        parts.append(markdown(["program", *(f"{n:,}" for n in stages)], rows))
    return "\n\n".join(parts) + "\n"


def record_expected(points: Sequence[CurvePoint]) -> None:
    """Write what the program says of what is to be expected: ours, by the number of documents."""
    ours = [point for point in points if point.program == OURS]
    right = {(point.documents, point.n_decided): round(point.right, 3) for point in ours}
    stages = sorted({point.n_decided for point in ours})
    rows = [[stage, right[TITLES, stage], right[TEXTS, stage]] for stage in stages]
    EXPECTED.write_text(json.dumps(rows) + "\n", "utf-8")


def save_study(folder: Path, points: Sequence[CurvePoint], *, command: str, split: str) -> None:
    """Write the points and the page into a folder."""
    page = study_page(points, command=command, split=split)
    write_study(folder, page, points)
