"""Retraining: from what people decided in a project to a bundle that is offered to it.

In reading order: `material` (the finished documents, parted into those to learn from and those to
judge by), `words` (a linear suggester, where there is no model), `correction` (weights that rank in
the light of decisions), `making` (the bundle), `encoder` (which goes on learning), and `retrain` (all
of it, and the retrained model beside what serves; `progress` says how far it is).
"""
