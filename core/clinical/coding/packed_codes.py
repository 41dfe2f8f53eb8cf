"""Many codes as one short text, as the files of lists that ship hold them."""

from __future__ import annotations

CATEGORY_LENGTH = len("E11")


def with_point(code: str) -> str:
    """Return a code that is written without its point with it."""
    rest = code[CATEGORY_LENGTH:]
    return f"{code[:CATEGORY_LENGTH]}.{rest}" if rest else code


def packed(codes: list[str]) -> str:
    """Return sorted codes as one text: how many characters each shares with the last, and the rest."""
    parts, last = [], ""
    for code in sorted(codes):
        shared = next(
            (at for at, (one, other) in enumerate(zip(code, last, strict=False)) if one != other),
            min(len(code), len(last)),
        )
        parts.append(f"{shared}{code[shared:]}")
        last = code
    return " ".join(parts)


def unpacked(text: str) -> list[str]:
    """Return the codes of `packed`."""
    codes, last = [], ""
    for part in text.split():
        last = last[: int(part[0])] + part[1:]
        codes.append(last)
    return codes
