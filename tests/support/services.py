"""A service that has begun to serve."""

from __future__ import annotations

from collections.abc import Callable

from core.suggest.protocol import Suggester
from core.suggest.service import SuggestionService
from core.suggest.suggestions import Prediction


def running(
    load: Callable[[], Suggester], keep: Callable[[str, Prediction], None] = lambda *_: None
) -> SuggestionService:
    service = SuggestionService(load, keep, limit=5)
    service.start()
    return service
