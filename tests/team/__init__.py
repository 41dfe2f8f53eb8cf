"""Several processes of the app behind a proxy, on one database, as compose's profile `team` has them.

`python -m tests.team` runs sessions through the proxy, kills an app in the middle and starts it
again; `proxied` starts the processes, `clients` decides through them.
"""
