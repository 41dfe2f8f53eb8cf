"""What a bundle says of the rights in it: only of what was recognised."""

from pathlib import Path

import pytest

from core.model.bundle.manifest import read_manifest
from core.paths import PROJECT_ROOT
from training.corpora.corpus import Corpus
from training.corpora.licences import (
    ACTS,
    ACTS_SHA256,
    CASES,
    CASES_SHA256,
    EUROVOC,
    MINILM,
    MINILM_ID,
    REPORTS,
    REPORTS_SHA256,
    UNKNOWN,
    licences,
)

BUNDLED = read_manifest(PROJECT_ROOT / "assets" / "models" / "eurovoc")
OTHER = Corpus("notes", (), (), (), {"train.jsonl": "0"})
THE_ACTS = Corpus("eurlex", (), (), (), ACTS_SHA256)


def test_the_bundled_model_says_what_is_recognised() -> None:
    assert BUNDLED["training"]["data_sha256"] == ACTS_SHA256
    assert licences(THE_ACTS, "eurovoc", MINILM_ID) == BUNDLED["licence"]


def test_of_other_documents_nothing_is_claimed() -> None:
    said = licences(OTHER, "eurovoc", MINILM_ID)
    assert (said["vocabulary"], said["encoder"]) == (EUROVOC, MINILM)
    assert (said["weights"], said["training_data"]) == (UNKNOWN, "that of the corpus notes")


def test_an_encoder_is_known_by_its_id_or_its_weights_alone(tmp_path: Path) -> None:
    folder = tmp_path / "my-minilm"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"others")
    for encoder in (str(folder), "someone/all-MiniLM-L6-v2-finetuned"):
        said = licences(THE_ACTS, "eurovoc", encoder)
        assert said["encoder"] == f"that of {Path(encoder).name}"
        assert (said["weights"], said["training_data"]) == (UNKNOWN, ACTS)


@pytest.mark.parametrize(
    ("checksums", "vocabulary_id", "said"),
    [(REPORTS_SHA256, "icd9cm", REPORTS), (CASES_SHA256, "icd10cm", CASES)],
)
def test_the_data_and_vocabularies_of_the_clinical_bundles_are_known(
    checksums: dict[str, str], vocabulary_id: str, said: str
) -> None:
    rights = licences(Corpus("c", (), (), (), sha256=checksums), vocabulary_id, MINILM_ID)
    assert (rights["weights"], rights["training_data"]) == ("Apache-2.0", said)
    assert "public domain in the USA" in rights["vocabulary"]
