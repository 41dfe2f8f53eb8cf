"""The figures of the Insights page.

`figure` has the specification of a figure and the one function that draws it. A module a question
lists its specifications: `quality`, `reliability`, `errors`, `layers`, `attention`, `costs`,
`decisions`. `charts` and `cost_chart` draw, in the `style` of all charts; `places` finds what was
measured.
"""
