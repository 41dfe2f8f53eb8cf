"""Readers of code systems: ICD-9-CM, ICD-10-CM, ICD-10-PCS, and tables of any other codes.

Reading order: `decimal_points` and `lost_zeros` (codes written without these), `reading` (the result
of reading a code system), `icd10pcs` (the tree that follows from its codes), then a reader a module:
`code_table`, `icd10cm`, `order_file`, `icd9cm_files` and `icd9cm`.
"""
