"""The rival: the residual network of "beyond kernels" in plain PyTorch, one setting after another.

Autograd and `torch.optim.SGD` with momentum 0.9, batches of 50 rows shuffled in every epoch, the
learning rate a tenth from half of the epochs on: what one would write by hand.
"""

import torch
from torch import Tensor


def train(
    x: Tensor, y: Tensor, width: int, rate: float, decay: float, epochs: int, draw: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """W, V′ and A after `epochs`, the loss ½‖·‖² in mean over a batch."""
    (n, d), k = x.shape, y.shape[1]

    def normal(rows: int, columns: int, variance: float) -> Tensor:
        return torch.randn(rows, columns, generator=draw, device=x.device) * variance**0.5

    w, v = normal(width, d + 1, 1 / d), normal(width, k + 1, 1 / width)
    a = normal(k, width, 1 / width)
    moving = [w.requires_grad_(), v.requires_grad_()]
    optimiser = torch.optim.SGD(moving, lr=rate, momentum=0.9, weight_decay=decay)
    x = torch.cat([x, torch.ones(n, 1, device=x.device)], dim=1)
    for epoch in range(epochs):
        if epoch == epochs // 2:
            for group in optimiser.param_groups:
                group["lr"] = rate / 10
        order = torch.randperm(n, generator=draw, device=x.device)
        for rows in order[: n // 50 * 50].split(50):
            out = forward(w, v, a, x[rows])
            loss = 0.5 * (out - y[rows]).square().sum(dim=1).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
    return w.detach(), v.detach(), a


def forward(w: Tensor, v: Tensor, a: Tensor, x: Tensor) -> Tensor:
    """g + A σ(V′(g, 1)) with g = A σ(W(x, 1)); x has its column of ones."""
    g = torch.relu(x @ w.T) @ a.T
    seen = torch.cat([g, torch.ones(len(x), 1, device=x.device)], dim=1)
    return g + torch.relu(seen @ v.T) @ a.T


def error(fit: tuple[Tensor, Tensor, Tensor], x: Tensor, y: Tensor) -> float:
    """Mean square, summed over outputs."""
    x = torch.cat([x, torch.ones(len(x), 1, device=x.device)], dim=1)
    return float((forward(*fit, x) - y).square().sum(dim=1).mean())
