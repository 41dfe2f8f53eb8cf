"""People: accounts, sign-ins and roles."""
