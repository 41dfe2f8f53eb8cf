"""The formats in which coded encounters are exported."""

from __future__ import annotations

from core.clinical.export.encounters import FHIR, FHIR_LINES, FHIR_TRANSACTION, n_codes
from core.clinical.export.hl7v2 import HL7V2

__all__ = ["FHIR", "FORMATS", "n_codes"]

FORMATS = (FHIR, FHIR_TRANSACTION, FHIR_LINES, HL7V2)
"""In the order in which they are offered."""
