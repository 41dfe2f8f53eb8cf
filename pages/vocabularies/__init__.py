"""The parts of the Vocabulary page: its versions, what they change, and imports."""
