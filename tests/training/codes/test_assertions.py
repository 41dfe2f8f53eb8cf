"""Learning what a line asserts of a condition, and how good what ships is on lines held out."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from core.clinical.asserting.network import RULES, AskedPlace, AssertionNetwork, shipped
from core.errors import ConfigError
from training.codes.assertion_lines import (
    DEVELOPMENT,
    HELD_OUT,
    MASK,
    NoteLine,
    apart,
    plain,
    read_lines,
    varied,
)
from training.codes.assertion_networks import (
    Batch,
    LineNetwork,
    read_embeddings,
    read_tokenizer,
    write_network,
)
from training.codes.assertions import caught_and_lost, fit_assertions, judged, report

REGULATIONS = [
    NoteLine.of(f"{words} regulation on the {topic}", at, at + len("regulation"), asserted)
    for topic in ("fish", "milk", "steel", "rail")
    for words, asserted in (
        ("no", "denied"),
        ("a", "affirmed"),
        ("never a", "denied"),
        ("the new", "affirmed"),
    )
    for at in [len(words) + 1]
]


def test_what_is_written_reads_as_what_was_trained(encoder: Path, tmp_path: Path) -> None:
    said: list[str] = []
    fit_assertions(REGULATIONS, REGULATIONS[:3], encoder, tmp_path / "network", say=said.append)
    assert len(said) == 17  # passes, and how good it is
    written = AssertionNetwork.load(tmp_path / "network")
    torch.manual_seed(0)
    tokenizer = read_tokenizer(encoder)
    network = LineNetwork(read_embeddings(encoder))
    losses = [line.partition("loss ")[2] for line in said[:-1]]
    assert float(losses[-1]) < float(losses[0])
    assert "rules" in judged(network, REGULATIONS, tokenizer)
    [opinion] = written(REGULATIONS[0].text, [AskedPlace(*REGULATIONS[0][1:3])])
    assert opinion.chances.sum() == pytest.approx(1.0, abs=1e-3)


def test_the_network_that_serves_computes_what_was_trained(encoder: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    tokenizer = read_tokenizer(encoder)
    network = LineNetwork(read_embeddings(encoder)).eval()
    write_network(network, tokenizer, tmp_path)
    served = AssertionNetwork.load(tmp_path)
    with torch.no_grad():
        trained = network(Batch.of(REGULATIONS, tokenizer)).softmax(1).numpy()
    for line, chances in zip(REGULATIONS, trained, strict=True):
        rule = ("", "negated")[line.rule]
        [opinion] = served(line.text, [AskedPlace(line.start, line.end, rule)])
        assert np.allclose(opinion.chances, chances, atol=0.02)


def test_a_variant_asserts_the_same_of_its_own_condition() -> None:
    line, others = REGULATIONS[0], REGULATIONS
    rng = random.Random(0)
    variants = [varied(line, others, rng) for _ in range(200)]
    conditions = {variant.condition for variant in variants}
    assert conditions == {"regulation", MASK}
    assert {variant.asserted for variant in variants} == {line.asserted}
    assert any("\n" in variant.text for variant in variants)
    assert all("no " in variant.text[: variant.start] for variant in variants)


def test_a_plain_line_affirms_what_it_names() -> None:
    rng = random.Random(0)
    lines = [plain(REGULATIONS, rng) for _ in range(100)]
    assert {line.condition for line in lines} == {"regulation"}
    assert {(line.asserted, line.rule) for line in lines} == {(0, 0)}
    assert any(line.text.startswith("Admitted with regulation") for line in lines)


def test_lines_of_one_sentence_stay_together() -> None:
    text = "No fever, cough, chills or sweats since the last visit; asthma is stable."
    lines = [NoteLine.of(text, at, at + 5, "denied") for at in range(3, 20)]
    learned, dev = apart(lines)
    assert not (learned and dev)


def test_a_report_counts_what_is_caught_and_lost() -> None:
    lines = [
        NoteLine.of("no gout", 3, 7, "denied"),
        NoteLine.of("gout", 0, 4, "affirmed"),
        NoteLine.of("ask of gout", 7, 11, "other"),
    ]
    chances = np.zeros((3, 5), np.float32)
    chances[:, 0] = 0.4, 0.2, 0.05
    text = report(chances, lines)
    assert "rules 50.0% caught, 0.0% lost" in text  # the first by "no"
    assert "below 0.5 100.0% caught, 100.0% lost" in text
    assert "below 0.1 100.0% caught, 0.0% lost" in text


@pytest.mark.parametrize(
    "row", ["development\taffirmed\tno condition", "development\tdoubted\t[[gout]]"]
)
def test_a_line_that_says_nothing_is_refused(row: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.tsv"
    path.write_text(f"half\tasserted\tline\n{row}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"lines\.tsv"):
        read_lines(DEVELOPMENT, path)


def test_of_lines_held_out_what_ships_catches_far_more_than_the_rules() -> None:
    lines = read_lines(HELD_OUT)
    places = [AskedPlace(line.start, line.end, RULES[line.rule]) for line in lines]
    pairs = zip(lines, places, strict=True)
    chances = np.array([next(shipped()(line.text, [place])).chances for line, place in pairs])
    caught_by_rules, _ = caught_and_lost(chances, lines, 0.0)
    caught, lost = caught_and_lost(chances, lines, 0.5)
    assert caught > 0.9 > caught_by_rules + 0.2
    assert lost < 0.12
