# SPDX-License-Identifier: BSD-2-Clause
"""The text report of a profile: each function's samples, in it alone and with what it called, as a table."""

import flame
import stacks

LIMIT = 30


def table(found, limit=LIMIT):
    """Sorted by own samples, then by all, then by name."""
    whole = sum(count for _, count in found)
    rows = sorted(stacks.functions(found).items(), key=lambda row: (-row[1][0], -row[1][1], row[0]))
    lines = [f"{'self':>8} {'total':>8} {'samples':>9}  function"]
    for name, (own, total) in rows[:limit]:
        lines.append(f"{flame.percent(own, whole):>8} {flame.percent(total, whole):>8} {own:>9}  {name}")
    if len(rows) > limit:
        lines.append(f"{'':>8} {'':>8} {'':>9}  ... and {len(rows) - limit} more")
    lines.append(f"{'':>8} {'':>8} {whole:>9}  all")
    return "\n".join(lines)
