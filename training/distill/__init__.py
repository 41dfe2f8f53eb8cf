"""Knowledge distillation: a small student learns what a large teacher says, on a transfer set."""
