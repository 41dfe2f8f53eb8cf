"""A few codes of ICD-10-CM, an invented encounter of two notes, and the fake model over them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.clinical.notation import ICD9CM, ICD10CM
from core.documents.document import Document, Part
from core.review.store.arrivals import add_document
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.labels import LabelSpace
from tests.support.fakes import FakePredictor
from tests.support.stores import begin_empty

# code, name, what is above; codes that nothing stands below can be assigned.
CODES = (
    ("4", "Endocrine, nutritional and metabolic diseases (E00-E89)", ""),
    ("E08-E13", "Diabetes mellitus (E08-E13)", "4"),
    ("E10", "Type 1 diabetes mellitus", "E08-E13"),
    ("E10.9", "Type 1 diabetes mellitus without complications", "E10"),
    ("E11", "Type 2 diabetes mellitus", "E08-E13"),
    ("E11.6", "Type 2 diabetes mellitus with other specified complications", "E11"),
    ("E11.65", "Type 2 diabetes mellitus with hyperglycemia", "E11.6"),
    ("E11.9", "Type 2 diabetes mellitus without complications", "E11"),
    ("9", "Diseases of the circulatory system (I00-I99)", ""),
    ("I10-I1A", "Hypertensive diseases (I10-I1A)", "9"),
    ("I10", "Essential (primary) hypertension", "I10-I1A"),
    ("I12", "Hypertensive chronic kidney disease", "I10-I1A"),
    ("I12.9", "Hypertensive chronic kidney disease with stage 1 through stage 4", "I12"),
    ("10", "Diseases of the respiratory system (J00-J99)", ""),
    ("J09-J18", "Influenza and pneumonia (J09-J18)", "10"),
    ("J18", "Pneumonia, unspecified organism", "J09-J18"),
    ("J18.1", "Lobar pneumonia, unspecified organism", "J18"),
    ("J18.9", "Pneumonia, unspecified organism", "J18"),
    ("14", "Diseases of the genitourinary system (N00-N99)", ""),
    ("N17-N19", "Acute kidney failure and chronic kidney disease (N17-N19)", "14"),
    ("N18", "Chronic kidney disease (CKD)", "N17-N19"),
    ("N18.4", "Chronic kidney disease, stage 4 (severe)", "N18"),
    ("21", "Factors influencing health status (Z00-Z99)", ""),
    ("Z77-Z99", "Family and personal history (Z77-Z99)", "21"),
    ("Z79", "Long term (current) drug therapy", "Z77-Z99"),
    ("Z79.4", "Long term (current) use of insulin", "Z79"),
)
CODES_9 = (
    ("800-999.99", "Injury and poisoning", ""),
    ("820", "Fracture of neck of femur", "800-999.99"),
    ("820.8", "Fracture of unspecified part of neck of femur, closed", "820"),
    ("76-84.99", "Operations on the musculoskeletal system", ""),
    ("79", "Reduction of fracture and dislocation", "76-84.99"),
    ("79.35", "Open reduction of fracture with internal fixation, femur", "79"),
    ("81", "Repair and plastic operations on joint structures", "76-84.99"),
    ("81.52", "Partial hip replacement", "81"),
)
EXCLUDES = {
    "E10": "type 2 diabetes mellitus (E11.-)",
    "E11": "type 1 diabetes mellitus (E10.-)",
}
ENCOUNTER = Document(
    "encounter-1",
    "Encounter of Imogen Sample",
    (
        Part(
            "An invented patient of 64 years came with fever and a productive cough for four days."
            " History of hypertension and type 2 diabetes mellitus. Chest film: lobar pneumonia of"
            " the right lower lobe. Glucose 19.4 mmol/l.",
            kind="Emergency department note",
            date=date(2026, 5, 4),
        ),
        Part(
            "Hospital course: treated for pneumonia with ceftriaxone. Type 2 diabetes mellitus with"
            " hyperglycemia was seen on the second day, after steroids; insulin was begun."
            " No evidence of type 1 diabetes mellitus. Hypertension was well controlled.",
            kind="Discharge summary",
            date=date(2026, 5, 9),
        ),
    ),
)

DOCUMENT = ENCOUNTER.document_id


def hierarchy(vocabulary_id: str = ICD10CM) -> Hierarchy:
    """The codes as a vocabulary."""
    codes = CODES_9 if vocabulary_id == ICD9CM else CODES
    above = {broader for _, _, broader in codes}
    return Hierarchy(
        [
            Concept(
                concept_id=code,
                uri=f"{conventions_of(vocabulary_id).system}/{code}",
                notation=code,
                pref_label={"en": name},
                broader=(broader,) if broader else (),
                assignable=code not in above,
                notes={"excludes1": {"en": (EXCLUDES[code],)}} if code in EXCLUDES else {},
            )
            for code, name, broader in codes
        ],
        vocabulary_id=vocabulary_id,
        version="2026",
    )


def clinical_session(home: Path, *, seconds: float = 0.0, vocabulary_id: str = ICD10CM) -> Session:
    """A server for coders, as its person sees it, with the encounter in it."""
    vocabulary = hierarchy(vocabulary_id)
    bundle = home / "bundle"
    bundle.mkdir(parents=True, exist_ok=True)
    LabelSpace(vocabulary).save(bundle / "label_space.jsonl")
    begin_empty(home / "strata.sqlite")
    settings = Settings(home, f"sqlite:///{home}/strata.sqlite", bundle, "en")
    model = FakePredictor(vocabulary, seconds=seconds)
    # Its vocabulary has notes, which that of a bundle does not have.
    place = Session(Server(settings, lambda _: model, lambda _: vocabulary))
    add_document(place.server.store(), ENCOUNTER, project_id=place.project_id())
    return place


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Session]:
    place = clinical_session(tmp_path)
    yield place
    place.server.close()


@pytest.fixture
def client(shared: Session) -> TestClient:
    return TestClient(Starlette(routes=api.routes(shared.server)))


def decide(
    client: TestClient, *operations: dict[str, Any], first: int = 1, here: str = DOCUMENT
) -> dict[str, Any]:
    """Send decisions as the page does, and return its answer.

    Args:
        here: the document on the page, where an earlier page has left what is sent.
    """
    numbered = [{"sequence": n, **one} for n, one in enumerate(operations, start=first)]
    batch = {"client": "tab", "document_id": DOCUMENT, "operations": numbered}
    answer = client.post("/api/decisions", json={"batches": [batch], "document": here})
    assert answer.status_code == 200, answer.text
    facts: dict[str, Any] = answer.json()
    return facts


def on(action: str, concept_id: str, **more: str) -> dict[str, Any]:
    return {"action": action, "concept_id": concept_id, **more}
