"""Bundles: what is written is read, and what is missing or damaged is said in a sentence."""

import json

import pytest
import torch

from core.errors import BundleError
from core.model.bundle.bundle import load_bundle, rewrite_checksums, save_bundle
from core.model.bundle.compression import SCALE, compress, decompress, shards
from core.model.bundle.manifest import record_metrics
from tests.support.models.tiny_bundle import write_tiny_bundle


def test_a_saved_bundle_loads_with_the_same_answers(tmp_path, bundle_dir):
    first = load_bundle(bundle_dir)
    save_bundle(
        tmp_path / "again",
        model=first.model,
        tokenizer=first.tokenizer,
        label_space=first.label_space,
        calibration=first.calibration,
        facts={k: first.manifest[k] for k in ("name", "reading", "join")},
    )
    second = load_bundle(tmp_path / "again")
    ids = torch.tensor([[2, 9, 10, 11, 3]])
    with torch.inference_mode():
        a, b = (x.model(ids, torch.ones_like(ids)) for x in (first, second))
    torch.testing.assert_close(a.levels, b.levels, atol=2e-2, rtol=1e-2)
    torch.testing.assert_close(a.assigned, b.assigned, atol=2e-2, rtol=1e-2)
    assert first.label_space.concept_ids == second.label_space.concept_ids
    assert first.tokenizer.encode("fish quota").ids == second.tokenizer.encode("fish quota").ids


def test_no_file_of_a_bundle_is_a_pickle_and_every_one_is_checked(bundle_dir):
    manifest = json.loads((bundle_dir / "bundle.json").read_text())
    names = {p.name for p in bundle_dir.iterdir()} - {"bundle.json"}
    assert names == set(manifest["files"])
    assert {p.suffix for p in bundle_dir.iterdir()} == {".json", ".jsonl", ".safetensors"}


@pytest.mark.parametrize(
    "name", ["model-00001.safetensors", "tokenizer.json", "label_space.jsonl", "calibration.json"]
)
def test_a_changed_or_missing_file_is_named(bundle_dir, name):
    path = bundle_dir / name
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b" ")
    with pytest.raises(BundleError, match=name):
        load_bundle(bundle_dir)
    path.unlink()
    with pytest.raises(BundleError, match=f"{name} is missing"):
        load_bundle(bundle_dir)


def test_no_bundle_another_format_and_a_broken_manifest_are_refused(tmp_path, bundle_dir):
    with pytest.raises(BundleError, match="no model bundle"):
        load_bundle(tmp_path / "nowhere")
    manifest = bundle_dir / "bundle.json"
    data = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**data, "format_version": 99}))
    with pytest.raises(BundleError, match="format 99"):
        load_bundle(bundle_dir)
    manifest.write_text("{")
    with pytest.raises(BundleError, match="cannot be read"):
        load_bundle(bundle_dir)


def test_weights_of_another_shape_are_refused_although_their_checksums_are_right(bundle_dir):
    data = json.loads((bundle_dir / "bundle.json").read_text())
    data["shape"]["n_assigned"] += 1
    (bundle_dir / "bundle.json").write_text(json.dumps(data))
    rewrite_checksums(bundle_dir)
    with pytest.raises(BundleError, match="damaged"):
        load_bundle(bundle_dir)


def test_int8_rows_differ_by_at_most_half_a_step():
    torch.manual_seed(0)
    table = torch.randn(50, 16) * torch.logspace(-3, 2, 50)[:, None]
    stored = compress({"table": table, "bias": torch.ones(3)}, int8=("table",))
    assert stored["table"].dtype == torch.int8
    back = decompress(stored)
    step = stored["table" + SCALE][:, None]
    assert ((back["table"] - table).abs() <= step / 2 + 1e-6).all()
    torch.testing.assert_close(back["bias"], torch.ones(3))


def test_shards_keep_order_and_size():
    tensors = {str(i): torch.zeros(10, dtype=torch.float32) for i in range(7)}
    groups = list(shards(tensors, max_bytes=100))
    assert [name for group in groups for name in group] == list(tensors)
    assert [len(group) for group in groups] == [2, 2, 2, 1]


def test_figures_measured_later_leave_it_the_same_bundle(bundle_dir):
    before = load_bundle(bundle_dir).sha256
    record_metrics(bundle_dir, {"test": {"ndcg@5": 0.5}})
    record_metrics(bundle_dir, {"dev": {"ndcg@5": 0.6}})
    after = load_bundle(bundle_dir)
    assert after.sha256 == before
    assert after.manifest["metrics"] == {"test": {"ndcg@5": 0.5}, "dev": {"ndcg@5": 0.6}}


def test_a_new_bundle_takes_no_figures_of_the_one_it_replaces(bundle_dir):
    (bundle_dir / "insights").mkdir()
    (bundle_dir / "insights" / "insights-dev.json").write_text("{}")
    write_tiny_bundle(bundle_dir, seed=2)
    assert not (bundle_dir / "insights").exists()


def test_a_damaged_tokenizer_with_right_checksums_is_said(tmp_path):
    bundle = tmp_path / "bundle"
    write_tiny_bundle(bundle)
    (bundle / "tokenizer.json").write_text('{"version": "1.0", "model": {"type": "none"}}')
    rewrite_checksums(bundle)
    with pytest.raises(BundleError, match="is no tokenizer"):
        load_bundle(bundle)
