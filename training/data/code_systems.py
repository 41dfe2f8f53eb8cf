"""ICD-9-CM and ICD-10-CM, under the name by which training finds them."""

from core.vocabulary.icd9cm import icd9cm
from core.vocabulary.icd10cm import icd10cm

__all__ = ["icd9cm", "icd10cm"]
