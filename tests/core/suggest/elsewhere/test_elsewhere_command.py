"""`core suggest` in a project that asks a suggester elsewhere: it asks as well, and says so."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.review.store.projects import keep_elsewhere, make_project
from core.review.store.store import Store
from core.settings import Settings
from core.suggest.elsewhere.choice import ANNIF, SuggesterElsewhere
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.garden import garden
from tests.support.suggester_host import SuggesterHost


@pytest.mark.parametrize("output", ["-", "parts/"])
def test_the_command_asks_as_the_project_does_or_says_that_it_does_not(
    output: str,
    host: SuggesterHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("STRATA_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    hierarchy = garden()
    keep(VocabularyVersions(home), hierarchy, file_name="g.ttl", sha256="0" * 64, report={})
    store = Store.open(f"sqlite:///{home}/strata.sqlite")
    project = make_project(store, "Allotment", "garden")
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    keep_elsewhere(store, project.project_id, chosen)
    store.close()
    host.results = [{"uri": hierarchy["snail"].uri, "score": 0.9}]
    (tmp_path / "note.txt").write_text("A rake for the neighbours", "utf-8")

    def suggested() -> tuple[dict[str, float], str]:
        words = ["--project", "Allotment", "--input", "note.txt", "--output", output]
        assert main(["suggest", *words]) == 0
        said = capsys.readouterr()
        written = said.out
        for part in (tmp_path / "parts").rglob("*.jsonl"):
            written = part.read_text("utf-8")
        shutil.rmtree(tmp_path / "parts", ignore_errors=True)
        (line,) = map(json.loads, written.splitlines())
        return {row["concept_id"]: row["probability"] for row in line["suggestions"]}, said.err

    alone, said = suggested()
    assert f"tiny-en at {host.name} is not asked: STRATA_SUGGESTERS lists no host." in said
    assert "snail" not in alone and host.asked == []
    allowed = replace(
        Settings.from_env(), suggester_hosts=(host.name,), fetches_loopback=True
    )  # which no variable allows
    monkeypatch.setattr(Settings, "from_env", lambda: allowed)
    (tmp_path / "note.txt").write_text("A rake for the neighbours next door", "utf-8")
    both, said = suggested()
    assert f"tiny-en at {host.name} is asked as well" in said and "texts of documents" in said
    assert both["snail"] == pytest.approx(0.45)
    assert len(host.asked) == 1
