"""Where files of the tests lie."""

from core.paths import PROJECT_ROOT

TEST_DATA = PROJECT_ROOT / "tests" / "data"
TINY_SKOS = TEST_DATA / "tiny.ttl"
