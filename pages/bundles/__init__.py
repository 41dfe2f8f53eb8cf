"""The parts of the Models page: the card of a bundle, and two side by side."""
