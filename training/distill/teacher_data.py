"""The training data of a run with a teacher or a transfer set."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from accelerate import PartialState
from tokenizers import Tokenizer

from core.documents.document import Document
from core.errors import ConfigError
from training.config import DistillConfig, ReadingConfig, RunConfig
from training.corpora.corpus import Corpus, LabelledDocument
from training.distill.student import HEADS, DistillLoss, KeptLogits, TeacherInputs, written_alone
from training.distill.teacher import (
    Teacher,
    load_teacher,
    teacher_checksums,
    teacher_data_config,
    teacher_identity,
)
from training.distill.transfer import check_shares, reading_masks, transfer_set
from training.fitting.inputs import Inputs, TrainingInputs, text_limit
from training.fitting.losses import GuidedLoss

_LOG = logging.getLogger(__name__)

FOLDER = "teacher-logits"
"""Beside the folders of runs, so that runs of one teacher and one transfer set share it."""

_VERSION = "2"
"""Version of how logits are computed: those of another are not reused."""

_TRANSFER_SEED = RunConfig().seed
_DOCUMENTS_AT_A_TIME = 256
_DOCUMENTS_A_LINE = 2_048
_CHARACTERS_PER_TOKEN = 12

HeadIds = Mapping[str, Sequence[str]]
"""Head of the student, "levels" or "assigned" -> concept id of each of its columns."""

Say = Callable[[str], None]

Pairs = dict[str, list[tuple[int, int]]]
"""Head -> column of the student's head, and of the teacher's label space."""


def check_teacher(config: RunConfig) -> None:
    """Refuse a teacher that is none, and a senseless transfer set, before anything is read.

    Raises:
        ConfigError: nothing in the named folder can teach, the student cannot be compared, teacher
            and student hold other parts of one corpus out, or the shares of masked and swapped
            words make no sense.
    """
    check_shares(config.distill)
    if not config.distill.teacher:
        return
    if config.network.kind == "sgm":
        raise ConfigError(
            "sgm generates labels one after another, so its probabilities cannot be compared with "
            "a teacher's: take another network.kind, or no distill.teacher."
        )
    teacher_identity(Path(config.distill.teacher))
    theirs, mine = teacher_data_config(Path(config.distill.teacher)), config.data
    if (theirs.format, theirs.task) == (mine.format, mine.task) and theirs.fold != mine.fold:
        raise ConfigError(
            f"{config.distill.teacher} was trained with data.fold = “{theirs.fold}” and would "
            f"teach a student of “{mine.fold}” the documents that it is judged on: name a "
            "teacher of the same fold."
        )


def other_data_warning(config: RunConfig, corpus: Corpus) -> str:
    """Return a warning where a teacher was trained on other files than its student, or "".

    That is allowed: a teacher may have learned more, or elsewhere. But what its student is judged
    on may be among it, and no figure shows that.
    """
    if not config.distill.teacher:
        return ""
    theirs = teacher_checksums(Path(config.distill.teacher))
    if not theirs or theirs == dict(corpus.sha256):
        return ""
    return (
        f"{config.distill.teacher} was trained on other files than {corpus.name}, as their "
        "checksums say: make sure that it has not learned the documents that its student is "
        "judged on."
    )


def learned_documents(
    documents: Sequence[LabelledDocument], config: RunConfig, tokenizer: Tokenizer
) -> tuple[Sequence[LabelledDocument], Tokenizer]:
    """Return the training documents or the transfer set, and the tokenizer that reads its masks.

    Raises:
        ConfigError: words are to be masked, and the tokenizer has no mask.
    """
    distill, reading = config.distill, config.reading
    if distill.copies == 1:
        return documents, tokenizer
    if has_masks(distill):
        tokenizer = reading_masks(tokenizer)
    read = [as_read(row, reading) for row in documents]
    limit = text_limit(reading)
    # The same for every seed of a run: reading it takes a teacher longer than training its student.
    return transfer_set(read, distill, seed=_TRANSFER_SEED, max_characters=limit), tokenizer


def has_masks(distill: DistillConfig) -> bool:
    """Return whether words of the transfer set are masked."""
    return distill.copies > 1 and distill.mask_share > 0


def as_read(row: LabelledDocument, reading: ReadingConfig) -> LabelledDocument:
    """Return the part of a document that its student reads, for the teacher to score no more.

    That is the title, or the first words of a text without one; other students see all of it.
    """
    if reading.mode != "windows" or reading.windows_per_document:
        return row
    first = row.document.text[: _CHARACTERS_PER_TOKEN * reading.max_title_tokens]
    return replace(row, document=Document(row.document_id, row.document.title or first, ()))


def with_teacher(
    train: TrainingInputs,
    loss: GuidedLoss,
    documents: Sequence[LabelledDocument],
    config: RunConfig,
    out: Path,
    heads: HeadIds,
    say: Say = _LOG.info,
) -> tuple[Inputs, GuidedLoss]:
    """Return inputs with the teacher's logits and a loss that reads them; unchanged without one.

    Args:
        documents: those of the inputs.
        out: folder of the run.
        say: is called with the progress of the teacher.
    Raises:
        ConfigError: teacher and student share no label, or differ in how many a document has.
    """
    if not config.distill.teacher:
        if config.distill.copies > 1:
            say("There is no distill.teacher: the transfer set is learned by its labels alone.")
        return train, loss
    logits = teacher_logits(documents, config, out, heads, say)
    term = distill_loss(replace(loss, extra=()), logits, heads, config.distill.weight)
    return TeacherInputs(train, logits), replace(loss, extra=(*loss.extra, term))


def teacher_logits(
    documents: Sequence[LabelledDocument],
    config: RunConfig,
    out: Path,
    heads: HeadIds,
    say: Say = _LOG.info,
) -> KeptLogits:
    """Return the teacher's logits of every document; those not stored yet are computed now.

    They are kept beside the folder of the run.

    Raises:
        ConfigError: teacher and student share no label, or differ in how many a document has.
    """
    read = [as_read(row, config.reading) for row in documents]
    folder = out.parent / FOLDER / _digest(config, heads, read)
    with PartialState().main_process_first():
        logits = KeptLogits(folder, len(read))
        return logits if logits.is_complete else _read_by_teacher(folder, read, config, heads, say)


def _read_by_teacher(
    folder: Path,
    documents: Sequence[LabelledDocument],
    config: RunConfig,
    heads: HeadIds,
    say: Say,
) -> KeptLogits:
    """Let the teacher read what is not stored yet, or wait for a run that does the same."""
    with written_alone(folder, say):
        logits = KeptLogits(folder, len(documents))
        if not logits.is_complete:
            masked = has_masks(config.distill)
            teacher = load_teacher(Path(config.distill.teacher), masked=masked)
            pairs = shared_labels(teacher, config.model.objective, heads)
            counts = [f"{len(of):,} of {len(heads[head]):,} {head}" for head, of in pairs.items()]
            say(f"{teacher.folder} teaches {' and '.join(counts)} labels of the student.")
            ask(teacher, logits, documents, pairs, say)
    return logits


def distill_loss(
    documents: GuidedLoss, logits: KeptLogits, heads: HeadIds, weight: float
) -> DistillLoss:
    """Return λ · KL over the stored columns.

    Args:
        documents: the loss of documents, without further terms.
        weight: λ.
    """
    levels, assigned = (logits.column_index(head, len(heads.get(head, ()))) for head in HEADS)
    return DistillLoss(documents, levels, assigned, weight)


def _digest(config: RunConfig, heads: HeadIds, documents: Sequence[LabelledDocument]) -> str:
    named = [(head, tuple(heads.get(head, ()))) for head in HEADS]
    identity = teacher_identity(Path(config.distill.teacher))
    digest = hashlib.sha256(repr((_VERSION, identity, config.model.objective, named)).encode())
    for row in documents:
        digest.update(repr((row.document.title, row.document.text)).encode())
    return digest.hexdigest()[:16]


def shared_labels(teacher: Teacher, objective: str, heads: HeadIds) -> Pairs:
    """Return pairs of columns of student heads and teacher's label space with the same label.

    Raises:
        ConfigError: there are none, or one of them is trained for one label a document alone.
    """
    if teacher.objective != objective:
        raise ConfigError(
            f"{teacher.folder} was trained for {teacher.objective}, and the student's "
            f"model.objective is {objective}: their probabilities cannot be compared."
        )
    pairs = {head: teacher.shared(head, heads.get(head, ())) for head in HEADS}
    if not any(pairs.values()):
        first = next((ids[0] for ids in heads.values() if ids), "")
        raise ConfigError(
            f"None of the student's labels, such as “{first}”, is a label that {teacher.folder} "
            "has learned for the same head: name a teacher of the same vocabulary in "
            "distill.teacher."
        )
    return {head: places for head, places in pairs.items() if places}


def ask(
    teacher: Teacher,
    logits: KeptLogits,
    documents: Sequence[LabelledDocument],
    pairs: Pairs,
    say: Say = _LOG.info,
) -> None:
    """Let the teacher read those documents that have no row yet."""
    if not logits.columns:
        logits.begin({head: [place for place, _ in places] for head, places in pairs.items()})
    own_columns = {head: [column for _, column in places] for head, places in pairs.items()}
    for start in range(logits.n_done, len(documents), _DOCUMENTS_AT_A_TIME):
        if start % _DOCUMENTS_A_LINE == 0:
            say(f"The teacher has read {start:,} of {len(documents):,} documents.")
        started = time.monotonic()
        scores = teacher.scores(documents[start : start + _DOCUMENTS_AT_A_TIME])
        minutes = (time.monotonic() - started) / 60
        rows = {head: teacher.logits(scores, head, own_columns[head]) for head in own_columns}
        logits.append(rows, minutes=minutes)
