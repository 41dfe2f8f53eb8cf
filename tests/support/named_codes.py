"""A few codes in the shape of ICD-10-CM, written by hand, whose names are looked for in texts."""

from __future__ import annotations

from core.vocabulary.concepts import Concept, Hierarchy

# code, label, broader code, alternative labels, what it includes
ROWS: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("X", "Diseases of the chest and belly", "", (), ()),
    ("I10", "Essential (primary) hypertension", "X", (), ("hypertension (arterial) (benign)",)),
    ("J18", "Pneumonia, unspecified organism", "X", (), ()),
    ("J18.0", "Bronchopneumonia, unspecified organism", "J18", (), ()),
    ("J18.9", "Pneumonia, unspecified organism", "J18", (), ()),
    ("J45", "Asthma", "X", (), ()),
    ("J45.2", "Mild intermittent asthma", "J45", (), ()),
    ("J45.9", "Other and unspecified asthma", "J45", (), ()),
    ("J45.90", "Unspecified asthma", "J45.9", ("asthmatic bronchitis NOS",), ()),
    ("N20.0", "Calculus of kidney", "X", ("Nephrolithiasis NOS", "Renal stone"), ()),
    ("R05", "Cough", "X", (), ()),
    ("R42", "Dizziness and giddiness", "X", ("Light-headedness",), ()),
    ("M25.56", "Pain in knee", "X", (), ()),
    ("M25.561", "Pain in right knee", "M25.56", (), ()),
    ("M25.562", "Pain in left knee", "M25.56", (), ()),
    ("M25.569", "Pain in unspecified knee", "M25.56", (), ()),
    ("R52", "Pain, unspecified", "X", (), ()),
    ("Z80.3", "Family history of malignant neoplasm of breast", "X", (), ()),
    ("C50.9", "Malignant neoplasm of breast of unspecified site", "X", (), ()),
    # A table's title, which is no name by itself.
    ("Z87.01", "Personal history of pneumonia (recurrent)", "X", ("Pneumonia (recurrent)",), ()),
    ("K57.3", "Other specified diverticulitis", "X", (), ()),
)


def named_codes() -> Hierarchy:
    """The codes as a hierarchy; those without narrower ones are assignable."""
    broader = {row[2] for row in ROWS}
    return Hierarchy(
        [
            Concept(
                code,
                f"urn:{code}",
                code,
                {"en": label},
                {"en": alt} if alt else {},
                (above,) if above else (),
                assignable=code not in broader,
                notes={"includes": {"en": includes}} if includes else {},
            )
            for code, label, above, alt, includes in ROWS
        ],
        vocabulary_id="icd10cm",
        version="hand-written",
    )
