"""The walk from a CSV to a model, as the page describes it, with a tiny encoder."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from core.__main__ import main as core
from core.paths import PROJECT_ROOT
from tests.support.models.workshop import write_encoder
from training.__main__ import main as training

pytestmark = pytest.mark.usefixtures("single_thread")

HEADING = "## From your own CSV to a model"
TABLE = Path("docs/examples/patient-messages.csv")
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
PROGRAMS = {"training": training, "core": core}


def test_the_walk_through_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (PROJECT_ROOT / "docs" / "laboratory.md").read_text("utf-8")
    section = page.partition(HEADING)[2].partition("\n## ")[0]
    (config,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    (commands,) = re.findall(r"```\n(python .*?)```", section, re.DOTALL)
    (tmp_path / TABLE).parent.mkdir(parents=True)
    shutil.copy(PROJECT_ROOT / TABLE, tmp_path / TABLE)
    write_encoder(tmp_path / "encoder")
    # A reader runs them where the project is; everything that they write lies below.
    monkeypatch.chdir(tmp_path)
    # The tiny encoder has places for 64 tokens.
    short = "[reading]\nmax_length_tokens = 48\n"
    (tmp_path / "messages.toml").write_text(f"{config}\n{short}", "utf-8")

    lines = commands.splitlines()
    assert [line.split()[3] for line in lines][-2:] == ["bundle", "suggest"]
    for line in lines:
        program, *words = shlex.split(line.replace(ENCODER, "encoder"))[2:]
        assert PROGRAMS[program](words) == 0, line

    said = capsys.readouterr()
    assert "train 39, dev 9, test 12; 0 problems in the records" in said.err
    assert "| Arm      | Accuracy |" in said.out
    found = [json.loads(line) for line in (tmp_path / "messages.jsonl").read_text().splitlines()]
    assert len(found) == 60
    labels = {row["suggestions"][0]["concept_id"] for row in found}
    assert labels <= {"urgent", "medium", "non-urgent"}
