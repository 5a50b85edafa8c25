"""Tests run in 64-bit; the few that check 32-bit sessions say so themselves."""

import jax

jax.config.update("jax_enable_x64", True)
