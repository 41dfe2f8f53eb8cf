"""Every error that Strata raises on purpose, with a message for the person who meets it.

StrataError
├── VocabularyError   a vocabulary file or a concept in it cannot be used
├── DocumentError     a document cannot be read, or holds nothing to index
│   └── TooSlowError     nothing could be found in its text in time
├── PlanError         a guidance plan cannot be built on this encoder
├── BundleError       a model bundle is missing, damaged or of another format
├── ModelStoppedError  the process of the models has ended; the same request succeeds later
├── UnansweredError   a suggester elsewhere does not answer, or not as it should
├── StoreError        decisions or documents cannot be written or read
│   └── StoreBusyError   nothing can be written for a moment; the same request succeeds later
├── NotAllowedError   the role of whoever asks does not allow it
└── ConfigError       a setting, a configuration file or a command line is wrong
"""


class StrataError(Exception):
    """Base class: its text is one sentence that says what is wrong and what to do."""

    is_refusal = False  # of what somebody may not do or see: no failure of the program


class VocabularyError(StrataError):
    """A vocabulary file or a concept in it cannot be used."""


class DocumentError(StrataError):
    """A document cannot be read, or holds nothing to index."""


class PlanError(StrataError):
    """A guidance plan cannot be built on this encoder."""


class BundleError(StrataError):
    """A model bundle is missing, damaged or of another format."""


class ModelStoppedError(StrataError):
    """The process of the models has ended; the same request succeeds later."""


class TooSlowError(DocumentError):
    """Nothing could be found in a document's text in time."""


class UnansweredError(StrataError):
    """A suggester elsewhere does not answer, or not as it should."""


class StoreError(StrataError):
    """Decisions or documents cannot be written or read."""


class StoreBusyError(StoreError):
    """Nothing can be written for a moment; the same request succeeds later."""


class NotAllowedError(StrataError):
    """The role of whoever asks does not allow it."""

    is_refusal = True


class ConfigError(StrataError):
    """A setting, a configuration file or a command line is wrong."""
