"""What is read from the store for screens and exports.

In reading order: `summaries` (the document list), `document_state` (of one), `outline` (its tree), `history` (its
events), `following` (the next one), `branch_work` (one branch across documents), `usage` (what became of
concepts), `used` (how often each was), `snapshot` (what export reads), `finished` and `retraining_plan` (what is
learned from), `learning`, `weeks` and `team` (what a lead sees).
"""
