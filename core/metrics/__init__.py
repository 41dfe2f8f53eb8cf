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

from core.metrics.agreement import Distance as Distance
from core.metrics.agreement import cohen_kappa as cohen_kappa
from core.metrics.agreement import distances_of_documents as distances_of_documents
from core.metrics.agreement import jaccard_distances as jaccard_distances
from core.metrics.agreement import krippendorff_alpha as krippendorff_alpha
from core.metrics.agreement import masi_distances as masi_distances
from core.metrics.agreement import pairwise_f1 as pairwise_f1
from core.metrics.calibration import equal_mass_calibration_error as equal_mass_calibration_error
from core.metrics.calibration import error_if_calibrated as error_if_calibrated
from core.metrics.calibration import expected_calibration_error as expected_calibration_error
from core.metrics.calibration import reliability_bins as reliability_bins
from core.metrics.classes import NO_CLASS as NO_CLASS
from core.metrics.classes import ClassScores as ClassScores
from core.metrics.classes import cell_accuracy as cell_accuracy
from core.metrics.classes import confusion as confusion
from core.metrics.classes import correct as correct
from core.metrics.classes import f1_by_document as f1_by_document
from core.metrics.classes import matthews as matthews
from core.metrics.classes import scores_by_class as scores_by_class
from core.metrics.classes import scores_by_label as scores_by_label
from core.metrics.comparison import BootstrapResult as BootstrapResult
from core.metrics.comparison import paired_bootstrap as paired_bootstrap
from core.metrics.comparison import times_drawn as times_drawn
from core.metrics.hierarchical import ancestor_closure as ancestor_closure
from core.metrics.hierarchical import augment as augment
from core.metrics.hierarchical import hierarchical_counts as hierarchical_counts
from core.metrics.matrices import Array as Array
from core.metrics.matrices import Values as Values
from core.metrics.matrices import mean_defined as mean_defined
from core.metrics.matrices import predicted as predicted
from core.metrics.ranking import average_precision as average_precision
from core.metrics.ranking import f1_at_k as f1_at_k
from core.metrics.ranking import macro_roc_auc as macro_roc_auc
from core.metrics.ranking import micro_roc_auc as micro_roc_auc
from core.metrics.ranking import ndcg_at_k as ndcg_at_k
from core.metrics.ranking import precision_at_k as precision_at_k
from core.metrics.ranking import r_precision as r_precision
from core.metrics.ranking import r_precision_by_level as r_precision_by_level
from core.metrics.ranking import recall_at_k as recall_at_k
from core.metrics.ranking import roc_auc_by_label as roc_auc_by_label
from core.metrics.ranking import top_columns as top_columns
from core.metrics.thresholded import Counts as Counts
from core.metrics.thresholded import best_f1_threshold as best_f1_threshold
from core.metrics.thresholded import macro_f1 as macro_f1
from core.metrics.thresholded import micro_f1 as micro_f1
from core.metrics.thresholded import micro_precision as micro_precision
from core.metrics.thresholded import micro_recall as micro_recall
