"""Texts, values and bodies as nobody sends them who means well."""

from __future__ import annotations

from hypothesis import strategies as st

ODD_TEXTS = (
    "act",
    "102",
    "101,102,d1",
    "d1",
    "title",
    "text",
    "0",
    "1",
    "-1",
    "9" * 18,
    "9" * 30,
    "9" * 5000,
    "-" + "9" * 17,
    "٣",
    "²",
    "\x00",
    "act\x00",
    "a" * 3000,
    "\u202e",
    "%",
    "_",
    "'; --",
    "en",
    "NEAR(",
    '"',
)
# Spelled out: all of Unicode takes hypothesis long to look up.
ALPHABET = "aZ09 .,;:%&=+?#/\\'\"*()\n\t\x00\x7f\x85äßİı中😀\u0301\u202e\ufeff\ufffd"
texts = st.sampled_from(ODD_TEXTS) | st.text(ALPHABET, max_size=20)
numbers = st.integers() | st.sampled_from(
    [2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 1e308, 0.5]
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
HOSTILE_BODIES = (
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"batches":' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"batches":[{"client":"c","document_id":"\\ud800","operations":[]}],"document":"\\ud800"}',
    b'{"lang":"\\udfff","document":"act"}',
    b'{"document":"\xed\xa0\x80"}',
    b'{"after":' + b"9" * 5000 + b"}",
    b'{"after":' + b"9" * 4000 + b',"document":"act"}',
    b'{"after":NaN}',
    b'{"after":-Infinity}',
    b'{"after":1e999,"document":"act"}',
    b'{"project":' + b"9" * 4000 + b"}",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b"",
    b"null",
    b'"\x00"',
)
