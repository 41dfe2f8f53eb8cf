"""Code systems: ICD-9-CM, ICD-10-CM, and tables of any other codes.

Reading order: `notation` (codes as people write them), `decimal_points` (codes written without
one), `text_files` (the encoding of a file), `reading` (the result of reading a code system), then a
reader a module: `code_table`, `icd10cm`, `icd9cm_files` and `icd9cm`.
"""
