"""Models in a process of their own: the same answers, and nothing lost when it dies."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import BundleError, ModelStoppedError, VocabularyError
from core.paths import PROJECT_ROOT
from core.suggest.protocol import Explainer
from core.suggest.remote.process import ModelProcess
from core.suggest.remote.suggester import RemoteExplainer, load_remote
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.models.remote_worker import FATAL, FATAL_ONCE, FOREIGN, MODULE
from tests.support.waiting import wait_until

ACT = Document.from_text("act", "Quota for herring", "Honey, herring and a railway. " * 3)
LONG = 60.0  # seconds; only a failure waits so long


def is_running(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def pid_of(process: ModelProcess) -> int:
    return process.running().process.pid


def test_what_the_other_process_finds_is_what_is_found_here(remote: RemoteExplainer) -> None:
    here = FakePredictor(hierarchy())
    assert (remote.name, remote.bundle_hash) == (here.name, here.bundle_hash)
    assert remote.number_format == here.number_format
    assert remote.suggest(ACT, limit=5) == here.suggest(ACT, limit=5)
    documents = [replace(ACT, document_id=str(number)) for number in range(70)]
    assert list(remote.suggest_batch(documents, threshold=0.5)) == list(
        here.suggest_batch(documents, threshold=0.5)
    )
    there, own = remote.explain(ACT), here.explain(ACT)
    assert there.evidence(["101", "102", "d1"]) == own.evidence(["101", "102", "d1"])
    spans = own.evidence(["101"])["101"].passages[0].spans
    assert there.without("101", spans) == own.without("101", spans)


def test_progress_is_reported_between_parts(remote: RemoteExplainer) -> None:
    reported: list[tuple[int, int]] = []
    remote.suggest(ACT, on_progress=lambda done, total: reported.append((done, total)))
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_who_stops_a_reading_leaves_the_process_to_others(
    process: ModelProcess, remote: RemoteExplainer
) -> None:
    before = pid_of(process)

    def stop(done: int, _total: int) -> None:
        raise KeyError(done)

    with pytest.raises(KeyError):
        remote.suggest(ACT, on_progress=stop)
    assert remote.suggest(ACT).suggestions
    assert pid_of(process) == before


def test_errors_are_those_that_are_raised_there(
    process: ModelProcess, remote: RemoteExplainer, tmp_path: Path
) -> None:
    with pytest.raises(VocabularyError, match="There is no 999"):
        remote.explain(ACT).without("999", [])
    with pytest.raises(BundleError, match="damaged is damaged"):
        load_remote(process, tmp_path / "damaged")
    with pytest.raises(RuntimeError, match="ForeignError: strange"):
        remote.suggest(replace(ACT, document_id=FOREIGN))


def test_what_cannot_explain_itself_there_cannot_here(
    process: ModelProcess, tmp_path: Path
) -> None:
    empty = load_remote(process, tmp_path / "empty")
    assert not isinstance(empty, Explainer)
    assert empty.members == ()


def test_a_text_is_read_once_more_when_the_process_has_ended(remote: RemoteExplainer) -> None:
    assert remote.suggest(replace(ACT, document_id=FATAL_ONCE)).suggestions
    with pytest.raises(ModelStoppedError):
        remote.suggest(replace(ACT, document_id=FATAL))


def test_a_killed_process_is_started_again_with_its_model(
    process: ModelProcess, remote: RemoteExplainer
) -> None:
    explanation = remote.explain(ACT)
    run = process.running()
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait(LONG)
    assert run.over.wait(LONG)
    assert explanation.evidence(["101"])["101"].passages
    assert pid_of(process) != run.process.pid


def test_another_bundle_in_the_same_place_is_not_taken_for_the_first(
    process: ModelProcess, remote: RemoteExplainer, bundle: Path
) -> None:
    (bundle / "version").write_text("2")
    with pytest.raises(BundleError, match="was changed"):
        remote.suggest(replace(ACT, document_id=FATAL))
    with pytest.raises(BundleError, match="was changed"):
        remote.suggest(ACT)
    assert load_remote(process, bundle).bundle_hash == "fake-2"


def test_a_model_that_nobody_holds_is_let_go_there(
    process: ModelProcess, remote: RemoteExplainer, bundle: Path
) -> None:
    other = load_remote(process, bundle)
    key = other.model._key
    del other
    gc.collect()
    with pytest.raises(KeyError):
        process.running().call("vector", key, "", "")


def test_the_process_ends_with_the_server_however_that_ends() -> None:
    code = (
        "import os, sys\n"
        "from core.suggest.remote.process import ModelProcess\n"
        f"process = ModelProcess({MODULE!r})\n"
        "print(process.running().process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    server.wait(LONG)
    server.stdout.close()
    wait_until(lambda: not is_running(pid), LONG)
