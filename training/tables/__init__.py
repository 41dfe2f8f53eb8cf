"""Result rows as tables, and the tables into the pages of the documentation."""
