"""Messages of HL7 version 2, read back by a library."""

from __future__ import annotations

from datetime import UTC, date, datetime

import hl7
import pytest

from core.clinical.export.coded import PROVISIONAL, CodedEncounter, CodeSystem, EncounterCode
from core.clinical.export.encounters import _code_system
from core.clinical.export.hl7v2 import message
from core.clinical.notation import ICD10CM, ICD10PCS
from core.clinical.stay import Identifier, Stay
from core.export.export import Export, forms_of
from core.export.gathering import Selection
from core.review.store.store import Store
from core.vocabulary.conventions import conventions_of
from tests.support.exports import codes

MOMENT = datetime(2026, 5, 9, 14, 3, 7, tzinfo=UTC)
CM = CodeSystem(conventions_of(ICD10CM).system, "2026-04-01")
PCS = CodeSystem(conventions_of(ICD10PCS).system, "2026")
PNEUMONIA = EncounterCode("J18.9", "Pneumonia, unspecified organism", present="Y", system=CM)
HOSTILE = r"a|b^c~d\e&f ÄÖ é"


def read(encounter: CodedEncounter, *listed: EncounterCode) -> hl7.Message:
    """The message of an encounter, parsed from what would be sent."""
    return hl7.parse(str(message(encounter, listed, made_at=MOMENT)))


def test_a_message_has_the_stay_its_diagnoses_and_its_procedures() -> None:
    stay = Stay(
        date(2026, 5, 4),
        date(2026, 5, 9),
        64,
        "female",
        "01",
        Identifier("P7", "urn:oid:1.2.3"),
        Identifier("E9"),
    )
    drainage = EncounterCode(
        "0W9930Z",
        "Drainage of Right Pleural Cavity",
        is_procedure=True,
        performed_on=date(2026, 5, 5),
        system=PCS,
    )
    working = EncounterCode("I10", "Hypertension", verification=PROVISIONAL, system=CM)
    encounter = CodedEncounter("encounter-1", "Anna's file.txt", (), stay=stay)
    sent = str(message(encounter, (PNEUMONIA, drainage, working), made_at=MOMENT)).split("\r")
    header = sent[0].split("|")
    assert header[:2] == ["MSH", "^~\\&"]
    assert (header[6], header[8], header[11]) == ("20260509140307+0000", "BAR^P12^BAR_P12", "2.6")
    assert sent[1:] == [
        "EVN|P12|20260509140307+0000",
        "PID|1||P7^^^&1.2.3&ISO||^^^^^^S|||F",
        "PV1|1|U|||||||||||||||||E9|||||||||||||||||01||||||||20260504|20260509",
        "DG1|1||J18.9^Pneumonia, unspecified organism^I10C^^^^2026-04-01|||F|||||||||1|||||J18.9|A"
        "|||||Y",
        "DG1|2||I10^Hypertension^I10C^^^^2026-04-01|||W|||||||||2|||||I10|A",
        "PR1|1||0W9930Z^Drainage of Right Pleural Cavity^I10P^^^^2026||20260505|||||||||1"
        "|||||0W9930Z|A",
        "",
    ]


def test_separators_in_a_text_are_escaped_and_read_back() -> None:
    code = EncounterCode("X|1", f"{HOSTILE}\r\nPID|injected", system=CM)
    found = read(CodedEncounter("encounter|1", "", ()), code)
    assert [str(segment[0]) for segment in found] == ["MSH", "EVN", "PID", "PV1", "DG1"]
    (diagnosis,) = found.segments("DG1")
    written = str(diagnosis[3][0][1])
    assert not set("|^~") & set(written)
    assert found.unescape(written) == f"{HOSTILE} PID|injected"
    assert found.unescape(str(diagnosis[3][0][0])) == "X|1"


def test_who_is_not_known_has_the_id_of_the_document() -> None:
    found = read(CodedEncounter("encounter-1", "", ()), PNEUMONIA)
    assert str(found.segment("PID")) == "PID|1||encounter-1^^^Strata||^^^^^^S|||U"
    assert str(found.segment("PV1")[19]) == "encounter-1^^^Strata"


@pytest.mark.parametrize(
    ("system", "authority"),
    [
        ("urn:oid:1.2.3", "&1.2.3&ISO"),
        ("http://h.example/mrn", "&http://h.example/mrn&URI"),
        ("MRN, ward 2", "MRN, ward 2"),
    ],
)
def test_what_a_number_is_unique_in_has_a_universal_id_or_a_name(
    system: str, authority: str
) -> None:
    encounter = CodedEncounter("enc-1", "", (), stay=Stay(patient=Identifier("P7", system)))
    assert str(read(encounter, PNEUMONIA).segment("PID")[3]) == f"P7^^^{authority}"


def test_an_export_has_accepted_codes_alone_and_neither_text_nor_titles(coded_store: Store) -> None:
    assert "hl7v2" in forms_of("icd10cm") and "hl7v2" not in forms_of("eurovoc")
    content = Export(coded_store, Selection(), codes()).file("hl7v2").decode()
    assert content.count("MSH|") == 1  # of the other encounter nothing is accepted
    found = hl7.parse(content)
    listed = [(str(s[3][0][0]), str(s[3][0][2]), str(s[26])) for s in found.segments("DG1")[:1]]
    assert listed == [("991.5", "I9CDX", "N")]
    (procedure,) = found.segments("PR1")
    assert (str(procedure[3][0][0]), str(procedure[3][0][2])) == ("99.15", "I9CP")
    assert str(procedure[5]) == "20260203"
    assert "Chilblains" in content  # the title of a code
    assert "Lungs clear" not in content and "three days" not in content


def test_a_list_of_ones_own_is_called_local() -> None:
    ward = EncounterCode("W1", "Ward", system=_code_system(codes("ward")))
    found = read(CodedEncounter("encounter-1", "", ()), ward)
    assert str(found.segment("DG1")[3][0][2]) == "L"


def test_an_exempt_code_is_marked_so() -> None:
    exempt = EncounterCode("Z79.4", "Insulin", present="exempt", system=CM)
    line = read(CodedEncounter("enc-1", "", [exempt]), exempt).segment("DG1")
    assert str(line(26)) == "E"


@pytest.mark.parametrize(
    ("name", "patient_class"),
    [("inpatient", "I"), ("emergency", "E"), ("observation", "O"), ("clinic", "O"), ("", "U")],
)
def test_the_class_of_an_encounter_is_that_of_its_patient(name: str, patient_class: str) -> None:
    encounter = CodedEncounter("enc-1", "", (), stay=Stay(encounter_class=name))
    assert str(read(encounter, PNEUMONIA).segment("PV1")(2)) == patient_class
