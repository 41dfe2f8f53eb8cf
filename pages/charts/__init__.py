"""Charts: of a document's suggestions, of a project's branches, and of what was measured.

`style` has what all of them look like, `series` the tones, axes and legends of measurements.
"""
