"""The words by which notes say that something is not so, was so, may be so, or is so in the family.

Written for this project after the idea of ConText; a cue applies to what stands before or after it,
as far as the sentence goes or a word that ends it.
Source: Harkema et al. (2009), ConText, J Biomed Inform 42: cues with a direction, a scope and words
that end it; Chapman et al. (2001), NegEx: pseudo-negations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.clinical.names.check_boxes import marks

NEGATED, FAMILY, HYPOTHETICAL, HISTORICAL = "negated", "family", "hypothetical", "historical"
STATUSES = (NEGATED, FAMILY, HYPOTHETICAL, HISTORICAL)
"""The strongest first: "no family history of diabetes" is negated."""

_RELATIVES = (
    "mother|father|brothers?|sisters?|siblings?|grandmother|grandfather|grandparents?|aunts?|uncles?"
    "|cousins?|sons?|daughters?|parents?|relatives?|family members?|maternal|paternal|nephews?|nieces?"
    "|wife|husband|spouse|partner|girlfriend|boyfriend|mom|mum|dad|pops|sibs?"
)
_AUXILIARY = r"(?:did|does|do|was|were|is|are|has|have|had|could|can) ?n[o']t"
_BEFORE = {
    NEGATED: (
        r"no (?:\w+ ){0,2}?(?:evidence|signs?|indication|suggestion|history|symptoms?|complaints?) "
        r"(?:of|for|or symptoms of)|no evidence to suggest|no|not|non|(?:without|w/o)(?: any| evidence of)?"
        r"|den(?:y|ies|ied|ying)|neg(?:ative)? for|absence of|absent|free of|never (?:had|developed)|never"
        r"|neither|nor|(?:was |were |been )?ruled out for|rul(?:es|ed) out|failed to (?:reveal|show|demonstrate)|lack(?:s|ed|ing)? of"
        rf"|lacks|no longer (?:has|have|had|with)|excludes"
        r"|low (?:clinical )?(?:suspicion|probability|likelihood) (?:for|of)"
        rf"|{_AUXILIARY}"
        r"(?: have| show| reveal| find| demonstrate| present)?|unremarkable for|cannot see|excluded"
    ),
    FAMILY: (
        rf"family (?:history|hx)(?: (?:is )?(?:of|significant for|positive for|notable for))?|fhx?"
        rf"|(?:{_RELATIVES})(?: (?:had|has|have|with|died of|died from|suffered from|diagnosed with))?"
    ),
    HYPOTHETICAL: (
        r"(?:possible|possibly|probable|probably|suspected|suspicion of|suspicious for|presumed|presumptive"
        r"|questionable|likely|perhaps|maybe)|may (?:be|have|represent|reflect)|might (?:be|have|represent)"
        r"|could (?:be|have|represent|reflect)|concern(?:ing|s|ed)? (?:for|about)|(?:to )?rule out|ruling out"
        r"|(?:to )?exclude|(?:warned|cautioned) (?:of|about)(?: (?:the )?(?:signs|symptoms)(?: and symptoms)? of)?"
        r"|precautions (?:for|against)|r/o|evaluat(?:e|ion) (?:of|for)|assess(?:ed)? for|consider(?:ed|ing)?|versus|vs"
        r"|should (?:you|he|she|there|the patient)|return (?:\w+ ){0,4}?(?:if|for|with)"
        r"|if (?:you|he|she|there|the patient)|in case of|if|risk of|at risk for|prophylaxis (?:for|against)"
        r"|to prevent|prevention of|differential(?: diagnosis)?(?: includes?| of)?|worrisome for"
        r"|(?:cannot|can not|can't|could not|unable to|does not|did not) (?:exclude|rule out)"
        r"|(?:has|have|had|did) ?n[o']t (?:yet )?(?:ruled? out|excluded?)"
        r"|screen(?:ing|ed)? for|compatible with|suggestive of"
    ),
    HISTORICAL: (
        r"(?:past |previous |prior |remote |known |medical |surgical |personal ){0,8}(?:history|hx)(?: of)?|h/o"
        r"|status post|s/p|previous|previously|prior|past|former|formerly|in the past|years ago|remote"
        r"|childhood|resolved"
    ),
}
_BEHIND = {
    NEGATED: (
        r"(?:was|were|is|are|has been|have been|been) (?:negative(?! for)|absent|ruled out|excluded|unlikely|never present)"
        r"|(?:(?:was|were|is|are|has been|have been) ?n[o']t|(?:has|have|had) ?n[o']t been|not) (?:been )?"
        r"(?:seen|found|present|detected|identified|noted|observed|demonstrated|evident|visuali[sz]ed|palpable"
        r"|suspected|needed|required|confirmed)|neg(?:ative)?(?! for)|absent|ruled out|r/o['’]?d|excluded|unlikely|(?:is |was )?not likely|denied"
        r"|(?:(?:did|does|do|has|have|had) ?n[o']t|never) (?:occur(?:red)?|happen(?:ed)?|develop(?:ed)?)(?! (?:a|an|any|the|new)\b)"
    ),
    FAMILY: r"in (?:the|his|her) (?:family|" + _RELATIVES + r")|runs in the family",
    HYPOTHETICAL: (
        r"(?:is|was|are|were|remains) (?:suspected|possible|questioned|considered|likely)|to be ruled out|considered|queried"
        r"|(?:cannot|can not|could not|can't|not) be (?:excluded|ruled out)|not (?:excluded|ruled out)"
        # "Given for a suspected infection" says nothing of what stands before "given".
        r"|(?<!for\s)(?<!with\s)(?<!of\s)(?<!to\s)(?<!by\s)(?<!\sa\s)(?<!\san\s)(?<!the\s)suspected"
        r"|(?:(?:was|were|is|are) ?n[o']t(?: yet)?|(?:(?:has|have|had) ?n[o']t|not)(?: yet)? been) (?:excluded|ruled out)"
    ),
    HISTORICAL: r"in the past|(?:\w+ )?(?:years?|months) ago|in childhood|as a child|(?:has |have |had )?resolved|in (?:19|20)\d\d",
}
# Not what they seem: nothing is denied by them, nor said of the past or of a relative.
_SHAM = (
    r"no (?:further )?(?:increase|change|significant change|interval change|improvement|response|relief)"
    r"|no (?:\w+ ){0,3}?of (?:interest|note|relevance)|no doubt|gram[- ]negative|not certain (?:if|whether)|not necessarily|not only|not otherwise"
    r"|without (?:difficulty|delay|improvement|response|relief)"
    r"|non[- ](?:st|hodgkin\S*|small|insulin|smoker|compliance|alcoholic|toxic|displaced)\b"
    r"|history (?:and physical|taken|obtained|was)|no (?:known )?(?:drug )?allerg\w+ (?:to|other)"
    # "Was not well controlled" says that the patient has it.
    rf"|(?:{_AUXILIARY}|not|never) (?:yet )?(?:been )?(?:(?:well|adequately|fully|completely|entirely)(?: \w+)?"
    r"|respon\w+|improv\w+|reliev\w+|controlled|tolerat\w+|complian\w+|adheren\w+|tak(?:e|es|en|ing)"
    r"|displaced|decompensated|resolv\w+|treated|able|sure|clear|recall|remember|help\w*|complet\w+|know)"
    r"|no longer (?:able|respon\w+|tolerat\w+|tak(?:es|ing)|work\w*|need\w*|requir\w*|controlled)"
    r"|absent (?:breath|bowel|heart) sounds|absent (?:reflex|reflexes|pulses?)"
    r"|previously (?:healthy|well|fit|independent|unknown|undiagnosed|asymptomatic)|prior to"
    r"|(?:prior|previous) (?:\w+ )?(?:stud(?:y|ies)|exams?|examinations?|imaging|images|films?|scans?|CTs?|MRIs?|x-?rays?)"
    r"|(?:compar\w+|comparison) (?:to|with) (?:the )?(?:prior|previous)"
    r"|past (?:(?:few|several|couple of|\w+|\d+) )?(?:hours?|days?|weeks?|months?|years?)"
    rf"|(?:per|according to) (?:(?:his|her|the) )?(?:{_RELATIVES})"
    rf"|(?:{_RELATIVES}) (?:reports?|reported|states?|stated|says|said|noticed|noted|brought|called|drove|took"
    r"|found|told|helps?|lives|confirm(?:s|ed)|agree[sd]|wish(?:es|ed)|wants?|wanted|consent(?:s|ed)|(?:is|was) (?:present|at (?:the )?bedside))"
    rf"|(?:liv(?:es?|ed|ing)|came|comes|here|married|spoke|discussed) (?:\w+ )?(?:with|to) (?:(?:his|her|the) )?"
    rf"(?:{_RELATIVES})"
    rf"|from (?:his|her|the) (?:{_RELATIVES})"
    r"|(?:brought|accompanied|driven) (?:\w+ )?by (?:his|her|the) \w+|history of present(?:ing)? (?:illness|complaint)"
)
_ENDS = (
    r"but|however|although|though|except(?: for)?|apart from|aside from|other than|nevertheless|yet|which"
    r"|who|because|since|therefore|secondary to|due to|d/t|2/2(?! (?:bottles|sets|cultures|positive))|as a result of|presents?(?: with)?|presented with"
    r"|admitted (?:for|with)|now|currently|today|and (?:has|had|is|was|he|she)|positive for|endors(?:es|ed|ing)"
    r"|with (?:new|worsening|productive|persistent|ongoing|known|residual)|admits to|does (?:report|have)"
    r"|he|she|patient|did (?:show|reveal)|shows?|showed|reveal(?:s|ed)|found to have|developed|complains of"
)
# What stands behind a comma or "and", and begins something of its own.
_BEGINS = (
    r"with|and the|report(?:s|ed)|admits|has|had|notes|noted|complain(?:s|ed)|there (?:is|was)"
)
# The answers of a review of systems: "Fever: none", "Cough - yes"; several on a line stand apart.
_ANSWER = r"(?:[ \t]?[:=?]\s?|\t|\s[-–—]\s)(?:{})(?=\s?(?:[,;.)|]|\n|$)|[ \t]{{2}}|\t)"

# What is said to be likely is coded at discharge as if it were so; what is only looked for is not.
# Source: ICD-10-CM guidelines, section II.H, uncertain diagnosis.
_UNCERTAIN = re.compile(
    r"(?:possibl|probabl|suspect|suspici|presum|questionable|likely|perhaps|maybe|worrisome|compatible"
    r"|suggestive|concern|(?:may|might|could) |(?:is|was|are|were|remains) (?:suspected|possible|likely))",
    re.IGNORECASE,
)


def is_uncertain(cue: str) -> bool:
    """Return whether words of doubt say that a condition is likely, and not that it is looked for."""
    return _UNCERTAIN.match(" ".join(cue.split())) is not None


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that say something of what stands around them.

    Attributes:
        status: one of `STATUSES`.
        is_before: whether it applies to what follows it, else to what precedes it.
        start, end: code-point offsets into the text.
    """

    status: str
    is_before: bool
    start: int
    end: int


