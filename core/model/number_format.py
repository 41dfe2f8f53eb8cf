"""What is known of the number format in which a model computes; torch is not needed to read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

FILE_NAME = "precision.json"
"""File in the home folder that keeps what was measured."""


class Reason(StrEnum):
    """Why a precision is served."""

    NAMED = "set by STRATA_PRECISION"
    MEASURED = "measured on this machine"
    INT8_UNITS = "this processor has units for 8-bit products (VNNI)"
    NO_UNITS = "this processor has no units for bf16"
    GRAPHICS_CARD = "what the graphics card is made for"
    NOT_KEPT = "what the processor is made for; a measurement could not be kept"


@dataclass(frozen=True, slots=True)
class Precision:
    """What a model is served in, and why.

    Attributes:
        name: "fp32", "bf16" or "int8".
        measured_at: UTC, ISO 8601; empty where nothing was measured.
        milliseconds: that one product took in each format; empty where nothing was measured.
        engine: what computes the encoder.
    """

    name: str
    reason: Reason
    measured_at: str = ""
    milliseconds: dict[str, float] = field(default_factory=dict)
    engine: str = "PyTorch"
