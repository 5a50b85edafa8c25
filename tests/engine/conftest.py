"""Studies that compute nothing but what a test can foretell."""

import pytest

from featlearn.claims import AtMost, Measured, judge
from featlearn.engine import Outcome, Study
from featlearn.store import Store


def _judge(frame):
    risks = frame["risk"]
    measured = Measured(risks.mean(), risks.min(), risks.max(), len(risks))
    return [judge("toy/risk", "the mean risk", measured, AtMost(100.0))]


class Toy:
    """A study that notes the fleets it was given; `outcome` may be replaced by a test."""

    def __init__(self, **changes):
        self.fleets = []
        self.study = Study(
            **{
                "name": "toy/risk",
                "source": "a document",
                "statement": "The risk is small.",
                "settings": {
                    "smoke": {"n": [1], "dim": 2},
                    "quick": {"n": [1, 2, 3], "dim": 8},
                },
                "seeds": {"smoke": 1, "quick": 2},
                "grid": lambda s: [{"n": n, "dim": s["dim"]} for n in s["n"]],
                "shape": lambda p: p["n"],
                "run": self.run,
                "judge": _judge,
                "figure": lambda frame: None,
                "notes": "",
                **changes,
            }
        )

    def run(self, cells):
        self.fleets.append([(c.parameters["n"], c.repetition) for c in cells])
        return [self.outcome(cell) for cell in cells]

    def outcome(self, cell):
        return Outcome(values={"risk": 10.0 * cell.parameters["n"] + cell.repetition})


@pytest.fixture
def make_toy():
    return Toy


@pytest.fixture
def toy(make_toy):
    return make_toy()


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "x.sqlite") as opened:
        yield opened
