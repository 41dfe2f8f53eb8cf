"""What tables of the store are made of: names of constraints, moments, and groups of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import DateTime, Dialect, MetaData, TypeDecorator

ID_LENGTH = 255
IDS_AT_ONCE = 500  # in one query; databases bound how many values it may have

Id = TypeVar("Id", int, str)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment with its zone, kept in UTC; SQLite itself forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; a moment without a zone is a mistake of the caller."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs its time zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def in_groups(ids: Sequence[Id]) -> Iterator[list[Id]]:
    """Yield ids in groups of as many as one query asks for."""
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield list(ids[start : start + IDS_AT_ONCE])
