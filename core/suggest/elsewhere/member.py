"""Asks a suggester elsewhere beside the others, and leaves it out for a while where it fails."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from core.documents.document import Document, fingerprint
from core.errors import UnansweredError
from core.suggest.elsewhere.asking import Asker
from core.suggest.elsewhere.choice import ANNIF, CHAT, AllowedSuggesters, SuggesterElsewhere
from core.suggest.elsewhere.endpoints import ask_annif, ask_chat
from core.suggest.elsewhere.known_concepts import KnownConcepts, NamedElsewhere
from core.vocabulary.concepts import Hierarchy

_LOG = logging.getLogger(__name__)

ASKING: Mapping[str, Callable[[Asker, SuggesterElsewhere, Document, str], list[NamedElsewhere]]] = {
    ANNIF: ask_annif,
    CHAT: ask_chat,
}
AT_ONCE = 4
GRACE_SECONDS = 0.5  # until an answer that was broken off says so
MOST_FAILURES = 3
"""In a row, after which it is left out for `REST_SECONDS`."""
REST_SECONDS = 60.0
N_KEPT, KEPT_SECONDS = 64, 600.0
"""Answers that are remembered, and for how long: what was just read is explained next."""


class Said(NamedTuple):
    """What a suggester elsewhere says of a document.

    Attributes:
        scores: of concepts of the vocabulary, in [0, 1].
        problem: why there are none, as a sentence.
    """

    scores: Mapping[str, float]
    problem: str = ""


NOTHING = Said({})


@dataclass(slots=True)
class Failures:
    """Counts failures in a row, and says when there is no use in asking.

    Attributes:
        clock: seconds, as of `time.monotonic`.
    """

    clock: Callable[[], float] = time.monotonic
    n_failures: int = 0
    until: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_resting(self) -> bool:
        """Return whether it is left out now; of those that ask after a rest, one tries."""
        with self.lock:
            if self.n_failures < MOST_FAILURES:
                return False
            now = self.clock()
            is_resting = now < self.until
            if not is_resting:
                self.until = now + REST_SECONDS
            return is_resting

    def note(self, *, has_failed: bool) -> None:
        """Count an answer, or that there was none."""
        with self.lock:
            self.n_failures = self.n_failures + 1 if has_failed else 0
            if self.n_failures >= MOST_FAILURES:
                self.until = self.clock() + REST_SECONDS


class ElsewhereMember:
    """Asks one suggester elsewhere for a project; nobody is asked before `begin`.

    Args:
        hierarchy: the project's vocabulary.
        language: of its labels.
    """

    def __init__(
        self,
        chosen: SuggesterElsewhere,
        allowed: AllowedSuggesters,
        hierarchy: Hierarchy,
        *,
        language: str = "en",
        asker: Asker | None = None,
        failures: Failures | None = None,
    ) -> None:
        self.chosen, self.hierarchy = chosen, hierarchy
        key = allowed.keys.get(chosen.host, "")
        self._asker = asker or Asker(allowed.policy, chosen.said, key=key)
        self._failures = failures or Failures()
        self._concepts = KnownConcepts(hierarchy, language)
        self._has_begun = False
        self._answers: OrderedDict[str, tuple[float, Said]] = OrderedDict()
        self._remembering = threading.Lock()
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="elsewhere")

    def begin(self) -> None:
        """Ask from now on; a suggester that is tried out when it is loaded sends nothing."""
        self._has_begun = True

    def ask(self, document: Document) -> Future[Said]:
        """Begin to ask about a document; what was answered just now is not asked again."""
        answer = self._remembered(fingerprint(document)) if self._has_begun else NOTHING
        if answer is None:
            return self._workers.submit(self._said, document)
        future: Future[Said] = Future()
        future.set_result(answer)
        return future

    def answer(self, asked: Future[Said]) -> Said:
        """Return what was asked for; who waits does so no longer than an answer may take."""
        try:
            return asked.result(timeout=self._asker.seconds + GRACE_SECONDS)
        except TimeoutError:
            asked.cancel()
            return Said({}, str(self._asker.too_slow()))

    def _said(self, document: Document) -> Said:
        """Ask, unless it has failed too often just now; whatever happens, the others suggest."""
        if self._failures.is_resting():
            reason = (
                f"has failed {MOST_FAILURES} times in a row; it is tried again within a minute,"
            )
            return Said({}, str(self._asker.left_out(reason)))
        try:
            answer = Said(self._asked(document))
        except UnansweredError as error:
            _LOG.warning("a suggester elsewhere is left out")
            answer = Said({}, str(error))
        except Exception:  # noqa: BLE001 - an answer from outside must not end a reading
            _LOG.exception("a suggester elsewhere could not be asked")
            answer = Said({}, str(self._asker.left_out("could not be asked")))
        self._failures.note(has_failed=bool(answer.problem))
        if not answer.problem:
            self._remember(fingerprint(document), answer)
        return answer

    def _asked(self, document: Document) -> dict[str, float]:
        ask = ASKING[self.chosen.kind]
        named = ask(self._asker, self.chosen, document, self.hierarchy.vocabulary_id)
        return self._concepts.scores(named)

    def _remembered(self, key: str) -> Said | None:
        with self._remembering:
            moment, answer = self._answers.get(key, (0.0, None))
            is_new = answer is not None and time.monotonic() - moment < KEPT_SECONDS
            return answer if is_new else None

    def _remember(self, key: str, answer: Said) -> None:
        with self._remembering:
            self._answers[key] = time.monotonic(), answer
            self._answers.move_to_end(key)
            while len(self._answers) > N_KEPT:
                self._answers.popitem(last=False)
