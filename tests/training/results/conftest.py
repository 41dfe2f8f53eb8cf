"""Rows of the paper's models."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.files.timing_files import write_rows
from training.judging.finished import finished_rows
from training.judging.folders import NOTHING_NAMED
from training.results.docbert_table import RowsBySplit

FACTS = {
    "lstm_reg": {
        "setup": {"network": "lstm_reg", "vectors": "random", "epochs": 30.0},
        "epochs": 12.0,
        "minutes": 8.5,
    },
    "docbert": {
        "setup": {"encoder": "all-MiniLM-L6-v2", "max_length_tokens": 256, "epochs": 30.0},
        "epochs": 7.25,
        "capped": True,
    },
    "han": {"setup": {"network": "han", "vectors": "random", "epochs": 30.0}},
}


@pytest.fixture
def docbert_rows(tmp_path: Path) -> RowsBySplit:
    for split in ("dev", "test"):
        write_rows(tmp_path, split, **FACTS)
    return {split: finished_rows([tmp_path], split, NOTHING_NAMED) for split in ("dev", "test")}
