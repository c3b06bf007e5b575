"""Everything at once: what each extra is for works beside the others too."""

import runpy
from pathlib import Path

here = Path(__file__)
for use in sorted(here.parent.glob("*.py")):
    if use.stem not in ("all", "core", "pandas", "pyarrow"):
        runpy.run_path(str(use))
