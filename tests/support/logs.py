"""What a server writes to its log."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Iterator

import pytest

from core import logs


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log of a process in which `logs.install` was called, and which is as before afterwards."""
    factory, hook = logging.getLogRecordFactory(), threading.excepthook
    stream, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logs.install()
    yield stream
    logging.setLogRecordFactory(factory)
    threading.excepthook = hook
    root.removeHandler(handler)
    root.setLevel(level)
