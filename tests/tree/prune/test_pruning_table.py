import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probus.tree.prune._pruning_table import PruningTable, chosen_row

risks = st.lists(st.floats(0.01, 1), min_size=1, max_size=20).map(np.array)

TABLE = PruningTable(
    alphas=np.array([0, 0.01, 0.02, 0.2]),
    n_leaves=np.array([40, 7, 3, 1]),
    train_risk=np.array([0.0, 0.05, 0.08, 0.5]),
    cv_risk=np.array([0.14, 0.10, 0.11, 0.5]),
    cv_se=np.array([0.02, 0.02, 0.02, 0.03]),
    chosen=2,
)


@given(risks, st.floats(0, 0.5))
def test_the_one_standard_error_rule_selects_the_smallest_tree_within_the_limit(risk, se):
    row = chosen_row("1se", risk, np.full(len(risk), se))
    assert risk[row] <= risk.min() * (1 + 1e-9) + se
    assert (risk[row + 1 :] > risk.min() + se).all()
    assert row >= chosen_row("min", risk, np.full(len(risk), se))


@given(risks)
def test_the_least_risk_of_the_smallest_tree_is_the_minimum(risk):
    row = chosen_row("min", risk, np.zeros(len(risk)))
    assert risk[row] <= risk.min() * (1 + 1e-9)
    assert (risk[row + 1 :] > risk.min()).all()


def test_the_table_prints_its_rows_and_marks_the_chosen_one():
    lines = repr(TABLE).splitlines()
    assert lines[0].split() == ["alpha", "leaves", "training", "cross-validated"]
    assert lines[2].split() == ["0.01", "7", "0.05", "0.1", "±", "0.02", "least"]
    assert lines[3].split()[-1] == "chosen"


def test_a_long_table_prints_what_surrounds_the_choice():
    rows = np.arange(50.0)
    long = PruningTable(rows, 50 - np.arange(50), rows, np.abs(rows - 20) + 1, np.ones(50), chosen=21)
    assert "least, chosen" not in repr(long)
    assert "chosen" in repr(long)
    assert "… and 38 more: see to_frame()" in repr(long)


def test_the_frame_has_a_row_for_each_tree():
    frame = TABLE.to_frame()
    assert frame.columns == ["alpha", "n_leaves", "train_risk", "cv_risk", "cv_se", "chosen"]
    assert frame["chosen"].to_list() == [False, False, True, False]


def test_the_plot_shows_the_line_of_one_standard_error_and_the_choice():
    import matplotlib as mpl

    mpl.use("agg")
    ax = TABLE.plot()
    named = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(named["least risk + 1 SE"].get_ydata(), 0.12)
    np.testing.assert_allclose(named["chosen: 3 leaves, α = 0.02"].get_xydata(), [[3, 0.11]])
