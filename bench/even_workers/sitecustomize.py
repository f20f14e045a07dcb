"""On the PYTHONPATH of the row "weft, nice 0": parse workers, which make themselves nicer, stay as the others are."""

import os

os.nice = lambda increment: 0
