"""Labels, titles and texts that attack."""

from __future__ import annotations

from tests.support.browser.acts import Act

RUN = "window.hacked=1"


IMAGE = f'<img src=x onerror="{RUN}">'


SCRIPT = f"</script><script>{RUN}</script>"


LINK = f"[press me](javascript:{RUN}) ![x](https://example.org/x.png) :material/bug_report: $x^2$"


BACKWARDS = "\u200f\u200e\u2066\u202egnirreh \u2066fo\u2069 atouq"  # nothing ends it


LONG_WORD = "x" * 10_000


LONG_WORDS = "quota " * 1_667


ADDRESSES = "www.evil.example http://evil.example/a me@evil.example"


NUL = "be\x00fore and after"


FORMULA = '=HYPERLINK("https://example.org","press me")'


TEXT = "\n\n".join([IMAGE, SCRIPT, BACKWARDS, LONG_WORD, LONG_WORDS, NUL, FORMULA, LINK])


# The names are those of the screens' documents, so that every screen shows one of these.
HOSTILE_ACTS = (
    Act("herring", f"{IMAGE} {SCRIPT} {BACKWARDS}", TEXT),
    Act("tickets", LONG_WORD, TEXT),
    Act("formula", FORMULA, f"{FORMULA}\n\n{TEXT}"),
    Act("links", f"{ADDRESSES} {LINK} {NUL}", TEXT),
)
