"""Tests of what ranks and judges codes as they are served."""
