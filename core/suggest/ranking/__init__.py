"""The ranker: candidates of every source, what is known of each, and one calibrated probability.

`features` lists what a ranker may know and who ranks by what, `candidates` says what a candidate is.
It asks `label_matcher` for labels in a text, `indexed` for what the training documents of a bundle say,
and `decided` for what finished documents say. `boosted_trees` and `ranker` turn candidates into
probabilities, and `suggester` is what a bundle serves.
"""
