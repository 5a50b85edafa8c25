"""The rival: the same training in plain PyTorch, autograd and `torch.optim.Adam`, eager.

One network, or R of them as batched matrix products; fresh points at every step, on the device.
"""

import torch
from torch import Tensor


def toy(x: Tensor, alpha: float) -> Tensor:
    """x₁² + x₂² + α((x₁² + x₃)² + (x₂² + x₄)²)."""
    first, second = x[..., 0] ** 2, x[..., 1] ** 2
    return first + second + alpha * ((first + x[..., 2]) ** 2 + (second + x[..., 3]) ** 2)


def train(
    networks: int, dim: int, width: int, batch: int, steps: int, *, alpha: float, device: str
) -> float:
    """The mean loss of the last step, in units of the labels' mean square."""
    draw = torch.Generator(device=device).manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, device=device)

    lead = () if networks == 1 else (networks,)
    w10, w20 = (0.3 * dim**-0.5 * normal(*lead, dim, width) for _ in range(2))
    w21 = 0.3 * width**-0.5 * normal(*lead, width, width)
    weights = [w.requires_grad_() for w in (w10, w20, w21)]
    optimiser = torch.optim.Adam(weights, lr=0.01)
    scale = toy(1 + normal(100_000, dim), alpha).square().mean().sqrt()
    for _ in range(steps):
        x = 1 + normal(*lead, batch, dim)
        y = toy(x, alpha) / scale
        first = (x @ w10).square()
        second = (x @ w20 + first @ w21).square()
        found = (first.sum(-1) + second.sum(-1)) / width**0.5
        loss = (found - y).square().mean(-1)
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
    if device == "cuda":
        torch.cuda.synchronize()
    return float(loss.detach().mean())
