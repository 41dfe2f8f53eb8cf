"""Three people and five documents."""

from tests.core.review.people.conftest import shelf

__all__ = ["shelf"]
