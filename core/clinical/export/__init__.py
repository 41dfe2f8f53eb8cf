"""Coded encounters as files: `encounters` (what is exported of each), `fhir` and `hl7v2`."""
