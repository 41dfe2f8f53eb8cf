"""Work that goes on where it was: jobs of a server that is killed, and trainings."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from core.review.jobs import SLICE_CHARACTERS, latest_job, start_job
from core.review.store.tables import prediction_run
from tests.support.models.workshop import make_workshop
from tests.support.waiting import wait_until
from tests.torture.deciding import kill_at_random
from tests.torture.harness import Run
from tests.torture.installation import Installation
from tests.torture.programs import TRAINING, Program

N_READ = 16  # documents of a job, two at a time
LONG_TEXT = "herring " * (SLICE_CHARACTERS // 16)
SECONDS_A_DOCUMENT = "0.05"
JOB_SECONDS = 60.0
SETTINGS = """epochs = 2
precision = "fp32"
"""


def predicting(run: Run) -> None:
    """Jobs go on after each kill, and each document has one prediction."""
    place = run.serve(STRATA_FAKE_SECONDS=SECONDS_A_DOCUMENT)
    wanted: list[str] = []
    for number in run.faults():
        if not wanted or is_over(place):
            fresh = [f"job-{number}-{n}" for n in range(N_READ)]
            wanted += fresh
            place.add(*fresh, text=LONG_TEXT)
            with closing(place.open()) as store:
                start_job(store, fresh, project_id=place.project_id)
        kill_at_random(run, place, longest_seconds=1.5)
    wait_until(lambda: is_over(place), JOB_SECONDS, "a job did not end")
    run.settle(place)
    with closing(place.open()) as store, store.read() as connection:
        runs = Counter(connection.scalars(select(prediction_run.c.document_id)))
    found = {document_id: runs[document_id] for document_id in wanted}
    wrong = {document_id: number for document_id, number in found.items() if number != 1}
    run.check(not wrong, f"predictions of documents: {wrong}")


def is_over(place: Installation) -> bool:
    with closing(place.open()) as store:
        found = latest_job(store, place.project_id)
    return found is not None and found.state == "finished" and not found.failures


# ---------------------------------------------------------------------- training


def training(run: Run) -> None:
    """A training that is killed again and again ends with the weights of one that was not."""
    folder = make_workshop(run.folder)
    config = folder / "run.toml"
    text = config.read_text().replace("epochs = 6\n", SETTINGS)
    config.write_text(
        text.replace('preset = "small"\n', 'preset = "small"\ncheckpoint_minutes = 0\n')
    )
    seconds = train(run, "train", str(config), "--out", str(folder / "whole"))
    out = folder / "killed"
    for _ in run.faults():
        begin = ["resume", str(out)]
        if not (out / "config.toml").exists():
            begin = ["train", str(config), "--out", str(out)]
        program = Program(TRAINING, *begin, log=folder / "train.log")
        if program.kill_after(run.rng.uniform(0.0, 1.1 * seconds)):
            run.count_fault()
        else:
            check_end(run, program, out)
    if out.exists():
        train(run, "resume", str(out))
        same_weights(run, out)


def train(run: Run, *arguments: str) -> float:
    """Train to the end, and return how long it took."""
    program = Program(TRAINING, *arguments, log=run.folder / "train.log")
    status = program.ended()
    run.check(status == 0, program.said())
    return time.monotonic() - program.started


def check_end(run: Run, program: Program, out: Path) -> None:
    """Look at a training that ended by itself, and make room for the next one."""
    run.check(program.status == 0, program.said())
    same_weights(run, out)
    shutil.rmtree(out)


def same_weights(run: Run, out: Path) -> None:
    whole, found = (path / "model.safetensors" for path in (run.folder / "whole", out))
    run.check(whole.read_bytes() == found.read_bytes(), "the weights differ")
