"""The figures of the Insights page.

`figure` has the specification of a figure and the one function that draws it. A module a question
lists its specifications: `quality`, `reliability`, `errors`, `decisions`, `weeks`. `places` finds what was measured; `pages.charts` draws.
"""
