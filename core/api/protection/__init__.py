"""What each request passes before it comes to a route or a page.

Reading order: `connections` (how long one may say nothing), `proxies` (who may name a client),
`bodies` (how much may be sent at a time), `guard` (hosts, origins and headers), `access` (who has the
key), `people` (who is signed in), `openid` (by a provider elsewhere), `access_key`, `program_keys` and `signed_out` (what of
that is kept in the home folder).
"""
