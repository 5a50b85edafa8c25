"""Cells, sample sizes and shapes."""

from featlearn.studies.representations._cells import KERNELS, cell, kernel_rows, sample_sizes, shape


def test_sample_sizes_rise_and_come_once():
    assert sample_sizes(16, [4.0, 0.5, 1.0, 4.01, 10.0]) == [20, 64, 160]


def test_a_kernel_has_no_width():
    for kernel in KERNELS:
        assert cell(kernel, 8, 50, width=64)["width"] == 0


def test_samples_are_padded_to_the_rows_asked_for():
    for learner in ("one step", "RBF"):
        assert cell(learner, 8, 50, rows=400)["rows"] == 400
        assert cell(learner, 8, 50)["rows"] == 50


def test_small_samples_of_a_kernel_share_a_shape_and_large_ones_are_not_padded():
    assert kernel_rows([100, 900, 1100, 5000]) == {100: 900, 900: 900, 1100: 1100, 5000: 5000}
    assert kernel_rows([]) == {}


def test_networks_on_samples_of_any_size_noise_and_step_share_a_program():
    base = cell("one step", 8, 50, rows=400)
    assert shape(base) == shape(cell("one step", 8, 90, rows=400, noise=1.0, step=0.0))
    for change in ({"rows": 500}, {"width": 32}, {"r": 2}, {"head": False}, {"chance": True}):
        assert shape(base) != shape(cell("one step", 8, 50, **{"rows": 400, **change}))


def test_teachers_of_one_degree_share_a_program():
    assert shape(cell("one step", 8, 50)) == shape(cell("one step", 8, 50, form="hermite"))
    assert shape(cell("RBF", 8, 50)) != shape(cell("RBF", 8, 50, p=4))


def test_kernels_on_samples_of_two_sizes_share_none():
    assert shape(cell("RBF", 8, 50)) != shape(cell("RBF", 8, 90))
