"""What each request passes before it comes to a route or a page.

Reading order: `connections` (how long one may say nothing), `guard` (hosts, origins, headers and
bodies), `access` (who has the key or is signed in), `access_key`, `program_keys` and `signed_out` (what of
that is kept in the home folder).
"""
