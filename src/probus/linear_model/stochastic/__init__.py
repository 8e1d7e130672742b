"""Stochastic gradient descent: ``sgd_base`` is the loop over epochs, ``sgd_kernel`` an epoch, the others are models.

Other ways down are objects of ``probus.linear_model.optimisers``.
"""
