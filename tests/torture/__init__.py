"""Servers and commands that are killed at random moments, and disks, locks and clocks that fail.

Reading order: `ledger` (what was sent, acknowledged and stored), `clients` (who decides),
`installation` (a home with its servers), `programs` (commands to kill), `harness` (what a scenario
gets), and the scenarios: `deciding`, `commands`, `resuming`, `faults`.
"""
