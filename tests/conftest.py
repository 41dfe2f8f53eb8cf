"""Where tests find real data and a browser, and what they do without them."""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.paths import PROJECT_ROOT
from core.vocabulary.skos.reader import SkosReading, read_skos
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support import processes
from tests.support.browser.chromium import NO_BROWSER, find_chromium
from tests.support.files.skos_files import PREFIXES
from tests.support.shared_memory import SHARED_MEMORY, has_room

# `store` and `url`: an empty store, and its address; `on_both` and `new_postgres`: on a server too.
pytest_plugins = ("tests.support.postgres", "tests.support.stores")

# What is imported stays: looking for garbage in it takes a quarter of the time of collecting tests,
# and a third of that of tests which open servers.
gc.disable()
# Workers share the processors; more threads than these wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a processor computes fastest in is no matter of the tests, nor of what they start; those of
# bf16 name it. Set to bf16 to run all of them in it.
os.environ.setdefault("STRATA_PRECISION", "fp32")
os.environ.setdefault("STRATA_BACKEND", "torch")
# Stores wait for the disk at each commit. Where there is room, what tests write stays in memory: a
# process that is killed loses as little there as on a disk.
if "TMPDIR" not in os.environ and has_room(6 * 2**30):
    os.environ["TMPDIR"] = str(SHARED_MEMORY)
    tempfile.tempdir = None  # is found anew


class _LoggersByName(dict[str, Any]):
    """Loggers that can be gone through while another thread makes one."""

    def values(self) -> Any:
        return list(super().values())


# pytest goes through all loggers at each step of a test, and threads of servers import modules.
logging.root.manager.loggerDict = _LoggersByName(logging.root.manager.loggerDict)


def pytest_configure(config: pytest.Config) -> None:
    """Start the process from which all workers of this run have servers and calls forked."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        os.environ[processes.ADDRESS] = processes.start()


def pytest_report_header() -> str:
    """Say at the top whether browser tests can run."""
    return f"browser tests: {find_chromium(headless=True) or NO_BROWSER}"


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name packed files by their argument: they hold the time, so each process would name its own."""
    packed = isinstance(val, bytes) and val.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b"))
    return argname if packed else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip browser tests without Chromium, or stop where STRATA_REQUIRE_BROWSER=1 wants them.

    They come first, and the small files of `core` last: a worker that got a long file at the end
    would keep the others waiting. A browser test that fails is tried once more, and listed as such:
    on a busy machine the browser itself loses a click now and then, or is looked at before it has
    drawn. What fails twice has failed.
    """
    in_browser = [item for item in items if item.get_closest_marker("browser")]
    items.sort(key=_turn)
    for item in in_browser:
        item.add_marker(pytest.mark.flaky(reruns=1))
    if not in_browser or find_chromium(headless=True):
        return
    if os.environ.get("STRATA_REQUIRE_BROWSER") == "1":
        raise pytest.UsageError(f"STRATA_REQUIRE_BROWSER=1, but {NO_BROWSER}")
    for item in in_browser:
        item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


def _turn(item: pytest.Item) -> tuple[bool, bool]:
    """Of a file among all: browsers, then training, servers and commands, then the small ones."""
    return item.get_closest_marker("browser") is None, item.nodeid.startswith("tests/core/")


def pytest_collection_finish() -> None:
    """Keep what was imported from the garbage collector, which begins to work here.

    It looks for garbage seldom: much is imported later, by the tests that need it, and would be
    looked through again and again.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@pytest.fixture(autouse=True)
def _small_numbers_are_kept() -> Iterator[None]:
    """Training in this process takes numbers below 1e-38 for 0; the tests after it do not."""
    yield
    if torch := sys.modules.get("torch"):
        torch.set_flush_denormal(False)


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The browser's executable, for Playwright's `launch(executable_path=...)`."""
    found = find_chromium(headless=True)
    if found is None:
        pytest.skip(NO_BROWSER)
    return found


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real acts and vocabularies, which are no part of the project."""
    folder = Path(os.environ.get("STRATA_DATA") or PROJECT_ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"real data is not at {folder}; STRATA_DATA names another place")
    return folder


@pytest.fixture(scope="session")
def icd10cm_versions(tmp_path_factory: pytest.TempPathFactory) -> VocabularyVersions:
    """ICD-10-CM as it is kept, with its index; all processes of a run share it, and only read it."""
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "icd10cm"
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # reading it takes seconds: the others wait for the first
        keep_built_in(VocabularyVersions(home), "icd10cm")
    return VocabularyVersions(home)


@pytest.fixture
def read_turtle(tmp_path: Path) -> Callable[[str], SkosReading]:
    """Reads the statements of a SKOS file that needs no prefixes of its own."""

    def read(body: str) -> SkosReading:
        path = tmp_path / "pets.ttl"
        path.write_text(PREFIXES + body, "utf-8")
        return read_skos(path)

    return read


@pytest.fixture(scope="session")
def single_thread() -> None:
    """Keep torch to one thread: tiny models are slower, and differ in the last digit, with more."""
    import torch

    torch.set_num_threads(1)
