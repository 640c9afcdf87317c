"""Functions for the scripts that draw pictures."""

import io
import sys


def size_text(bytes_):
    for unit in ("B", "KB", "MB", "GB"):
        if bytes_ < 1000:
            return f"{bytes_:.0f} {unit}"
        bytes_ /= 1024
    return f"{bytes_:.0f} TB"


def count_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def pyplot(font_size, file):
    """Returns matplotlib.pyplot. Without matplotlib it prints a message and returns None."""
    try:
        import matplotlib
    except ImportError:
        print(f"no picture: matplotlib is missing; to draw it later: python3 {sys.argv[0]} {file}")
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams["font.size"] = font_size
    import matplotlib.pyplot

    return matplotlib.pyplot


def finish_dots(figure, axes):
    """Finishes a dot plot: a line between the rows, and the legend below."""
    for y in range(1, len(axes.get_yticks())):
        axes.axhline(y - 0.5, color="#eeeeee", linewidth=1, zorder=0)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)


MOST_BYTES = 150_000  # of a picture in the repository; test/benchmarks/report_test.py checks it


def save(figure, file):
    """Writes a .png beside `file`, with 256 colors, which take a third of the bytes, and at most MOST_BYTES."""
    from PIL import Image  # a dependency of matplotlib

    path = file.with_suffix(".png")
    for dpi in (150, 125, 110, 100, 80):
        png = io.BytesIO()
        figure.savefig(png, dpi=dpi)
        image = Image.open(png).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            break
    print(f"wrote {path}")
