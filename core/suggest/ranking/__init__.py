"""The ranker: candidates of every suggester, what is known of each, and one calibrated probability.

`label_matcher` finds labels in a text, `indexed` holds what training documents say of labels and of
each other, `decided` what finished documents say, `features` puts a row of numbers together for each
candidate, `boosted_trees` and `ranker` turn rows into probabilities, and `suggester` is what a bundle
serves.
"""
