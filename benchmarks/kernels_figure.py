"""Time of a Gram matrix against n, d and depth, with the slopes that were measured.

    python benchmarks/kernels_figure.py RESULT.json FIGURE.png

RESULT.json is what `kernels.py --out` wrote; nothing is measured here.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

NAMES = {"n": "points n", "d": "dimension d", "depth": "hidden layers"}
COLOUR = "#2a5d9f"


def draw(found: dict[str, Any], out: Path) -> None:
    growth = found["growth"]
    figure, panels = plt.subplots(1, len(growth), figsize=(9, 2.9), sharey=True)
    for panel, (name, line) in zip(panels, growth.items(), strict=True):
        panel.loglog(line["at"], [1e3 * s for s in line["seconds"]], "o-", color=COLOUR)
        panel.set_xlabel(NAMES[name])
        panel.set_xticks(line["at"], [str(at) for at in line["at"]])
        panel.minorticks_off()
        panel.set_title(
            f"slope {line['slope']:.2f}, at the end {line['last_slope']:.2f}", fontsize=9
        )
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("milliseconds")
    size = found["size"]
    figure.suptitle(
        f"K(x, x) in float32 of the ReLU NTK, around n = {size['n']}, d = {size['d']}, "
        f"{size['depth']} hidden layers ({found['device']})",
        fontsize=9,
    )
    figure.tight_layout()
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=130)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
