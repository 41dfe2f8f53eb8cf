"""The pages: one file a screen, and a folder for the parts of each.

`navigation` runs behind every page, `screens` lists them. A tab's project is in `serving`, and what
documents are opened with in `opening`. The parts lie in `annotation` and `adding` (Annotate),
`vocabularies` (Vocabulary), `figures` (Insights), `bundles` (Models) and `preferences` (Settings);
`charts` draws, and `components` are what several screens use, the browser's own among them.
"""
