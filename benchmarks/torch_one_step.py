"""The rival: `OneStep` in plain PyTorch, eager, as one would write it by hand.

The gradient is autograd's; float32 up to the hidden layer and float64 for the head, like ours;
one eigendecomposition serves all penalties, and the penalty is chosen on the same rows.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor


class TorchFit(NamedTuple):
    constant: Tensor
    linear: Tensor
    weight: Tensor
    bias: Tensor
    head: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        hidden = torch.relu(x @ self.weight.T + self.bias).double()
        return self.constant + x.double() @ self.linear + hidden @ self.head


def one_step(
    x: Tensor, y: Tensor, width: int, penalties: Tensor, draw: torch.Generator
) -> TorchFit:
    """x (n, d) in float32, y (n,) in float64; the last fifth of the rows chooses the penalty."""
    n = len(x) - len(x) // 5
    constant, linear = y[:n].mean(), x[:n].double().T @ y[:n] / n
    y = y - constant - x.double() @ linear
    weight = stepped(x[:n], y[:n].float(), width, draw)
    bias = torch.randn(width, generator=draw, device=x.device)
    hidden = torch.relu(x @ weight.T + bias).double()
    head = ridge(hidden[:n], y[:n], hidden[n:], y[n:], penalties)
    return TorchFit(constant, linear, weight, bias, head)


def stepped(x: Tensor, y: Tensor, width: int, draw: torch.Generator) -> Tensor:
    """−η∇_W mean (y − f(x))² from the symmetric start, rows of norm 1 in root mean square."""
    half, dim = width // 2, x.shape[1]
    w = torch.randn(half, dim, generator=draw, device=x.device) / math.sqrt(dim)
    a = 2.0 * torch.randint(2, (half,), generator=draw, device=x.device) - 1.0
    w, a = torch.cat([w, w]).requires_grad_(), torch.cat([a, -a])
    loss = ((y - torch.relu(x @ w.T) @ a) ** 2).mean()
    loss.backward()
    descent = -w.grad
    return descent / descent.square().sum(dim=1).mean().sqrt()


def ridge(h: Tensor, y: Tensor, h_val: Tensor, y_val: Tensor, penalties: Tensor) -> Tensor:
    """(HᵀH/n + λI)⁻¹Hᵀy/n at the penalty with the least error on the validation rows."""
    values, vectors = torch.linalg.eigh(h.T @ h / len(h))
    shifted = values.clamp(min=0.0)[:, None] + penalties
    path = vectors @ ((vectors.T @ (h.T @ y / len(h)))[:, None] / shifted)
    errors = (h_val @ path - y_val[:, None]).square().mean(dim=0)
    return path[:, errors.argmin()]


def fit_all(data: Any, width: int, penalties: Tensor, draw: torch.Generator) -> list[TorchFit]:
    """Fit after fit, and wait for the device."""
    fits = [one_step(x, y, width, penalties, draw) for x, y in data]
    if draw.device.type == "cuda":
        torch.cuda.synchronize()
    return fits
