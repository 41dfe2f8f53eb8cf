"""What people may do: the roles of a project, and the one table of rights.

A right belongs to a role and to every role above it. `docs/team.md` has the table for people; a test
holds it to this one.
"""

from __future__ import annotations

from enum import Enum, StrEnum

from core.errors import NotAllowedError


class Role(StrEnum):
    """The role of a person in a project, from the least to the most; administrators have all."""

    READER = "reader"
    INDEXER = "indexer"
    REVIEWER = "reviewer"
    LEAD = "lead"
    ADMINISTRATOR = "administrator"

    def includes(self, other: Role) -> bool:
        """Return whether this role may do all that another one may."""
        return _RANKS[self] >= _RANKS[other]


_RANKS = {role: rank for rank, role in enumerate(Role)}


class Right(Enum):
    """Something that a person may do: the least role that may, and what it is."""

    READ = Role.READER, "read documents, suggestions and decisions"
    EXPORT = Role.READER, "export decisions"
    OWN = Role.READER, "set one's own shown name, keys, label language and looks"
    DECIDE = Role.INDEXER, "decide, comment, propose terms, edit a stay, finish a document"
    ADD = Role.INDEXER, "add documents"
    REVIEW = Role.REVIEWER, "judge the work of others"
    ASSIGN = Role.LEAD, "say whose a document is, and until when"
    DOCUMENTS = Role.LEAD, "rename, remove and bring back documents"
    RULES = Role.LEAD, "leave concepts out of the vocabulary"
    GUIDELINES = Role.LEAD, "write guidelines, and notes on concepts"
    MODELS = Role.LEAD, "choose, load and retrain models, and whether decisions teach them"
    VOCABULARIES = Role.LEAD, "import vocabularies and choose versions"
    TEAM = Role.LEAD, "see figures of each person"
    MEMBERS = Role.LEAD, "give roles in the project, up to one's own"
    PROJECTS = Role.ADMINISTRATOR, "make, rename, put aside and delete projects"
    PEOPLE = Role.ADMINISTRATOR, "add and rename people, close accounts, make administrators"
    PROGRAMS = Role.ADMINISTRATOR, "make and revoke keys of programs"
    AUDIT = Role.ADMINISTRATOR, "search and download the audit log"
    ERASE = Role.ADMINISTRATOR, "erase documents and people, and say how long texts are kept"
    BACKUP = Role.ADMINISTRATOR, "write and restore backups, look after the installation"

    @property
    def least(self) -> Role:
        """The least role that has the right."""
        return self.value[0]

    @property
    def words(self) -> str:
        """What it allows, behind "may"."""
        return self.value[1]


def require(role: Role, right: Right) -> None:
    """Do nothing where a role has a right.

    Raises:
        NotAllowedError: it has not; says which role has it.
    """
    if not role.includes(right.least):
        raise NotAllowedError(refusal(role, right))


def refusal(role: Role, right: Right) -> str:
    """Return the sentence for somebody whose role does not have a right."""
    return (
        f"As {_with_article(role)} you may not {right.words}. "
        f"That takes {_with_article(right.least)}; ask whoever gives roles here."
    )


def _with_article(role: Role) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"
