"""Where the texts of a figure are, for tests that no text is cut off, small or on another."""

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def check_texts(figure, fewest):
    """Check that a figure has more texts than `fewest`, all of them to be read."""
    found, page = boxes(figure)
    assert len(found) > fewest
    for text, box in found:
        assert text.get_fontsize() >= 6, text
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text
    for (one, a), (other, b) in combinations(found, 2):
        apart = min(a.x1, b.x1) - max(a.x0, b.x0) <= 0.5 or min(a.y1, b.y1) - max(a.y0, b.y0) <= 0.5
        assert apart, (one, other)


def boxes(figure):
    """The boxes of all texts that are seen, in pixels."""
    canvas = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    hidden = {id(text) for panel in figure.axes for text in unseen(panel)}
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and id(t) not in hidden]
    return [(t, t.get_window_extent(canvas.get_renderer())) for t in texts], figure.bbox


def unseen(panel):
    """Labels of ticks beyond the limits, which matplotlib does not draw."""
    for axis in (panel.xaxis, panel.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)
