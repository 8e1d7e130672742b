"""Each loss once: its value, gradient, hessian and link; boosted, linear and gradient-descent learners share it."""
