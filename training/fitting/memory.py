"""What to do when the memory of a machine or a graphics card does not suffice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import ConfigError
from training.config import OptimConfig, ReadingConfig

# torch raises its own error for a graphics card alone; for a processor its message has these.
_SIGNS = ("not enough memory", "out of memory", "can't allocate memory")


@contextmanager
def within_memory(optim: OptimConfig, reading: ReadingConfig) -> Iterator[None]:
    """Turn a lack of memory while training into an error with settings to try.

    Raises:
        ConfigError: the memory did not suffice.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        raise ConfigError(advice(optim, reading)) from error


def is_shortage(error: Exception) -> bool:
    """Return whether an error means that memory did not suffice."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in _SIGNS)


def advice(optim: OptimConfig, reading: ReadingConfig) -> str:
    """Return half the batch, and as many more batches an update that it stays what it was."""
    size = optim.batch_size
    if size == 1:
        return (
            "There is not enough memory for one document at a time: try reading.max_length_tokens "
            f"= {max(16, reading.max_length_tokens // 2)} (now {reading.max_length_tokens}), or a "
            "smaller encoder."
        )
    half, more = size // 2, -(-optim.accumulate * size // (size // 2))
    return (
        f"There is not enough memory for batches of {size} inputs of up to "
        f"{reading.max_length_tokens} tokens: try optim.batch_size = {half} with optim.accumulate "
        f"= {more}, which makes updates of {half * more} inputs (now {size * optim.accumulate})."
    )
