"""Code systems: ICD-9-CM, ICD-10-CM, ICD-10-PCS, and tables of any other codes.

Reading order: `notation` (codes as people write them), `decimal_points` (codes written without
one), `text_files` (the encoding of a file), `reading` (the result of reading a code system),
`icd10pcs` (the tree that follows from its codes), then a reader a module: `code_table`, `icd10cm`,
`order_file`, `icd9cm_files` and `icd9cm`.
"""
