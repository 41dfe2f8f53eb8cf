"""No word of one document alone is in a retrained bundle, by itself or by any of its checksums."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from sklearn.feature_extraction.text import HashingVectorizer

from core.api.downloads import pack_bundle
from core.clinical.stay import Identifier, Stay
from core.documents.document import Document, Part
from core.errors import BundleError
from core.model.bundle import hub
from core.model.bundle.bundle import load_bundle
from core.model.bundle.cards import read_card
from core.model.bundle.manifest import (
    LEAST_DOCUMENTS,
    MANIFEST,
    WORDS_OF,
    read_manifest,
    write_json,
)
from core.model.terms import StemmedTerms, StemmedWords
from core.review.store.projects import default_project, keep_model
from core.review.store.store import Store
from core.settings import Settings
from core.suggest.cold_start.document_ids import KEY_FILE, anonymous_id, key_of, read_key
from core.suggest.correction.bundled import FILE, HERE_FILE, BundledDecisions
from core.suggest.similar import N_HASHED
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.garden import garden, note
from tests.support.garden_home import finish, garden_settings
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle
from tests.support.named_codes import named_codes
from training.retraining import shared_words
from training.retraining.retrain import retrain
from training.retraining.shared_words import shared_terms

STARTS, ENDS = ("Vorl", "Quast", "Brend", "Ismo"), ("inde", "rompel", "evitz", "akowen")
NAMES = [start + end for start in STARTS for end in ENDS]
"""Each of one note alone."""
NOTES = [
    note(
        n, f"Slimy visitors, seen by {name}", f"{name} says that they ate the lettuce, on day {n}."
    )
    for n, name in enumerate(NAMES)
]


def content(bundle: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a bundle, also those that do not travel, unpacked."""
    for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
        data = path.read_bytes()
        yield path.name, gzip.decompress(data) if path.suffix == ".gz" else data


def numbers(bundle: Path) -> set[int]:
    """Return all whole numbers in the tensors of a bundle that could be checksums or columns."""
    found: set[int] = set()
    for path in bundle.glob("*.safetensors"):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                tensor = file.get_tensor(name)
                if not tensor.is_floating_point() and tensor.element_size() >= 4:
                    found.update(tensor.to(torch.int64).flatten().tolist())
    return found


def written(name: str) -> list[bytes]:
    """Return how a word would stand in a file: itself, its stem, and its checksums."""
    words = {name, name.lower(), *StemmedWords()(name)}
    hashed = [
        digest.encode()
        for word in words
        for digest in (
            hashlib.sha256(word.encode()).hexdigest(),
            hashlib.sha1(word.encode()).hexdigest(),
            hashlib.md5(word.encode()).hexdigest(),
            hmac.new(b"", word.encode(), hashlib.sha256).hexdigest(),
        )
    ]
    return [*(word.encode() for word in words), *hashed]


def checksums(name: str) -> set[int]:
    """Return the numbers that the program makes of a word: columns of hashed words, and CRC-32."""
    words = {name, name.lower(), *StemmedWords()(name)}
    hashing = HashingVectorizer(
        n_features=N_HASHED, alternate_sign=False, norm=None, analyzer=StemmedWords()
    )
    columns = hashing.transform([name]).indices.tolist()
    return {*columns, *(zlib.crc32(word.encode()) for word in words)}


def of_one_note(bundle: Path, notes: Sequence[Document] = NOTES) -> set[str]:
    """Return the names that can be found in a bundle, in whatever way, and ids of documents."""
    files, there = list(content(bundle)), numbers(bundle)
    named = {name for name in NAMES if checksums(name) & there}
    named |= {
        name
        for name in NAMES
        for _, data in files
        if any(word in data.lower() or word in data for word in written(name))
    }
    ids = [document.document_id for document in notes]
    ids += [anonymous_id(document, b"") for document in notes]
    named |= {i for i in ids for _, data in files if f'"{i}"'.encode() in data}
    return named


def thesaurus(home: Path) -> tuple[Settings, str]:
    settings = garden_settings(home)
    store = Store.open(settings.database_url)
    finish(store, NOTES, "snail", rejected=["hedgehog"])
    store.close()
    return settings, "garden"


def codes(home: Path) -> tuple[Settings, str]:
    settings = garden_settings(home)
    keep(VocabularyVersions(home), named_codes(), file_name="c.csv", sha256="1" * 64, report={})
    store = Store.open(settings.database_url)
    finish(store, NOTES, "R05", vocabulary_id="icd10cm")
    keep_model(store, default_project(store, "icd10cm").project_id, "none")
    store.close()
    return settings, "icd10cm"


