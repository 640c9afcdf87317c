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
    """Returns matplotlib.pyplot, set up for reproducible files. Without matplotlib it prints a message and returns None."""
    try:
        import matplotlib
    except ImportError:
        print(f"no picture: matplotlib is missing; to draw it later: python3 {sys.argv[0]} {file}")
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": font_size, "svg.hashsalt": "warpfold"})
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


def save(figure, file):
    """Writes .svg and .png beside `file`."""
    for suffix in (".svg", ".png"):
        path = file.with_suffix(suffix)
        figure.savefig(path, dpi=130, metadata={"Date": None} if suffix == ".svg" else None)
        print(f"wrote {path}")


def save_small(figure, file):
    """Writes a .png of 256 colors, which has a third of the bytes."""
    from PIL import Image  # a dependency of matplotlib

    png = io.BytesIO()
    figure.savefig(png, dpi=150)
    image = Image.open(png).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    image.save(file, optimize=True)
