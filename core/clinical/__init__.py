"""Everything clinical: encounters, code systems, their names in notes, rules of coding, exports.

The modules of this folder are the door: what others import stands here. The folders are the
inside, which only `core.clinical` imports (`tests/project/test_clinical_door.py`).

Reading order of the door: `notation` (which code systems there are, and codes as people write them),
`systems` (their rules, and what they add to vocabularies), `search` (the search index), `joined`
(several code systems in one encounter); `stay` (when it was, and of whom), `kinds` and `sections` (the headed parts of a note),
`encounters` (notes as one document); `assertions` (whether a note affirms what it mentions),
`familiar` (whether a model knows such notes), `suggester`; `instructions` (what ICD-10-CM says at a
code), `validity` (the check before finishing), `drg` (the group of a stay), `formats` (exports).
Of the inside: `codes` (readers of code systems), `names` (codes by their names in a text, and
`tables`, which reads `assets/clinical`), `asserting` (what a note asserts of them), `ranking` and
`stays` (from names to the codes of a stay), `coding` (the rules of coders), `export`.
"""
