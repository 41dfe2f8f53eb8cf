"""What pages show where several people work."""
