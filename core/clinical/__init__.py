"""Everything clinical: encounters, code systems, their names in notes, rules of coding, exports.

The modules of this folder are the door: what others import stands here. The folders are the
inside, which only `core.clinical` imports (`tests/project/test_clinical_door.py`).

Reading order of the door: `stay` (when a stay was, and of whom), `kinds` and `sections` (the headed
parts of a note), `encounters` (notes as one document), `joined` (several code systems in one
encounter), `findings` and `validity` (the check before finishing), `drg` (the group of a stay),
`formats` (exports of encounters).
Of the inside: `codes` (readers of code systems), `names` (codes by their names in a text),
`ranking` and `stays` (from names to the codes of a stay), `coding` (the rules of coders), `export`.
"""
