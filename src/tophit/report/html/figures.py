"""Small pictures inside the text of a page, as SVG: they need no script and print as they are."""

from __future__ import annotations

from collections.abc import Mapping

from tophit.report.html.tags import Html, tag

_WIDTH = 100


def interval(
    value: float, low: float | None, high: float | None, *, least: float = 0.0, most: float = 1.0
) -> Html:
    """A value on a scale from `least` to `most` with its interval; a line at 0 if it is inside.

    >>> interval(0.5, None, None).count("<rect")
    2
    """

    def at(number: float) -> float:
        return round(_WIDTH * (min(max(number, least), most) - least) / (most - least), 2)

    marks = [tag("rect", x=0, y=5.5, width=_WIDTH, height=1, class_="scale")]
    if low is not None and high is not None:
        width = max(at(high) - at(low), 0.6)
        marks.append(tag("rect", x=at(low), y=3.5, width=round(width, 2), height=5, class_="band"))
    if least < 0 < most:
        marks.append(tag("rect", x=at(0) - 0.25, y=0, width=0.5, height=12, class_="zero"))
    marks.append(tag("rect", x=round(at(value) - 0.6, 2), y=1, width=1.2, height=10, class_="dot"))
    return _svg(marks, "0 0 100 12", "interval")


def stacked(counts: Mapping[str, int]) -> Html:
    """A bar of parts, one a name, each with the class `o-NAME`.

    >>> stacked({"found": 3, "late": 0, "cut": 1}).count("<rect")
    2
    """
    total = sum(counts.values())
    marks, place = [], 0.0
    for name, count in counts.items():
        if count:
            width = _WIDTH * count / total
            marks.append(
                tag("rect", x=round(place, 3), y=0, width=round(width, 3), height=10,
                    class_=f"o-{name}")
            )  # fmt: skip
            place += width
    return _svg(marks, "0 0 100 10", "stacked")


def share(value: float) -> Html:
    """A bar for a share.

    >>> 'width="40.0"' in share(0.4)
    True
    """
    marks = [
        tag("rect", x=0, y=0, width=_WIDTH, height=6, class_="scale"),
        tag("rect", x=0, y=0, width=round(_WIDTH * value, 2), height=6, class_="fill"),
    ]
    return _svg(marks, "0 0 100 6", "share")


def _svg(marks: list[Html], box: str, kind: str) -> Html:
    # what it shows stands in words beside it
    return tag("svg", *marks, viewBox=box, preserveAspectRatio="none", class_=kind,
               aria_hidden="true")  # fmt: skip
