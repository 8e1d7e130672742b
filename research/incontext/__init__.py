"""Training of the in-context network: drawn tables, the network, legs of training, evaluation. See README.md."""
