"""The parts of the Settings page that have a file of their own: projects, backups and health."""
