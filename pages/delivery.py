"""Decisions arriving from a browser: written at once, each batch answered with its receipt."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.errors import StoreError
from core.review.decisions import Receipt, record
from pages.serving import Workplace

_LOG = logging.getLogger(__name__)

MAX_BATCHES = 100  # of one message; what is left comes again


@dataclass(slots=True)
class Delivery:
    """What became of one message.

    Attributes:
        receipts: by client id, the sequences that the browser drops, and why some were refused.
        problem: why nothing can be stored now; the browser keeps everything and tries again.
    """

    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    problem: str | None = None


def deliver(message: object, *, shared: Workplace, known: Mapping[str, Container[str]]) -> Delivery:
    """Store the decisions of a message.

    Args:
        message: batches `{client, document_id, operations}` as the browser sends them.
        known: by document, the concepts that may be decided there; others are not checked.
    """
    delivery = Delivery()
    for client, document_id, operations in _batches(message):
        try:
            receipt = record(
                shared.store(),
                document_id=document_id,
                person_id=shared.person_id(),
                client_id=client,
                operations=operations,
                known=known.get(document_id),
            )
        except StoreError as error:
            _LOG.exception("decisions could not be stored")
            delivery.problem = str(error)
        else:
            delivery.receipts[client] = _answer(receipt)
    return delivery


def _batches(message: object) -> Iterator[tuple[str, str, list[object]]]:
    """Client, document and operations of each batch that has the form of one."""
    for batch in message[:MAX_BATCHES] if isinstance(message, list) else []:
        match batch:
            case {
                "client": str(client),
                "document_id": str(document_id),
                "operations": list(operations),
            }:
                yield client, document_id, operations


def _answer(receipt: Receipt) -> dict[str, Any]:
    return {
        "settled": list(receipt.settled),
        "refused": [asdict(refusal) for refusal in receipt.refused],
    }
