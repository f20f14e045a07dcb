"""The parts in C, built where there is a compiler; weft runs without them. All else is in pyproject.toml."""

from glob import glob

from setuptools import Extension, setup

HEADERS = sorted(glob("src/weft/parse/_*.h"))

setup(
    ext_modules=[
        Extension(name, [source], depends=HEADERS, optional=True)
        for name, source in {
            "weft.parse._scan": "src/weft/parse/_scan.c",
            "weft.mirror._marks": "src/weft/mirror/_marks.c",
            "weft.graph._rows": "src/weft/graph/_rows.c",
            "weft.store._record": "src/weft/store/_record.c",
            "weft.fetch._head": "src/weft/fetch/_head.c",
            "weft.store._lines": "src/weft/store/_lines.c",
        }.items()
    ]
)
