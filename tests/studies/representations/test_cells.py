"""Cells, sample sizes and shapes."""

from featlearn.studies.representations._cells import KERNELS, cell, sample_sizes, shape


def test_sample_sizes_rise_and_come_once():
    assert sample_sizes(16, [4.0, 0.5, 1.0, 4.01, 10.0]) == [20, 64, 160]


def test_a_kernel_has_no_width_and_no_padding():
    for kernel in KERNELS:
        parameters = cell(kernel, 8, 50, rows=400, width=64)
        assert (parameters["rows"], parameters["width"]) == (50, 0)


def test_a_network_is_padded_to_its_rows():
    assert cell("one step", 8, 50, rows=400)["rows"] == 400
    assert cell("one step", 8, 50)["rows"] == 50


def test_networks_on_samples_of_any_size_noise_and_step_share_a_program():
    base = cell("one step", 8, 50, rows=400)
    assert shape(base) == shape(cell("one step", 8, 90, rows=400, noise=1.0, step=0.0))
    for change in ({"rows": 500}, {"width": 32}, {"p": 4}, {"head": False}, {"chance": True}):
        assert shape(base) != shape(cell("one step", 8, 50, **{"rows": 400, **change}))


def test_kernels_on_samples_of_two_sizes_share_none():
    assert shape(cell("RBF", 8, 50)) != shape(cell("RBF", 8, 90))
