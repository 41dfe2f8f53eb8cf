"""Clinical documents: encounters of several notes, each with its sections.

Reading order: `section_names` and `sections` (the headed parts of a note), `note_names` (kinds of
notes), `encounters` (notes as one document).
"""
