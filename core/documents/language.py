"""Which language a text is in, and whether the model learned it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Below this, names and numbers mislead the identifier more than words help it; a shorter text is said
# to be in another language where that is much likelier: of 12,000 English titles none was, and ten
# other languages were told from a dozen words by 120 and more.
MIN_LANGUAGE_CHARACTERS, FEWEST_LANGUAGE_CHARACTERS = 200, 60
CLEAR_MARGIN = 100.0  # between logarithms of likelihoods
LANGUAGE_SAMPLE_CHARACTERS = 20_000
MAX_SAMPLES = 128  # kept with their language, some 3 MB at most
EU_LANGUAGES = {
    "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "lt": "Lithuanian",
    "lv": "Latvian", "mt": "Maltese", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
}  # fmt: skip


def language_warning(text: str, learned: str = "en") -> str | None:
    """Return a sentence where a text seems to be in another language than the model learned.

    Args:
        learned: code of that language.
    """
    seen = identify_language(text, learned)
    if seen is None or seen == learned:
        return None
    return (
        f"This looks like {EU_LANGUAGES[seen]}; the model learned "
        f"{EU_LANGUAGES.get(learned, learned)}, so its suggestions may be poor."
    )


def identify_language(text: str, learned: str = "en") -> str | None:
    """Return the code of a text's official EU language; None where it is too short to tell.

    Args:
        learned: code of the language that a short text is in unless it clearly is not.
    """
    return _identified(text[:LANGUAGE_SAMPLE_CHARACTERS], learned)


def language_scores(text: str, candidates: Sequence[str]) -> dict[str | None, float]:
    """Return how probable each of these languages is for a text, the most probable first.

    Args:
        candidates: codes of ISO 639-1; the text is taken to be in one of them.
    Returns:
        Probabilities that sum to 1. None stands for no language: all of a text without letters.
    Raises:
        ValueError: one of the candidates is not known.
    """
    wanted = dict.fromkeys(candidates)
    likelihoods = dict(_any_language().rank(text[:LANGUAGE_SAMPLE_CHARACTERS]))
    if not wanted.keys() <= likelihoods.keys():
        raise ValueError("unknown language")
    if not any(map(str.isalpha, text[:LANGUAGE_SAMPLE_CHARACTERS])):
        return {None: 1.0} | dict.fromkeys(wanted, 0.0)
    best = max(float(likelihoods[code]) for code in wanted)
    shares = {code: exp(float(likelihoods[code]) - best) for code in wanted}
    total = sum(shares.values())
    ranked = sorted(shares, key=lambda code: -shares[code])
    return {code: shares[code] / total for code in ranked} | {None: 0.0}


@lru_cache(maxsize=MAX_SAMPLES)
def _identified(sample: str, learned: str) -> str | None:
    """The language of a sample; a page that is drawn again asks again."""
    letters = sum(map(str.isalpha, sample))
    if letters < FEWEST_LANGUAGE_CHARACTERS:
        return None
    if letters >= MIN_LANGUAGE_CHARACTERS:
        language, _ = _identifier().classify(sample)
        return str(language)
    ranked = [(str(code), float(score)) for code, score in _identifier().rank(sample)]
    (language, best), learned_score = ranked[0], dict(ranked).get(learned, 0.0)
    return language if language == learned or best - learned_score >= CLEAR_MARGIN else None


@cache
def _any_language() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(EU_LANGUAGES))
    return identifier
