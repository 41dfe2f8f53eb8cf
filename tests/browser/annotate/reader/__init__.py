"""Tests of the text beside the tree, and of what stands above it."""
