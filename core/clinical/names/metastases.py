"""Which site a note means by "metastatic": that of the first cancer, or that of its spread.

"Metastatic breast cancer" is a cancer of the breast that has spread somewhere, and "metastatic to
the liver" names where. So no name reaches from the one to the other, and each site of a list is one of
the spread. Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import alternatives

_SPREAD = r"(?:mets|metasta(?:sis|ses|tic|si[sz]ed|si[sz]ing))\b"
# Of what has a name of its own no site stands before it.
_KIND = f"(?:{alternatives('words', 'cancer of its own name')})"
_CANCER = rf"(?:cancers?|carcinomas?|adenocarcinomas?|ca|malignanc(?:y|ies)|neoplasms?|tumou?rs?|{_KIND})\b"
_OTHER_WORD = rf"(?:(?!{_SPREAD}|(?:to|in|of|from|with)\b)[\w+/-]+\s+)"
# "Metastatic | breast cancer", "metastatic | adenocarcinoma of the colon"
_HAS_SPREAD = re.compile(
    rf"\bmetastatic(?=\s+(?:{_OTHER_WORD}{{1,4}}?{_CANCER}|{_CANCER}\s+(?:of|from)\b|{_KIND}\b))",
    re.IGNORECASE,
)
_ENDS = re.compile(
    # "Breast cancer | with bone metastases", "breast cancer, | metastatic to bone"
    rf"\s(?=(?:with|w/|and)\s*(?:[\w-]+,?\s+){{0,4}}?{_SPREAD})"
    rf"|\b{_CANCER}(?=[\s,;(–-]+(?:now\s+|widely\s+)?{_SPREAD})"
    # "Metastases to the liver | from colon cancer"
    rf"|\b{_SPREAD}[^.;\n]{{0,60}}?(?=\sfrom\b)|\b{_SPREAD}(?=\s+of\s+(?:the\s+)?(?:\w+\s+){{0,2}}{_CANCER})",
    re.IGNORECASE,
)
_SITE = (
    r"(?:(?:the|his|her|both|multiple|left|right|bilateral|l|r|[ctl]|cervical|thoracic|lumbar|lymph|regional"
    r"|mediastinal|axillary|adrenal(?=\s+gland))[\s-]+){0,3}"
    rf"(?:{alternatives('words', 'site of a metastasis')})\b"
)
_LIST = rf"{_SITE}(?:\s*(?:,\s*(?:and\s+)?|and\s+|&\s*|/\s*){_SITE})*"
_PLACE = r"\s+(?:disease\s+|lesions?\s+|spread\s+)?(?:to|in|involving|within)\s+"
_NAMED = re.compile(rf"\b{_SPREAD}{_PLACE}{_SITE}(?P<sites>.{{0,200}})", re.IGNORECASE)
_SPREADS_TO = re.compile(
    rf"\bmetastatic\s+(?:{_OTHER_WORD}{{1,4}}?{_CANCER}|{_KIND}\b){_PLACE}(?P<sites>{_LIST})",
    re.IGNORECASE,
)
# "Liver and peritoneal metastases"
_ADJECTIVE = f"(?:{alternatives('words', 'adjective of a site')})"
_BEFORE = re.compile(
    rf"\b(?P<sites>(?:(?:{_SITE}|{_ADJECTIVE})\s*(?:,\s*(?:and\s+)?|and\s+|&\s*|/\s*)){{1,20}})"
    rf"(?:{_SITE}|{_ADJECTIVE})\s+{_SPREAD}",
    re.IGNORECASE,
)
_MORE = re.compile(rf"\s{{0,9}}(?:,\s*(?:and\s+)?|and\s+|&\s*|/\s*){_SITE}", re.IGNORECASE)
_LAST_WORD = re.compile(r"(?<![a-z])[a-z]+$", re.IGNORECASE)
_ONE_SITE = re.compile(rf"{_SITE}|{_ADJECTIVE}", re.IGNORECASE)


def ends_of_cancers(text: str) -> list[int]:
    """Return where a cancer and its spread meet: no name reaches over these places."""
    ends = [match.end() for pattern in (_HAS_SPREAD, _ENDS) for match in pattern.finditer(text)]
    return [*ends, *(match.start("sites") - 1 for match in _SPREADS_TO.finditer(text))]


def of_cancers_that_spread(text: str) -> Iterator[tuple[int, str]]:
    """Yield where "metastatic" begins of a named cancer, and what it says: it spread somewhere."""
    for match in _HAS_SPREAD.finditer(text):
        yield match.start(), "metastatic cancer"


def sites_of_spread(text: str) -> Iterator[int]:
    """Yield where the words of sites begin that name a metastasis without its word beside them."""
    for match in (*_SPREADS_TO.finditer(text), *_BEFORE.finditer(text)):
        for site in _ONE_SITE.finditer(text, *match.span("sites")):
            yield _last_word(text, site)
    for match in _NAMED.finditer(text):
        more = _MORE.match(text, match.start("sites"))
        while more:
            yield _last_word(text, more)
            more = _MORE.match(text, more.end())


def _last_word(text: str, site: re.Match[str]) -> int:
    word = _LAST_WORD.search(text, site.start(), site.end())
    return word.start() if word else site.start()
