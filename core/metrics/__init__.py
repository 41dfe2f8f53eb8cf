"""Every metric of Strata, defined once: training, evaluation and serving use these.

Rows are documents, columns are labels in label-space order. Gold labels (`y_true`) are a NumPy
array or a SciPy sparse matrix of zeros and ones; scores are a NumPy array of the same shape, and
only their order counts except where a threshold or a probability is named.

A value that has nothing to measure is NaN, never 0 or 1: a document without a gold label has no
R-Precision. `mean_defined` leaves such documents out, so every mean is over the documents with at
least one gold label among the columns that were handed over. They are written by hand for that
reason: scikit-learn counts such a row as 0, or refuses it. Where all values are defined, a test
compares with it. The bootstrap is by hand because SciPy's has no p-value and none of sets (F1).

Reading order: `matrices` (what metrics read), `ranking` (of scores), `thresholded`,
`classes` and `hierarchical` (of predicted labels), `calibration` (of probabilities), `comparison`
(whether a difference is more than chance), `agreement` (of people with each other).
"""

from core.metrics.agreement import (
    Distance,
    cohen_kappa,
    distances_of_documents,
    jaccard_distances,
    krippendorff_alpha,
    masi_distances,
    pairwise_f1,
)
from core.metrics.calibration import (
    equal_mass_calibration_error,
    error_if_calibrated,
    expected_calibration_error,
    reliability_bins,
)
from core.metrics.classes import (
    NO_CLASS,
    ClassScores,
    cell_accuracy,
    confusion,
    correct,
    f1_by_document,
    matthews,
    scores_by_class,
    scores_by_label,
)
from core.metrics.comparison import BootstrapResult, paired_bootstrap, times_drawn
from core.metrics.hierarchical import (
    ancestor_closure,
    augment,
    hierarchical_counts,
)
from core.metrics.matrices import Array, Values, mean_defined, predicted
from core.metrics.ranking import (
    average_precision,
    f1_at_k,
    macro_roc_auc,
    micro_roc_auc,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    r_precision_by_level,
    recall_at_k,
    roc_auc_by_label,
    top_columns,
)
from core.metrics.thresholded import (
    Counts,
    best_f1_threshold,
    macro_f1,
    micro_f1,
    micro_precision,
    micro_recall,
)

__all__ = [
    "NO_CLASS",
    "Array",
    "BootstrapResult",
    "ClassScores",
    "Counts",
    "Distance",
    "Values",
    "ancestor_closure",
    "augment",
    "average_precision",
    "best_f1_threshold",
    "cell_accuracy",
    "cohen_kappa",
    "confusion",
    "correct",
    "distances_of_documents",
    "equal_mass_calibration_error",
    "error_if_calibrated",
    "expected_calibration_error",
    "f1_at_k",
    "f1_by_document",
    "hierarchical_counts",
    "jaccard_distances",
    "krippendorff_alpha",
    "macro_f1",
    "macro_roc_auc",
    "masi_distances",
    "matthews",
    "mean_defined",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "micro_roc_auc",
    "ndcg_at_k",
    "paired_bootstrap",
    "pairwise_f1",
    "precision_at_k",
    "predicted",
    "r_precision",
    "r_precision_by_level",
    "recall_at_k",
    "reliability_bins",
    "roc_auc_by_label",
    "scores_by_class",
    "scores_by_label",
    "times_drawn",
    "top_columns",
]
