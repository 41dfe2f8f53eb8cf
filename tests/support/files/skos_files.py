"""Small vocabularies in Turtle, and what tests look at in the reading of one."""

from __future__ import annotations

from core.vocabulary.skos.reader import SkosReading

PREFIXES = """
@prefix : <http://v.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .
@prefix euvoc: <http://publications.europa.eu/ontology/euvoc#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PET = """
:animal a skos:Concept ; skos:prefLabel "animal"@en .
:dog a skos:Concept ; skos:prefLabel "dog"@en ; skos:broader :animal .
"""


def edges(reading: SkosReading) -> set[tuple[str, str]]:
    return {(i, b) for i in reading.hierarchy for b in reading.hierarchy.broader(i)}


def the_mending(reading: SkosReading) -> tuple[str, str, str]:
    (mending,) = reading.mended
    return mending.concept.removeprefix("http://v.example/"), mending.problem, mending.action


def scheme(uri: str, version: str = "1.0", base: str = "") -> str:
    """Turtle of a scheme with one concept."""
    concept = f"{base or uri.rpartition('/')[0]}/c1"
    return (
        f'{PREFIXES}<{uri}> a skos:ConceptScheme ; owl:versionInfo "{version}" .'
        f'<{concept}> a skos:Concept ; skos:prefLabel "one"@en ; skos:inScheme <{uri}> .'
    )
