"""The search for dark matter with a camera: electrons or helium nuclei? See docs/recoils.md.

python -m examples.recoils --quick
"""
