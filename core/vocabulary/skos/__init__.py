"""SKOS vocabularies in RDF.

Reading order: `entities` (of RDF/XML, bounded), `rdf` (statements of a file), `statements` (those
that SKOS knows), `parsing` (from the one to the other), `eurovoc` (its domains and micro-thesauri),
`labelled_concepts` (which resources are concepts, and their labels), `reader` (the hierarchy).
"""
