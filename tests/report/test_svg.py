"""Pictures as markup: the same bytes each time, alone in their names."""

import re
from xml.etree import ElementTree

from matplotlib.figure import Figure

from featlearn.report._svg import draw_svg


def _draw() -> Figure:
    figure = Figure(figsize=(3, 2))
    ax = figure.subplots()
    ax.plot([0, 1, 2], [0.123456789, 1, 2], "o-")
    ax.set_title("a < b")
    return figure


def test_is_whole_and_alone():
    picture = draw_svg(_draw, "one-", "x < y")
    root = ElementTree.fromstring(picture)
    assert root.tag == "svg"
    assert root.find("title").text == "x < y"
    assert "http" not in picture
    assert "<style" not in picture
    assert "<metadata" not in picture
    assert "max-width:3in" in root.get("style")
    assert not re.search(r"\d\.\d{3}", " ".join(e.get("d", "") for e in root.iter()))


def test_every_name_is_its_own_and_is_used():
    picture = draw_svg(_draw, "one-", "x")
    ids = set(re.findall(r' id="([^"]*)"', picture))
    used = set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', picture))
    used = {a or b for a, b in used} | {"one-title"}
    assert ids == used
    assert len(ids) > 5
    assert all(name.startswith("one-") for name in ids)


def test_same_figure_same_bytes_but_for_the_prefix():
    assert draw_svg(_draw, "a-", "x") == draw_svg(_draw, "a-", "x")
    assert draw_svg(_draw, "a-", "x").replace("a-", "b-") != draw_svg(_draw, "a-", "x")
    other = draw_svg(_draw, "QQ-", "x")
    assert other.replace("QQ-", "ZZ-") == draw_svg(_draw, "ZZ-", "x")


def test_numbers_are_not_lost_by_rounding():
    picture = draw_svg(_draw, "a-", "x")
    scales = re.findall(r"scale\(([0-9.]+)", picture)
    assert any(0 < float(scale) < 0.2 for scale in scales)  # letters, in units of their fonts
