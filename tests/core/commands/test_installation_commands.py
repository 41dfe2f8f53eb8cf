"""`python -m core backup`, `restore`, `migrate` and `--version`."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import __version__
from core.__main__ import main
from core.review.decisions.recording import Operation
from core.review.store.store import Store
from tests.support.stores import send, states


def decided(url: str) -> dict[str, str]:
    store = Store.open(url)
    found = states(store)
    store.close()
    return found


def test_what_was_backed_up_is_restored(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, url = installed / "kept.zip", f"sqlite:///{installed}/strata.sqlite"
    assert main(["backup", str(file)]) == 0
    assert "2 documents, 1 decision steps" in capsys.readouterr().out
    assert file.stat().st_mode & 0o077 == 0
    store = Store.open(url)
    send(store, Operation(2, "reject", "c1"))
    store.close()
    assert main(["restore", str(file)]) == 0
    assert "What was here before lies in" in capsys.readouterr().out
    assert decided(url) == {"c1": "accepted"}
    assert main(["backup", str(file)]) == 1
    assert "already; name another one" in capsys.readouterr().err


def test_a_restore_that_is_refused_says_so_in_a_sentence(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (installed / "letter.zip").write_text("Dear aunt", "utf-8")
    assert main(["restore", str(installed / "letter.zip")]) == 1
    assert "no backup of Strata" in capsys.readouterr().err
    assert main(["restore", str(installed / "nowhere.zip")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_database_is_copied_and_compared(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urls = [f"sqlite:///{installed}/{name}.sqlite" for name in ("strata", "moved")]
    assert main(["migrate", *urls]) == 0
    said = capsys.readouterr().out
    assert "decision_event" in said and "Both databases hold the same." in said
    assert decided(urls[1]) == {"c1": "accepted"}
    assert main(["migrate", *urls]) == 1
    assert "is not empty" in capsys.readouterr().err
    misspelt, new = (f"sqlite:///{installed}/{name}.sqlite" for name in ("starta", "new"))
    assert main(["migrate", misspelt, new]) == 1
    assert "holds nothing" in capsys.readouterr().err


def test_the_version_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"Strata {__version__}\n"
