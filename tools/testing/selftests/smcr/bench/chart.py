# SPDX-License-Identifier: GPL-2.0
"""A chart of medians and quartiles, as SVG: for each row a bar for each system,
with its name and value beside it, so that nothing depends on colours. The
description has all values in words."""
from xml.sax.saxutils import escape

WIDTH = 780
# Right end of the names of rows, left end of those of systems and of the bars,
# and right end of the longest bar
NAMES, SYSTEMS, BARS, END = 196, 208, 254, 640
BAR, GAP = 12, 3                # height of a bar, space below it
HEAD, ROW, GROUP = 58, 10, 34   # space above the first group, rows and groups

STYLE = """
  text { font: 12px sans-serif; fill: #1f2328 }
  .title { font: bold 15px sans-serif }
  .group { font: bold 13px sans-serif }
  .note { fill: #59636e }
  .name { text-anchor: end }
  .paper { fill: #ffffff }
  .TCP { fill: #818b98 }
  .Linux { fill: #bc7b00 }
  .smcr { fill: #0969da }
  .spread { stroke: #1f2328; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .note { fill: #9198a1 }
    .paper { fill: #0d1117 }
    .TCP { fill: #818b98 }
    .Linux { fill: #d29922 }
    .smcr { fill: #4493f8 }
    .spread { stroke: #f0f6fc }
  }
"""


def text(x, y, kind, words):
    """A line of text."""
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(words)}</text>'


def bar(y, scale, system, value):
    """Yield the elements of one bar. VALUE is the median, the quartiles and the
    text for them."""
    median, low, high, words = value
    length, left, right = (round(v * scale, 1) for v in (median, low, high))
    yield text(SYSTEMS, y + BAR - 2, "system", system)
    yield (f'<rect x="{BARS}" y="{y}" width="{length}" height="{BAR}" '
           f'class="{system}"/>')
    middle = y + BAR / 2
    yield (f'<path d="M{BARS + left:.1f} {middle - 3}v6m0 -3'
           f'H{BARS + right:.1f}m0 -3v6" class="spread"/>')
    yield text(round(BARS + max(length, right) + 6, 1), y + BAR - 2, "value",
               words)


def groups(found):
    """Yield the elements of all groups, each with the y below it."""
    y = HEAD
    for title, note, rows in found:
        y += GROUP
        yield y, (f'<text x="0" y="{y - 12}" class="group">{escape(title)}'
                  f' <tspan class="note">({escape(note)})</tspan></text>')
        scale = (END - BARS) / max(v[2] for _, systems in rows
                                   for v in systems.values())
        for name, systems in rows:
            middle = y + len(systems) * (BAR + GAP) / 2
            yield y, text(NAMES, middle + 3, "name", name)
            for system, value in systems.items():
                for element in bar(y, scale, system, value):
                    yield y, element
                y += BAR + GAP
            y += ROW
    yield y, ""


def describe(found):
    """All values in words."""
    for title, note, rows in found:
        yield f"{title} ({note})."
        for name, systems in rows:
            yield f"{name}: " + ", ".join(
                f"{s} {v[3]}" for s, v in systems.items()) + "."


def svg(title, note, found):
    """The chart. FOUND is a list of groups: title, note, and a list of rows:
    name, and for each system what bar() draws."""
    drawn = list(groups(found))
    height = drawn[-1][0] + 4
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="-12 0 {WIDTH + 24} {height}" width="{WIDTH + 24}" '
        f'height="{height}" aria-labelledby="title desc">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(note)} {escape(" ".join(describe(found)))}'
        '</desc>',
        f"<style>{STYLE}</style>",
        f'<rect x="-12" width="{WIDTH + 24}" height="{height}" '
        'class="paper"/>',
        text(0, 24, "title", title), text(0, 44, "note", note),
        *(element for _, element in drawn if element), "</svg>"]
    return "\n".join(lines) + "\n"
