"""What is known of the rights in a bundle: nothing is claimed of what was not recognised."""

from __future__ import annotations

from pathlib import Path

from core.errors import BundleError
from core.home import checksum_of
from core.model.bundle.manifest import read_manifest
from training.corpora.corpus import Corpus

UNKNOWN = "not stated: to be filled in by who trained it"
WEIGHTS = "Apache-2.0"
EUROVOC = "EuroVoc © European Union; reuse with attribution, Decision 2011/833/EU"
MINILM = "sentence-transformers/all-MiniLM-L6-v2, Apache-2.0"
MINILM_ID = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of its model.safetensors."""

ACTS = (
    "titles of EU acts: Toshkov (2019), free use with acknowledgement; full texts: "
    "EUR-Lex-Triples and lex-corpus, CC BY 4.0, © European Union"
)
ACTS_SHA256 = {
    "train.jsonl.gz": "6dc8efe13561e9f9839adf83d225c9494393a492db596866d514a8060ffff3be",
    "dev.jsonl.gz": "cfcf0aaec80d565421f1bca8ab54d3dc6109f87e6c06de8f077450dd0da5870b",
    "test.jsonl.gz": "f5d0cd525c7efc0fe49d78a87024a7ff0d1e2a2414d90fb3fc2b70834bb45bf1",
}
"""Of the acts that the bundled model learned from."""

REPORTS = (
    "radiology reports of the 2007 Computational Medicine Center challenge, de-identified: Pestian "
    "et al. (2007)"
)
REPORTS_SHA256 = {
    "radiology_reports.xml": "c73f8ca30f2d09a481d7340d40dbf16d0f218f21ecff94bd3c80d7cf91ec24e4",
}
CASES = "CodiEsp, machine-translated to English: Miranda-Escalada et al. (2020), CC BY 4.0"
CASES_SHA256 = {
    "train.jsonl.gz": "cca35309077c242523a769cba0c455c213644c423ff6d565f12684c4c2b4c9d3",
    "dev.jsonl.gz": "0a7f2c83ecba3db538c812613aec8c76b0c921efaa93783625bc1b81337f2eaa",
}
KNOWN_DATA = ((ACTS_SHA256, ACTS), (REPORTS_SHA256, REPORTS), (CASES_SHA256, CASES))
"""The data of the bundled models, by the checksums of their files."""

VOCABULARIES = {
    "eurovoc": EUROVOC,
    "icd9cm": "ICD-9-CM, CMS and NCHS: public domain in the USA",
    "icd10cm": "ICD-10-CM, CMS and NCHS: public domain in the USA",
}


NO_ENCODER = "none: its weights began at random"


def licences(
    corpus: Corpus, vocabulary_id: str, encoder: str, *, vectors: str = "encoder", teacher: str = ""
) -> dict[str, str]:
    """Return the rights in weights, encoder, vocabulary and data, as a manifest states them.

    Args:
        encoder: hub id or folder.
        vectors: of a network's words: "encoder", "random", or a file of them.
        teacher: folder of a bundle or run that a student learned from; "" for none.
    """
    began, is_known = _beginning(encoder, vectors)
    data = next(
        (rights for checksums, rights in KNOWN_DATA if dict(corpus.sha256) == checksums), None
    )
    is_own = is_known and data is not None and (not teacher or _is_own(Path(teacher)))
    return {
        "weights": WEIGHTS if is_own else UNKNOWN,
        "encoder": began,
        "vocabulary": VOCABULARIES.get(vocabulary_id, UNKNOWN),
        "training_data": data or f"that of the corpus {corpus.name}",
    }


def _beginning(encoder: str, vectors: str) -> tuple[str, bool]:
    if vectors == "random":
        return NO_ENCODER, True
    if vectors != "encoder":
        return f"that of the word vectors {Path(vectors).name}", False
    is_minilm = _is_minilm(encoder)
    return (MINILM, True) if is_minilm else (f"that of {Path(encoder).name}", False)


def _is_own(teacher: Path) -> bool:
    """Return whether a teacher is a bundle whose weights are stated to be free."""
    try:
        licence = read_manifest(teacher).get("licence", {})
    except BundleError:
        return False
    return isinstance(licence, dict) and licence.get("weights") == WEIGHTS


def _is_minilm(encoder: str) -> bool:
    weights = Path(encoder) / "model.safetensors"
    if not weights.is_file():
        return encoder == MINILM_ID
    return checksum_of(weights) == MINILM_SHA256
