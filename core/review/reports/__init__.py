"""What is read from the store for a screen: the document list, how a document stands, usage.

In reading order: `summaries`, `standing`, `outline`, `usage`, `carrying`, `branches`.
"""
