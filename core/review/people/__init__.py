"""Who works here: accounts, passwords, sign-ins, and roles in projects.

As long as no administrator has a password, nobody is asked who they are: one person has all.

Reading order: `accounts` (who there is), `passwords` (how one is kept), `sign_ins` (cookies and links
that work once), `memberships` (roles in projects), `assignments` (whose a document is), `presence` (who
has one open).
"""
