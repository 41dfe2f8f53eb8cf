"""What people decide, as events that only ever grow, and what holds because of them.

In reading order: `operations` (what a browser sends), `recording` (one call of `record`), `writer`
(its transaction), `limits` (what is refused), `ledger` (what events mean), `derivation` (the
tables derived from them), `undo`, `decided` (what holds now and what was on the page), `tree`
(what follows from it for other concepts).
"""
