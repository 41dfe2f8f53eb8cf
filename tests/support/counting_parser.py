"""A real process that parses, whose questions are counted."""

from __future__ import annotations

from core.documents.uploads import ParserProcess


class CountingParser(ParserProcess):
    """A real process, whose questions are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def _answer(self, name: str, content: bytes, **asked: str):  # type: ignore[no-untyped-def]
        self.asked.append(asked["task"])
        return super()._answer(name, content, **asked)
