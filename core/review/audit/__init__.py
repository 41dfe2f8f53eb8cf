"""The audit log: who signed in, saw, exported, changed and restored what, kept where people sign in.

Reading order: `log` (what is noted, the chain, and what a restore does to it), `seen` (documents with
patients, once an hour), `search`.
"""
