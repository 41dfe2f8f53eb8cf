"""Bundles that somebody made to do harm: refused with a sentence before they take memory or time."""

from __future__ import annotations

import gzip
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig

from core.clinical.ranking.phrases import FILE as PHRASES
from core.clinical.ranking.phrases import LearnedPhrases
from core.errors import BundleError, StrataError
from core.home import in_use
from core.model.bundle import hub, travelling
from core.model.bundle.bundle import load_bundle, rewrite_checksums
from core.model.bundle.cards import read_card
from core.model.bundle.compression import SCALE, check_settings, stored_shapes
from core.model.bundle.manifest import MANIFEST, read_manifest, write_json
from core.model.bundle.travelling import BEGINNING, REPLACED, clear_travelled, travelling_to
from core.model.guided import empty_encoder
from core.vocabulary import labels
from core.vocabulary.labels import LabelSpace
from tests.support.models.network_bundle import write_network_bundle
from tests.support.models.tiny_bundle import save_tiny, tiny_label_space, write_tiny_bundle
from tests.support.models.tiny_model import tiny_model

MOST_SECONDS, MOST_BYTES = 10.0, 300_000_000
WEIGHTS = "model-00001.safetensors"


def change(bundle: Path, part: str, name: str, value: object) -> None:
    """Change a setting of a manifest, which has no checksum."""
    manifest = read_manifest(bundle)
    manifest[part][name] = value
    write_json(bundle / MANIFEST, manifest)


def rewrite(bundle: Path, name: str, tensor: torch.Tensor) -> None:
    """Put a tensor in the place of another one, with checksums that fit."""
    tensors = load_file(bundle / WEIGHTS) | {name: tensor}
    save_file(tensors, bundle / WEIGHTS)
    rewrite_checksums(bundle)