def _pattern(expression: str) -> re.Pattern[str]:
    # White space in a text may be the end of a line.
    spaced = expression.replace(" ", r"\s+").replace(r"\s+?n[o']t", r"(?:\s+not|n[o'’]t)")
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])", re.IGNORECASE)


_CUES = [
    (status, is_before, _pattern(expressions[status]))
    for is_before, expressions in ((True, _BEFORE), (False, _BEHIND))
    for status in STATUSES
]
_CUES.append(
    (
        NEGATED,
        False,
        re.compile(_ANSWER.format("none|no?|nil|denie[sd]|negative|absent"), re.IGNORECASE),
    )
)
_SHAMS = _pattern(_SHAM)
ENDS = re.compile(
    rf"{_pattern(_ENDS).pattern}|(?:,|\band)\s+{_pattern(_BEGINS).pattern}"
    rf"|{_ANSWER.format('y(?:es)?|none|no?|nil|denie[sd]|positive|negative|present|absent')}",
    re.IGNORECASE,
)


def cues(text: str) -> list[Cue]:
    """Return all cues of a text, in its order; of those in one place the longest alone."""
    # The "no" of "[x] no" answers what stands before it.
    shams = [
        *(match.span() for match in _SHAMS.finditer(text)),
        *(mark[:2] for mark in marks(text)),
    ]
    taken = bytearray(len(text))
    for start, end in shams:
        taken[start:end] = b"\1" * (end - start)
    return list(_longest(sorted(_candidates(text), key=_length_first), taken))


def _candidates(text: str) -> Iterator[Cue]:
    for status, is_before, pattern in _CUES:
        for match in pattern.finditer(text):
            yield Cue(status, is_before, *match.span())


def _length_first(cue: Cue) -> tuple[int, int]:
    return cue.start - cue.end, cue.start


def _longest(by_length: list[Cue], taken: bytearray) -> Iterator[Cue]:
    """Yield the cues of which no character is taken, by a sham or by a longer one.

    Args:
        taken: for each character 1 where it is; modified.
    """
    kept: list[Cue] = []
    first_at: dict[tuple[int, int], Cue] = {}
    for cue in by_length:
        same = first_at.get((cue.start, cue.end))
        if same is not None:
            if same.is_before != cue.is_before:
                kept.append(cue)
        elif taken.find(1, cue.start, cue.end) < 0:
            kept.append(cue)
            first_at[cue.start, cue.end] = cue
            taken[cue.start : cue.end] = b"\1" * (cue.end - cue.start)
    yield from sorted(kept, key=lambda cue: cue.start)
