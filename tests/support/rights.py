"""The table of rights as `docs/team.md` has it: `python -m tests.support.rights` writes it there."""

from __future__ import annotations

from core.paths import PROJECT_ROOT
from core.roles import Right, Role

PAGE = PROJECT_ROOT / "docs" / "team.md"
MARK = "<!-- rights: written from core/roles.py, `python -m tests.support.rights` -->\n"


def table() -> str:
    """A row a right, a column a role."""
    head = f"| may | {' | '.join(Role)} |\n| --- |{' --- |' * len(Role)}\n"
    rows = (
        f"| {right.words} | {' | '.join('✓' if role.includes(right.least) else '' for role in Role)} |\n"
        for right in Right
    )
    return head + "".join(rows)


def written() -> str:
    """The table of the page, behind its mark."""
    after = PAGE.read_text("utf-8").partition(MARK)[2]
    return "".join(line for line in after.split("\n\n")[0].splitlines(keepends=True)) + "\n"


def main() -> None:
    """Put the table behind the mark, in place of the one that is there."""
    before, mark, after = PAGE.read_text("utf-8").partition(MARK)
    rest = after.partition("\n\n")[2] if after.startswith("|") else after.lstrip("\n")
    PAGE.write_text(f"{before}{mark}{table()}\n{rest}", "utf-8")


if __name__ == "__main__":
    main()
