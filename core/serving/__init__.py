"""The application without its pages: what one server holds, and what one caller sees of it.

Read in this order: `caller` (who asks, and in which project), `session` (the server as that caller
sees it), `choosing` (projects, versions and models), `server` (what one process holds), `registry`
(the open projects, bounded by memory), `project` (one of them), `setup` (with which bundle and
vocabulary version it is worked on), `vocabularies` and `models` (what projects share), `queue`
(what is read in the background) with `reading` (its slices), `importing` (many documents at once),
`workers` (the threads of routes).
"""
