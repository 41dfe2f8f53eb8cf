"""Knowledge distillation: a small student learns the outputs of a large teacher."""
