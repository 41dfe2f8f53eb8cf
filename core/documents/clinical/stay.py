"""What is known of a stay besides its notes and codes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

FEMALE, MALE = "female", "male"


@dataclass(frozen=True, slots=True)
class Stay:
    """The facts of one encounter that rules of coding ask for; whatever is unknown is None or "".

    Attributes:
        age_years: whole years at admission; 0 for a newborn.
        sex: FEMALE, MALE or "".
        disposition: where the patient went, as a two-digit patient discharge status (UB-04), or "".
    """

    admitted: date | None = None
    discharged: date | None = None
    age_years: int | None = None
    sex: str = ""
    disposition: str = ""
