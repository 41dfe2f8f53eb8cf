"""Every metric of Strata, defined once: training, evaluation and serving use these.

Rows are documents, columns are labels in label-space order. Gold labels (`y_true`) are a NumPy
array or a SciPy sparse matrix of zeros and ones; scores are a NumPy array of the same shape, and
only their order counts except where a threshold or a probability is named.

A value that has nothing to measure is NaN, never 0 or 1: a document without a gold label has no
R-Precision. `mean_defined` leaves such documents out, so every mean is over the documents with at
least one gold label among the columns that were handed over.
"""

from core.metrics.calibration import expected_calibration_error, reliability_bins
from core.metrics.comparison import BootstrapResult, paired_bootstrap
from core.metrics.hierarchical import (
    ancestor_closure,
    augment,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
)
from core.metrics.matrices import mean_defined, predicted
from core.metrics.ranking import (
    f1_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    r_precision_by_level,
    r_precision_values_by_level,
    ranked_hits,
    recall_at_k,
    top_columns,
)
from core.metrics.thresholded import (
    macro_f1,
    macro_precision,
    macro_recall,
    micro_f1,
    micro_precision,
    micro_recall,
)

__all__ = [
    "BootstrapResult",
    "ancestor_closure",
    "augment",
    "expected_calibration_error",
    "f1_at_k",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "mean_defined",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "ndcg_at_k",
    "paired_bootstrap",
    "precision_at_k",
    "predicted",
    "r_precision",
    "r_precision_by_level",
    "r_precision_values_by_level",
    "ranked_hits",
    "recall_at_k",
    "reliability_bins",
    "top_columns",
]
