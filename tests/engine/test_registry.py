"""The registry: built-in studies, plugins, and names that are nearly right."""

import sys
import textwrap

import pytest

from featlearn.engine import load_registry
from featlearn.errors import NotFoundError


@pytest.fixture
def registry(make_toy):
    names = ("one/width", "two/gap", "one/transfer", "two/depth")
    return load_registry(
        make_toy(name=name, order=order, headline=name == "two/gap").study
        for order, name in enumerate(names)
    )


def names(studies):
    return [study.name for study in studies]


def test_studies_of_a_system_stand_together_in_their_order(registry):
    assert names(registry.studies) == ["one/width", "one/transfer", "two/gap", "two/depth"]


def test_studies_are_chosen_by_name_by_system_or_all(registry):
    assert registry.select() == registry.studies
    assert names(registry.select(["two"])) == ["two/gap", "two/depth"]
    assert names(registry.select(["two/gap", "one/width"])) == ["one/width", "two/gap"]
    assert names(registry.select(["one/", "one/width"])) == ["one/width", "one/transfer"]
    assert names(registry.select(headline=True)) == ["two/gap"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("two/gpa", "did you mean two/gap"),
        ("transfr", "did you mean one/transfer"),
        ("tow", "did you mean two"),
        ("zzz", "`featlearn list` names them"),
    ],
)
def test_a_name_that_is_nearly_right_gets_a_hint(registry, name, hint):
    with pytest.raises(NotFoundError, match=hint):
        registry.select([name])


def test_no_headline_among_those_named(registry):
    with pytest.raises(NotFoundError, match="leave out --headline"):
        registry.select(["one"], headline=True)


PLUGIN = """
    from featlearn.engine import Study

    def study(name):
        return Study(name=name, source="", statement="", settings={}, seeds={}, grid=list,
                     shape=str, run=list, judge=list, figure=str, notes="")

    STUDIES = [study("mine/a"), study("mine/b")]
    single = study("mine/c")
    taken = study("one/width")
    nonsense = 3
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Installs a package whose entry points are the given lines."""

    def install(*lines):
        info = tmp_path / "plugin_of_a_test-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-studies\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[featlearn.studies]", *lines]))
        (tmp_path / "plugin_of_a_test.py").write_text(textwrap.dedent(PLUGIN))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "plugin_of_a_test", raising=False)

    return install


def test_plugins_bring_a_module_of_studies_or_a_single_one(plugin, registry):
    plugin("all = plugin_of_a_test", "one = plugin_of_a_test:single")
    both = load_registry(registry.studies)
    assert names(both.select(["mine"])) == ["mine/a", "mine/b", "mine/c"]
    assert both.problems == ()
    assert both.find("mine/c").system == "mine"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("plugin_of_a_test:nonsense", "TypeError"),
        ("plugin_of_a_test:missing", "AttributeError"),
        ("no_such_module", "ModuleNotFoundError"),
        ("plugin_of_a_test:taken", "already"),
    ],
)
def test_a_plugin_that_is_broken_is_skipped_with_a_sentence(plugin, registry, target, why):
    plugin(f"broken = {target}")
    rest = load_registry(registry.studies)
    assert rest.studies == registry.studies
    (problem,) = rest.problems
    assert problem.startswith("The studies of their-studies were skipped")
    assert why in problem
