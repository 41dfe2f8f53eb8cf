"""The suggesters and back-ends, and how a bundle's are assembled.

A further suggester or back-end is a file of its own and a line here. Importing this module imports
torch; `core.suggest.opening` does so where a bundle is loaded.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import partial

from core.errors import BundleError, ConfigError
from core.model.bundle.bundle import Bundle
from core.model.bundle.manifest import DECISIONS as CORRECTED
from core.model.number_format import Precision
from core.model.precision import best_device, int8_precision, serving_precision
from core.suggest.backends.protocol import Backend
from core.suggest.backends.torch import TorchBackend
from core.suggest.calibration import Calibration
from core.suggest.ensemble import MeanEnsemble
from core.suggest.fusion import Fusion
from core.suggest.guided import GuidedSuggester
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.protocol import find_part
from core.suggest.ranking.features import MEMBERS, RANKER_FEATURES
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.ranker import Ranker
from core.suggest.ranking.suggester import IndexedCandidates, RankedSuggester
from core.suggest.windows import ReadingSettings

_LOG = logging.getLogger(__name__)

MakeBackend = Callable[[Bundle, str | None], Backend]
MakeSuggester = Callable[[Bundle, BundleFacts, Calibration, Callable[[], Backend]], LabelSuggester]


def fastest_backend(bundle: Bundle, device: str | None) -> Backend:
    """Load a bundle's model for OpenVINO, where a processor serves and OpenVINO can run it; for
    PyTorch everywhere else.
    """
    if (device or best_device()) == "cpu":
        try:
            # It takes half a second to import, which a server with a graphics card need not spend.
            from core.suggest.backends.openvino import OpenVinoBackend

            model, _ = bundle.guided
            if OpenVinoBackend.can_run(model):
                return OpenVinoBackend(model)
        except (ImportError, RuntimeError) as error:
            _LOG.warning("PyTorch serves, since OpenVINO does not", exc_info=error)
    return TorchBackend.from_bundle(bundle, device)


BACKENDS: dict[str, MakeBackend] = {
    "fastest": fastest_backend,
    "torch": TorchBackend.from_bundle,
}
"""Name -> what loads a bundle's model onto a device, or onto the best one where none is named."""

SUGGESTERS: dict[str, MakeSuggester] = {
    "guided": GuidedSuggester.from_bundle,
    "linear": LinearSuggester.from_bundle,
}
"""Entry of a manifest's `suggesters` -> what makes that suggester of a bundle."""


RANKED = "ranked"
"""Entry of a manifest's `suggesters` where a ranker orders what those before it find."""


def suggester_of(
    bundle: Bundle, *, device: str | None = None, backend: str | None = None
) -> LabelSuggester:
    """Assemble a bundle's suggester: one suggester or a mean of two, ranked or not.

    Args:
        backend: one of `BACKENDS`; None for what `STRATA_BACKEND` names.
    Raises:
        ConfigError: `STRATA_BACKEND` names none that is known.
        BundleError: there is none, one that is not known, or one that cannot suggest.
    """
    # What corrects a model stands around it, in the server's own process: `core.suggest.opening`.
    names = [name for name in bundle.manifest["suggesters"] if name != CORRECTED]
    is_ranked = RANKED in names
    if is_ranked:
        names.remove(RANKED)
    if not names:
        raise BundleError(f"The model bundle in {bundle.directory} has no suggester.")
    if unknown := sorted(set(names) - set(SUGGESTERS)):
        raise BundleError(
            f"The model bundle in {bundle.directory} has a suggester “{unknown[0]}”, which this "
            f"version does not have; it has {', '.join((*SUGGESTERS, RANKED))}."
        )
    if is_ranked and tuple(names) != MEMBERS:
        raise BundleError(
            f"The model bundle in {bundle.directory} has a ranker, but not the suggesters that it "
            f"ranks: {' and '.join(MEMBERS)}."
        )
    facts = BundleFacts(
        name=bundle.name,
        bundle_hash=bundle.sha256[:16],
        label_space=bundle.label_space,
        reading=ReadingSettings(**bundle.manifest["reading"]),
    )
    make_backend = partial(BACKENDS[backend or named_backend()], bundle, device)
    calibration = Calibration.from_dict(bundle.calibration)
    if len(names) == 1:
        return SUGGESTERS[names[0]](bundle, facts, calibration, make_backend)
    fusion = Fusion.from_dict(bundle.calibration["fusion"])
    calibrations: Sequence[Calibration] = (calibration, fusion.linear_calibration)
    members = [
        SUGGESTERS[name](bundle, facts, scaled, make_backend)
        for name, scaled in zip(names, calibrations, strict=True)
    ]
    mean = MeanEnsemble(facts, members, fusion)
    return ranked(mean, bundle) if is_ranked else mean


def named_backend() -> str:
    """Return the back-end that `STRATA_BACKEND` names, or the fastest.

    Raises:
        ConfigError: it names one that is not known.
    """
    named = os.environ.get("STRATA_BACKEND", "fastest")
    if named not in BACKENDS:
        raise ConfigError(f"STRATA_BACKEND is “{named}”; set it to {' or '.join(BACKENDS)}.")
    return named


def encoder_precision() -> Precision:
    """Return the precision in which a BERT's encoder computes here.

    Raises:
        ConfigError: `STRATA_BACKEND` or `STRATA_PRECISION` names none that is known.
    """
    device = best_device()
    in_int8 = int8_precision() if device == "cpu" and named_backend() == "fastest" else None
    return in_int8 or serving_precision(device)


def ranked(mean: MeanEnsemble, bundle: Bundle) -> RankedSuggester:
    """Rank what a bundle's suggesters find by its ranker.

    Raises:
        BundleError: the ranker or the indexed documents are damaged.
    """
    linear = find_part(mean, LinearSuggester)
    assert linear is not None  # one of `MEMBERS`
    n_concepts, n_terms = len(mean.assigned_columns), len(linear.model.vectors)
    indexed = IndexedDocuments.load(bundle.directory, n_concepts=n_concepts, n_terms=n_terms)
    features = IndexedCandidates(mean.label_space, indexed, linear.vector)
    return RankedSuggester(mean, features, Ranker.load(bundle.directory, RANKER_FEATURES))
