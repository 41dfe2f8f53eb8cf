"""How much of an encoder its documents use: measured on any model, kept as CSV, said in sentences.

`figures` needs numpy alone; `measure` needs torch and is imported where it is used.
Source: Manginas, Chalkidis and Malakasiotis (2020), sections 4 and 5 and Appendix E.
"""
