"""The one part in C, built where there is a compiler; weft runs without it. All else is in pyproject.toml."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("weft.parse._scan", ["src/weft/parse/_scan.c"], optional=True)])
