"""Windows in which texts are scored: wider than those of training, where the encoder reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from core.suggest.windows import DocumentReader, JoinRule
from tests.support.labelled import act
from tests.support.models.network_workshop import network_config
from training.config import ReadingConfig, RunConfig, load_config
from training.fitting.inputs import serving_reading
from training.fitting.run import Run

LONG = act("long", title="fish quota bay", text="honey label animal railway ticket price " * 40)


def test_a_long_text_is_scored_in_windows_that_the_encoder_has_positions_for(
    workshop: Path,
) -> None:
    run = Run(load_config(workshop / "run.toml"), workshop / "untrained")
    windows = DocumentReader(run.tokenizer, run.serving_reading).read(LONG.document).windows
    assert max(map(len, windows)) == 64, "the encoder of the workshop has 64 positions"
    scores = run.scores(run.new_model(), [LONG], JoinRule())
    assert scores.assigned is not None
    assert np.isfinite(scores.assigned[:, run.assigned_columns]).all()


@pytest.mark.parametrize(
    ("reading", "longest", "expected"),
    [
        (ReadingConfig(mode="windows", max_length_tokens=160), 512, (256, 16)),
        (ReadingConfig(mode="windows", max_length_tokens=160), None, (256, 16)),
        (ReadingConfig(mode="windows", max_length_tokens=160), 200, (200, 16)),
        (ReadingConfig(mode="windows", max_length_tokens=160), 160, (160, 32)),
        # Of the 13 pieces beside a whole title, two neighbours share three.
        (ReadingConfig(mode="windows", max_length_tokens=60), 64, (64, 3)),
        (ReadingConfig(mode="windows", max_length_tokens=384), 512, (384, 32)),
        (ReadingConfig(mode="first", max_length_tokens=64), 512, (64, 32)),
    ],
)
def test_scored_windows_are_as_wide_as_both_allow(
    reading: ReadingConfig, longest: int | None, expected: tuple[int, int]
) -> None:
    served = serving_reading(reading, longest)
    assert (served.window_tokens, served.overlap_tokens) == expected


def test_a_network_reads_windows_of_any_length(workshop: Path) -> None:
    config = network_config(workshop, reading__mode="windows", reading__title_tokens=6)
    run = Run(config, workshop / "network")
    assert run.serving_reading.window_tokens == 256


def test_a_title_that_leaves_a_window_no_room_for_the_text_is_refused(
    config_without_corpus: RunConfig, tmp_path: Path
) -> None:
    crowded = config_without_corpus.replace("reading.title_tokens", 21)
    with pytest.raises(ConfigError, match=r"title_tokens = 21 leaves .* set it to 20 or less"):
        Run(crowded, tmp_path)
