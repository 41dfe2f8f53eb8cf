"""What is known of the number format in which a model computes; torch is not needed to read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a precision is served."""

    NAMED = "set by STRATA_PRECISION"
    INT8_UNITS = "this processor has units for 8-bit products (VNNI)"
    BF16_UNITS = "this processor has units for products in bf16 (AMX)"
    NO_UNITS = "this processor has no units for products in bf16 (AMX)"
    GRAPHICS_CARD = "what the graphics card is made for"


@dataclass(frozen=True, slots=True)
class Precision:
    """What a model is served in, and why.

    Attributes:
        name: "fp32", "bf16" or "int8".
        engine: what computes the encoder.
    """

    name: str
    reason: Reason
    engine: str = "PyTorch"
