"""What coders type into the search box: `typed_codes` (codes in any spelling, codes of ICD-9-CM) and
`phrases` (overdoses, fractures, histories); `core.clinical.search` puts what they mean first.
"""
