"""Numbers as a reader wants them: three digits, real minus signs, powers of ten."""

import math

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """Three significant digits: `0.0123`, `−2.5`, `1.2·10⁻⁶`, `∞`; a dash for no number."""
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size and (size < 1e-3 or size >= 1e6):
        return power_of_ten(value)
    text = f"{value:,.0f}" if size >= 999.5 else f"{value:.3g}"
    return text.replace(",", "\u2009").replace("-", "−")


def power_of_ten(value: float) -> str:
    """`10⁴`, `2·10⁻³`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    digits = f"{float(mantissa):g}".replace("-", "−")
    return power if digits == "1" else f"−{power}" if digits == "−1" else f"{digits}·{power}"


def interval(low: float, high: float) -> str:
    """`[1.5, 1.7]`."""
    return f"[{number(low)}, {number(high)}]"


def duration(seconds: float) -> str:
    """`0.4 s`, `41 s`, `3 min 20 s`, `2 h 5 min`."""
    if not math.isfinite(seconds):
        return "—"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
