"""The seam to Numba: its private compiler, and code that is written in LLVM's language because Numba writes it slower.

Both can change with any release of Numba. In a version for which they were not tried, see ``versions``, kernels use the
plain functions beside them, which return the same, and parts are compiled as Numba does it.

``compiled_parts`` has how the parts of kernels are compiled, and ``cache_files`` what a cache of kernels needs that
several processes share; ``instructions`` are single ones of the processor, ``code_lanes`` and ``distance_lanes`` loops
over many columns or rows at once.
"""
