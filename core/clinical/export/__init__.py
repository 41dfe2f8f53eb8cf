"""Coded encounters as files: `coded`, `encounters` (what is exported of each), `fhir` and `hl7v2`."""
