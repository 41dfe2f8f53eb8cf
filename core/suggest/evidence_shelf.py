"""The explanations of the documents that were asked about last, so that each is made once."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from core.documents.document import Document
from core.suggest.protocol import Explainer, Explanation

# One of a long act takes some 15 MB: the states of its word pieces.
MAX_EXPLANATIONS = 6

Key = tuple[str, str]


@dataclass(slots=True)
class _Place:
    """Where one explanation will stand; its lock is held while it is made."""

    explanation: Explanation | None = None
    making: threading.Lock = field(default_factory=threading.Lock)


class EvidenceShelf:
    """Keeps a bounded number of explanations, by the text they are of and the model they are from.

    Those of a model are forgotten when another is asked, since they keep all of it in memory. May
    be used from many threads: who asks for what another is making waits for it, and no more
    than one is made at a time, so that reading new documents goes on beside it.
    """

    def __init__(self, max_explanations: int = MAX_EXPLANATIONS) -> None:
        self.max_explanations = max_explanations
        self._places: OrderedDict[Key, _Place] = OrderedDict()
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def explanation(self, explainer: Explainer, document: Document) -> Explanation:
        """The explanation of a document by a model, made where it is not there yet."""
        place = self._place((fingerprint(document), explainer.bundle_hash))
        with place.making:
            if place.explanation is None:
                with self._one_at_a_time:
                    place.explanation = explainer.explain(document)
            return place.explanation

    def _place(self, key: Key) -> _Place:
        with self._lock:
            for old in [one for one in self._places if one[1] != key[1]]:
                del self._places[old]
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self.max_explanations:
                self._places.popitem(last=False)
            return place


def fingerprint(document: Document) -> str:
    """What changes where a document's title or text does, and with nothing else."""
    digest = hashlib.sha256()
    for text in (document.title, document.text):
        encoded = text.encode("utf-8", errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()
