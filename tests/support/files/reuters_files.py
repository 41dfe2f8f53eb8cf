"""Reuters-21578 in its layout, with invented stories."""

from __future__ import annotations

from pathlib import Path

TEXT = (
    "<TITLE>{title}</TITLE><DATELINE> OSLO, June 1 - </DATELINE><BODY>{body}\n Reuter\n&#3;</BODY>"
)


def story(number: int, split: str, *topics: str, **changes: str) -> str:
    values = {
        "attributes": f'TOPICS="YES" LEWISSPLIT="{split}" NEWID="{number}"',
        "date": " 1-JUN-1987 09:10:11.12",
        "text": TEXT.format(title=f"STORY {number}", body="The bay had fish."),
        **changes,
    }
    named = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f"<REUTERS {values['attributes']}>\n<DATE>{values['date']}</DATE>\n"
        f"<TOPICS>{named}</TOPICS>\n<PLACES><D>norway</D></PLACES>\n"
        f"<UNKNOWN>&#5;&#5;C</UNKNOWN>\n<TEXT>&#2;\n{values['text']}</TEXT>\n</REUTERS>"
    )


def write(folder: Path, *stories: str) -> Path:
    text = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "\n".join(stories)
    (folder / "reut2-000.sgm").write_bytes(text.encode("latin-1"))
    return folder
