"""Parts of speech of English words, offline.

TextBlob (MIT) carries in its wheel the lexicon of Brill's tagger: some 94,000 words with the tag that
each has most often. Words that it does not know are tagged by their endings and capitals. Rules of
context, Brill's second half, are not applied: TextBlob does not apply them either, and they tag 40
times more slowly. Other taggers on PyPI were tried or passed over: docs/laboratory.md says why.

Source: Brill (1992), “A simple rule-based part of speech tagger”; tags of the Penn Treebank.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

Tagger = Callable[[Sequence[str]], list[str]]
"""From the words of a text to a tag of each."""


def tag_words(words: Sequence[str]) -> list[str]:
    """The Penn Treebank tag of each word, such as NN, VBD or CD."""
    return [tag for _, tag in _parser().find_tags(list(words))]


@lru_cache(maxsize=1)
def _parser() -> Any:
    """TextBlob's, with its lexicon read; a second, most of it the import of NLTK."""
    with warnings.catch_warnings():
        # The lexicon's file is left to the garbage collector to close.
        warnings.simplefilter("ignore", ResourceWarning)
        from textblob.en import parser

        parser.find_tags(["a"])
    return parser
