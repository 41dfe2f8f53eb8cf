"""Clinical documents: encounters of several notes, each with its sections.

Reading order: `kinds` (of notes and of their sections, by name), `sections` (the headed parts of a
note), `stay` (when it was, and of whom), `encounters` (notes as one document).
"""
