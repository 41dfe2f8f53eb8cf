"""Word vectors of a student from its teacher's encoder."""

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.models.network_workshop import network_config
from tests.support.models.workshop import make_workshop
from training.fitting.encoders.networks import SPECIAL
from training.fitting.encoders.word_vectors import principal_components
from training.fitting.run import Run, load_tokenizer


def test_the_first_components_keep_what_varies_most():
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(50, 2)) @ rng.normal(size=(2, 6))
    vectors = (3.0 + plane + 1e-3 * rng.normal(size=(50, 6))).astype(np.float32)
    small = principal_components(vectors, 2)
    assert small.shape == (50, 2)
    assert small.std() == pytest.approx(0.25 / np.sqrt(3), rel=1e-3)
    # Distances are those of the plane, all scaled alike.
    before = np.linalg.norm(vectors[:, None] - vectors, axis=-1)[np.triu_indices(50, 1)]
    after = np.linalg.norm(small[:, None] - small, axis=-1)[np.triu_indices(50, 1)]
    assert np.ptp(after / before) < 0.01 * (after / before).mean()


def test_more_units_than_the_encoder_has_are_refused():
    with pytest.raises(ConfigError, match="have 6 units"):
        principal_components(np.ones((9, 6), dtype=np.float32), 7)


def test_a_student_takes_them_for_its_words(tmp_path):
    from training.__main__ import main

    shop = make_workshop(tmp_path)
    network_config(shop)  # writes network.toml
    text = (shop / "network.toml").read_text().replace("vector_size = 16", "vector_size = 8")
    (shop / "network.toml").write_text(text)
    out = tmp_path / "vectors" / "small.txt"
    encoder = str(shop / "encoder")
    options = [str(shop / "network.toml"), "--encoder", encoder, "--out", str(out)]
    assert main(["encoder", "vectors", *options]) == 0
    lines = dict(line.split(" ", 1) for line in out.read_text().splitlines())
    run = Run(network_config(shop, network__vectors=str(out)), tmp_path / "run")
    words = run.tokenizer.get_vocab()
    assert set(lines) == words.keys() - set(SPECIAL)
    vectors = run.new_model().state_dict()["encoder.embeddings.word_embeddings.weight"]
    assert vectors.shape == (len(words), 8)
    honey = np.array(lines["honey"].split(), dtype=np.float32)
    np.testing.assert_allclose(vectors[words["honey"]].numpy(), honey, atol=1e-6)
    # Words that share no piece differ.
    assert load_tokenizer(encoder).encode("honey").ids != load_tokenizer(encoder).encode("bay").ids
    assert not np.allclose(honey, vectors[words["bay"]].numpy(), atol=1e-3)
