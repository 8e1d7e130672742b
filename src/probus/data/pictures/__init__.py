"""Pictures of a table: each column, each column against a target, and pairs of columns. Matplotlib loads on first use.

``column_picture`` draws one column, ``target_picture`` a column against a target of any kind, ``picture_grid`` several
of them, ``spatial_picture`` three columns in space; ``bins`` has the edges of histograms.
"""

from probus.data.pictures._bins import histogram_edges
from probus.data.pictures._column_picture import draw_column
from probus.data.pictures._picture_grid import plot_columns, plot_pairs
from probus.data.pictures._spatial_picture import plot_space
from probus.data.pictures._target_picture import draw_against

__all__ = ["draw_against", "draw_column", "plot_columns", "plot_pairs", "plot_space"]