def with_model(home: Path) -> tuple[Settings, str]:
    base = home / "models" / "tiny"
    write_tiny_bundle(base, linear=True)
    (base / "somebody.txt").write_text(NAMES[0])
    settings = Settings(home, f"sqlite:///{home}/s.sqlite", base, "en", home / "shipped")
    store = Store.open(settings.database_url)
    space = tiny_label_space()
    concept = next(i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok)
    finish(store, NOTES, concept, vocabulary_id=space.hierarchy.vocabulary_id)
    store.close()
    return settings, "1"


@pytest.mark.parametrize(
    ("begun", "encoder"),
    [(thesaurus, False), (codes, False), (with_model, False), (with_model, True)],
)
def test_no_word_of_one_document_is_in_a_retrained_bundle(
    tmp_path: Path, begun: Callable[[Path], tuple[Settings, str]], encoder: bool
) -> None:
    settings, project = begun(tmp_path / "home")
    made, _ = retrain(project, settings, encoder=encoder)
    assert of_one_note(made) == set()
    decided = BundledDecisions.load(made)
    assert all(len(row.terms.columns) for row in decided.documents), "words of all notes are there"
    assert read_manifest(made)[WORDS_OF] == LEAST_DOCUMENTS
    if encoder:
        first, second = (load_bundle(at).guided[0].encoder for at in (settings.bundle_dir, made))
        before, after = (one.get_input_embeddings().weight for one in (first, second))  # type: ignore[operator]
        assert torch.equal(before, after), "no row says that its word was learned from"


def test_without_the_guard_they_would_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_words, "LEAST_DOCUMENTS", 1)
    settings, project = thesaurus(tmp_path / "home")
    made, compared = retrain(project, settings)
    assert len(of_one_note(made)) == compared.n_learned


def test_terms_are_kept_that_five_patients_or_a_label_have() -> None:
    def of_patient(number: int, patient: str, text: str) -> Document:
        stay = Stay(patient=Identifier(patient))
        return Document(f"n{number}", f"Visit {number}", (Part(text),), stay)

    one = [of_patient(n, "p", f"Vorlinde coughs, day {n}.") for n in range(6)]
    many = [of_patient(10 + n, f"q{n}", "Coughs, with Brendevitz present.") for n in range(5)]
    copies = [note(20 + n, "Letter", "Ismorompel ate lettuce.") for n in range(6)]
    once = [note(30, "Greenhouse", "The kitchen garden of Quastinde.")]
    found = shared_terms([*one, *many, *copies, *once], garden(), StemmedTerms(), read=1000)
    of_labels = {term for i in garden() for term in StemmedTerms()(garden()[i].label())}
    of_all = {"visit", "cough", "brendevitz", "present", "with", "with brendevitz"}
    assert found - of_labels == of_all | {"brendevitz present", "cough with"}
    assert {"greenhous", "kitchen", "kitchen garden"} <= of_labels
    assert "visit" in shared_terms(many, garden(), StemmedTerms(), read=0), "titles are read whole"


def test_documents_are_known_in_their_home_alone(tmp_path: Path) -> None:
    settings, project = thesaurus(tmp_path / "home")
    made, compared = retrain(project, settings)
    home = settings.home
    assert (home / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert read_key(home) == key_of(home)
    decided = BundledDecisions.load(made, home)
    assert sum(map(decided.knowing(), NOTES)) == compared.n_learned
    assert not any(map(BundledDecisions.load(made, tmp_path).knowing(), NOTES))
    card = read_card(made)
    hub.push(made, str(tmp_path / "stick"))
    pack_bundle(card, tmp_path / "bundle.zip")
    assert (made / HERE_FILE).is_file()
    assert not (tmp_path / "stick" / HERE_FILE).exists()
    assert HERE_FILE.encode() not in (tmp_path / "bundle.zip").read_bytes()
    moved = BundledDecisions.load(tmp_path / "stick", home)
    assert [row.document_id for row in moved.documents] == [str(n) for n in range(13)]
    assert "words that 5 documents or a label have" in (tmp_path / "stick/README.md").read_text()


def test_a_model_with_words_of_single_documents_is_refused(tmp_path: Path) -> None:
    settings, project = thesaurus(tmp_path / "home")
    made, _ = retrain(project, settings)
    manifest = read_manifest(made)
    del manifest[WORDS_OF]
    write_json(made / MANIFEST, manifest)
    assert "words that stand in single documents" in (read_card(made).problem or "")
    for use in (load_bundle, lambda folder: hub.push(folder, str(tmp_path / "stick"))):
        with pytest.raises(BundleError, match="words that stand in single documents"):
            use(made)
    assert not (tmp_path / "stick").exists()


def test_ids_of_another_number_of_documents_are_not_taken(tmp_path: Path) -> None:
    settings, project = thesaurus(tmp_path / "home")
    made, _ = retrain(project, settings)
    (made / HERE_FILE).write_text(json.dumps(["one"]))
    assert [row.document_id for row in BundledDecisions.load(made).documents][:2] == ["0", "1"]
    assert (made / FILE).is_file()