def refused(bundle: Path) -> str:
    """Return the sentence with which a bundle is refused, soon and with little memory."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BundleError) as raised:
        load_bundle(bundle)
    assert time.monotonic() - began < MOST_SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MOST_BYTES
    return str(raised.value)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("encoder", "num_hidden_layers", 1_000_000),
        ("encoder", "num_hidden_layers", 200),
        ("encoder", "num_hidden_layers", 10**30),
        ("encoder", "hidden_size", 10_000_000),
        ("encoder", "hidden_size", 90_000),
        ("encoder", "intermediate_size", 10**9),
        ("encoder", "vocab_size", 2_000_000_000),
        ("encoder", "vocab_size", 99_999),
        ("encoder", "max_position_embeddings", 10**9),
        ("encoder", "num_labels", 10**9),
        ("encoder", "sizes", [3] * 10_000),
        ("encoder", "inside", {"n_layers": {"decoder_layers": 10**6}}),
        ("shape", "level_sizes", [10**9, 1, 1]),
        ("shape", "level_sizes", [90_000, 90_000, 90_000]),
        ("shape", "level_sizes", [1] * 100_000),
        ("shape", "n_assigned", 10**9),
        ("shape", "n_assigned", 99_999),
        ("shape", "n_label_embeddings", 10**9),
    ],
)
def test_sizes_that_the_weights_do_not_have_are_refused(
    tmp_path: Path, part: str, name: str, value: object
) -> None:
    write_tiny_bundle(tmp_path / "b")
    change(tmp_path / "b", part, name, value)
    assert "is damaged" in refused(tmp_path / "b")


@pytest.mark.parametrize("name", ["vocab_size", "vector_size", "hidden_units", "channels"])
def test_so_are_those_of_small_networks(tmp_path: Path, name: str) -> None:
    write_network_bundle(tmp_path / "b")
    assert load_bundle(tmp_path / "b").model is not None
    settings = read_manifest(tmp_path / "b")["encoder"]
    change(tmp_path / "b", "encoder", name, 10**9)
    assert f"encoder.{name} is 1000000000" in refused(tmp_path / "b")
    change(tmp_path / "b", "encoder", name, settings.get(name, 10))
    change(tmp_path / "b", "encoder", "widths", [3] * 100_000)
    assert "the number of layers in encoder.widths is 100000" in refused(tmp_path / "b")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("auto_map", {"AutoModel": "somebody/model--modeling.Model"}),
        ("quantization_config", {"quant_method": "bitsandbytes", "load_in_8bit": True}),
        ("attn_implementation", "somebody/kernel"),
        ("_attn_implementation", "somebody/kernel"),
        ("_attn_implementation_internal", "flash_attention_2"),
        ("experts_implementation", "somebody/kernel"),
        ("inside", {"decoder": [{"attn_implementation": "somebody/kernel"}]}),
    ],
)
def test_code_from_elsewhere_is_refused(tmp_path: Path, name: str, value: object) -> None:
    write_tiny_bundle(tmp_path / "b")
    change(tmp_path / "b", "encoder", "attn_implementation", None)
    assert load_bundle(tmp_path / "b").model is not None  # which names none
    change(tmp_path / "b", "encoder", name, value)
    assert "its settings name code that is not part of Strata" in refused(tmp_path / "b")


def test_nobody_is_asked_whether_code_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("somebody was asked"))
    config = AutoConfig.for_model(
        "encoder-decoder", encoder={"model_type": "bert"}, decoder={"model_type": "bert"}
    )
    config.auto_map = {"AutoModel": "somebody/model--modeling.Model"}
    with pytest.raises(ValueError, match="custom code"):
        empty_encoder(config)


def test_a_network_of_a_package_that_is_not_installed_is_refused(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    change(tmp_path / "b", "encoder", "architecture", "resnet18")
    change(tmp_path / "b", "encoder", "model_type", "timm_wrapper")
    assert "is damaged: ImportError" in refused(tmp_path / "b")


def test_a_bundle_is_written_without_the_code_that_its_encoder_came_with(tmp_path: Path) -> None:
    model, space = tiny_model(), tiny_label_space()
    model.encoder.config.auto_map = {"AutoModel": "somebody/model--modeling.Model"}
    save_tiny(tmp_path / "b", model, space)
    assert "auto_map" not in read_manifest(tmp_path / "b")["encoder"]


def test_a_scale_of_another_length_does_not_blow_a_table_up(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    shapes = stored_shapes([tmp_path / "b" / WEIGHTS])
    scale = next(name for name in shapes if name.endswith(SCALE))
    rewrite(tmp_path / "b", scale, torch.ones(5_000_000))
    assert f"{scale} has the shape (5000000,)" in refused(tmp_path / "b")


def test_weights_that_the_network_does_not_have_or_lacks_are_named(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    rewrite(tmp_path / "b", "more.weight", torch.ones(3))
    assert "its weights have more.weight, which its network does not have" in refused(
        tmp_path / "b"
    )
    tensors = load_file(tmp_path / "b" / WEIGHTS)
    del tensors["more.weight"], tensors["assigned_head.bias"]
    save_file(tensors, tmp_path / "b" / WEIGHTS)
    rewrite_checksums(tmp_path / "b")
    assert "its weights lack assigned_head.bias" in refused(tmp_path / "b")


def test_a_dimension_without_a_number_in_it_allows_nothing() -> None:
    with pytest.raises(ValueError, match="vocab_size is 1000000000"):
        check_settings({"vocab_size": 10**9}, {"a": (0, 10**9), "b": (3, 200_000)})
    check_settings({"vocab_size": 200_000, "is_decoder": True}, {"b": (3, 200_000)})


def test_a_manifest_of_more_than_some_megabytes_is_not_read(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    change(tmp_path / "b", "reading", "notes", "x" * 6_000_000)
    assert "bundle.json has more than 5 MB" in refused(tmp_path / "b")
    assert "bundle.json has more than 5 MB" in str(read_card(tmp_path / "b").problem)
    with pytest.raises(BundleError, match=r"bundle\.json .* is larger than it should be"):
        hub.pull(str(tmp_path / "b"), tmp_path / "got")


@pytest.mark.parametrize(
    "name",
    ["model-00009.safetensors", "codes.json", "label_space.jsonl.gz", "familiar.safetensors"],
)
def test_a_file_that_the_manifest_does_not_name_is_not_read(tmp_path: Path, name: str) -> None:
    write_tiny_bundle(tmp_path / "b")
    save_file({"assigned_head.bias": torch.zeros(3)}, tmp_path / "b" / name)
    assert f"{name} is in it, and bundle.json does not name it" in refused(tmp_path / "b")
    (tmp_path / "b" / name).unlink()
    hub.push(tmp_path / "b", str(tmp_path / "stick"))
    (tmp_path / "stick" / name).write_bytes(b"?")
    hub.pull(str(tmp_path / "stick"), tmp_path / "got")
    assert not (tmp_path / "got" / name).exists()


def test_notes_and_figures_may_stand_beside(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    (tmp_path / "b" / "notes.txt").write_text("of somebody")
    (tmp_path / "b" / "insights").mkdir()
    assert load_bundle(tmp_path / "b").name == "tiny"


def hard(target: Path, file: Path) -> None:
    os.link(target, file)


def soft(target: Path, file: Path) -> None:
    file.symlink_to(target)


@pytest.mark.parametrize("link", [hard, soft])
@pytest.mark.parametrize("name", ["calibration.json", WEIGHTS, "README.md"])
def test_links_are_not_followed(
    tmp_path: Path, link: Callable[[Path, Path], None], name: str
) -> None:
    write_tiny_bundle(tmp_path / "b")
    hub.push(tmp_path / "b", str(tmp_path / "stick"))
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "stick" / name).rename(elsewhere)
    link(elsewhere, tmp_path / "stick" / name)
    with pytest.raises(BundleError, match=f"{name} of the bundle in .* is a link"):
        hub.pull(str(tmp_path / "stick"), tmp_path / "got")
    assert not list(tmp_path.glob("*got*"))
    if link is soft and name != "README.md":
        assert f"{name} is a link that leads out of it" in refused(tmp_path / "stick")


def test_a_link_in_the_place_of_the_manifest_or_of_shared_parts_is_none(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    hub.push(tmp_path / "b", str(tmp_path / "stick"))
    (tmp_path / "stick" / MANIFEST).rename(tmp_path / "m")
    soft(tmp_path / "m", tmp_path / "stick" / MANIFEST)
    with pytest.raises(BundleError, match=r"bundle\.json .* is a link"):
        hub.pull(str(tmp_path / "stick"), tmp_path / "got")


def test_labels_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "MOST_UNPACKED_BYTES", 1_000_000)
    tiny_label_space().save(tmp_path / "l.jsonl.gz")
    assert len(LabelSpace.load(tmp_path / "l.jsonl")) > 3
    (tmp_path / "l.jsonl.gz").write_bytes(gzip.compress(b" " * 40_000_000))
    with pytest.raises(StrataError, match="unpacks to more than 1 MB"):
        LabelSpace.load(tmp_path / "l.jsonl")


def test_phrases_that_begin_nowhere_are_refused(tmp_path: Path) -> None:
    def written(**changed: torch.Tensor) -> None:
        tensors: dict[str, Any] = {
            "phrases": torch.tensor([1, 2], dtype=torch.uint32),
            "starts": torch.tensor([0, 1, 2], dtype=torch.int32),
            "columns": torch.tensor([0, 0], dtype=torch.uint16),
            "shares": torch.ones(2, dtype=torch.float16),
        }
        save_file(tensors | changed, tmp_path / PHRASES, metadata={"codes": json.dumps(["I10"])})

    written()
    assert LearnedPhrases.load(tmp_path).codes == ("I10",)
    for starts in ([0, 2_000_000_000, 2], [0, 1, 2_000_000_000], [1, 1, 2], [0, 2]):
        written(starts=torch.tensor(starts, dtype=torch.int32))
        with pytest.raises(BundleError, match=r"code_phrases.safetensors is damaged"):
            LearnedPhrases.load(tmp_path)
    written(columns=torch.tensor([0, 7], dtype=torch.uint16))
    with pytest.raises(BundleError, match="it names codes that are not there"):
        LearnedPhrases.load(tmp_path)


def test_what_a_killed_pull_left_is_cleared_and_the_old_bundle_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    write_tiny_bundle(models / "mine")
    identity = load_bundle(models / "mine").sha256
    killed = models / f"{BEGINNING}1"
    (killed / REPLACED).mkdir(parents=True)
    with in_use(killed):
        (models / "mine").rename(killed / REPLACED / "mine")
        assert clear_travelled(models) == [], "somebody works there"
    fresh = models / f"{BEGINNING}2"
    fresh.mkdir()
    assert clear_travelled(models) == [killed]
    assert load_bundle(models / "mine").sha256 == identity
    assert fresh.is_dir(), "it may have begun just now"
    monkeypatch.setattr(travelling, "DAY_SECONDS", -1.0)
    with travelling_to(models / "other") as folder:
        assert [path.name for path in models.glob(f"{BEGINNING}*")] == [folder.name]
    assert [path.name for path in models.iterdir()] == ["mine"]


def test_a_bundle_that_takes_the_place_of_another_leaves_nothing(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "b")
    write_tiny_bundle(tmp_path / "c", seed=2)
    for name in ("b", "c"):
        hub.push(tmp_path / name, str(tmp_path / "place" / "stick"))
        hub.pull(str(tmp_path / "place" / "stick"), tmp_path / "models" / "got")
    assert load_bundle(tmp_path / "models" / "got").sha256 == load_bundle(tmp_path / "c").sha256
    left = {path.name for at in ("place", "models") for path in (tmp_path / at).iterdir()}
    assert left == {"stick", "shared", "got"}
    pushed = {path.name for path in (tmp_path / "place" / "stick").iterdir()}
    assert pushed == {"README.md", MANIFEST, *read_manifest(tmp_path / "c")["files"]}
