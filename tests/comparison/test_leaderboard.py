import json
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from probus.comparison import Leaderboard, corrected_resampled_ttest, holm_pvalues
from probus.errors import DataError, FailedModelError
from probus.model_selection import splits_of

NOISE = np.array([0.0, 0.1, 0.05, 0.02, 0.08, 0.03, 0.09, 0.01, 0.06, 0.04])
WOBBLE = np.array([0.02, -0.02, 0.03, -0.01, 0.01, -0.03, 0.02, -0.02, 0.01, 0.0])


@pytest.fixture
def three(made):
    best, close = made.with_errors("best", 1.0 + NOISE), made.with_errors("close", 1.002 + NOISE + WOBBLE)
    return [made.with_errors("far", 1.2 + NOISE + WOBBLE[::-1] / 2), close, best]


# -- the order and the marks ---------------------------------------------------------------------------


def test_the_best_is_first_and_behind_itself_by_nothing(three):
    board = Leaderboard.of(three, ["rmse"])
    assert [(standing.rank, standing.name) for standing in board] == [(1, "best"), (2, "close"), (3, "far")]
    assert (board.best.behind.value, board.best.tied) == (0.0, False)
    assert board["far"].behind.value == pytest.approx(0.2, abs=0.02)


def test_the_note_below_the_table_is_wrapped(three):
    board = Leaderboard.of(three, ["rmse"])
    lines = repr(board).splitlines()[1 + len(board) :]
    assert " ".join(lines) == board.note
    assert len(lines) > 1
    assert max(map(len, lines)) <= 110


def test_gains_are_ranked_the_other_way_round(made):
    board = Leaderboard.of(
        [made.with_hits("weak", np.arange(100) % 2 == 0), made.with_hits("strong", True)], ["accuracy"]
    )
    assert board.best.name == "strong"
    assert board["weak"].behind.value == pytest.approx(0.5)


def test_the_order_of_the_results_does_not_matter(three):
    boards = {repr(Leaderboard.of(list(order), ["rmse"])) for order in permutations(three)}
    assert len(boards) == 1


def test_equal_scores_keep_the_order_of_the_results(made):
    board = Leaderboard.of([made.with_errors("simple", 1 + NOISE), made.with_errors("complex", 1 + NOISE)], ["rmse"])
    assert board.best.name == "simple"
    assert board["complex"].tied


def test_the_mark_is_the_corrected_t_test_with_holms_correction_over_all_pairs(three):
    board = Leaderboard.of(three, ["rmse"], test="corrected_t")
    ratio = three[0].splits.test_to_train
    scores = {result.name: result.scores("rmse") for result in three}
    pairs = [("best", "close"), ("best", "far"), ("close", "far")]
    expected = holm_pvalues([corrected_resampled_ttest(scores[a], scores[b], ratio).pvalue for a, b in pairs])
    np.testing.assert_allclose([pair.adjusted for pair in board.pairs], expected)
    assert [standing.tied for standing in board] == [False, True, False]
    assert [standing.name for standing in board.tied] == ["close"]


def test_scores_and_intervals_are_those_of_each_result(three):
    board = Leaderboard.of(three, ["rmse", "mae"], level=0.9)
    for result in three:
        for name in ("rmse", "mae"):
            assert board[result.name].scores[name] == result.estimate(name, 0.9)


def test_equal_models_are_seldom_told_from_the_luckiest():
    # six models of equal skill, the luckiest of which is held against the others by t-tests on independent scores
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(2000, 6, 10))
    first, second = np.array(list(combinations(range(6), 2))).T
    p = ttest_1samp(scores[:, first] - scores[:, second], 0, axis=-1).pvalue
    best = scores.mean(axis=-1).argmax(axis=1)[:, None]
    with_best = (best == first) | (best == second)
    adjusted = np.apply_along_axis(holm_pvalues, 1, p)
    alarms = {
        "none": (np.where(with_best, p, 1).min(axis=1) < 0.05).mean(),
        "pairs with the best": (np.where(with_best, p, 1).min(axis=1) < 0.05 / 5).mean(),
        "all pairs": (np.where(with_best, adjusted, 1).min(axis=1) < 0.05).mean(),
    }
    assert alarms["none"] > 0.25
    assert alarms["pairs with the best"] > 0.06
    assert alarms["all pairs"] < 0.05


# -- what went wrong -----------------------------------------------------------------------------------


def test_a_model_that_failed_everywhere_is_last_with_its_error(made, three):
    broken = made.with_errors("broken", np.zeros(10), failed=range(10))
    board = Leaderboard.of([broken, *three], ["rmse"])
    assert (board[-1].rank, board[-1].name) == (None, "broken")
    assert board[-1].status == "failed on all 10 splits: ValueError: boom"
    assert " ".join(repr(board).splitlines()[4].split()) == "– broken – failed on all 10 splits: ValueError: boom"
    assert board.to_frame()["rmse"][3] != board.to_frame()["rmse"][3]


@pytest.mark.parametrize("size", [0.1, 3])
def test_a_model_that_failed_on_some_splits_is_neither_ranked_nor_tested(made, three, size):
    board = Leaderboard.of([made.with_errors("shaky", size * (1 + NOISE), failed=[2, 7]), *three], ["rmse"])
    assert (board[-1].name, board[-1].rank, board[-1].verdict) == ("shaky", None, "")
    assert board.pairs.to_dict() == Leaderboard.of(three, ["rmse"]).pairs.to_dict()
    assert "failed on 2 of 10 splits, scored there as the constant predictor: ValueError: boom" in repr(board)
    assert "failed on 2 of 10 splits" in board["shaky"].scores["rmse"].method


def test_a_board_without_a_sound_model_is_an_error(made):
    shaky = [made.with_errors(name, 1 + NOISE, failed=[2]) for name in ("a", "b")]
    with pytest.raises(
        FailedModelError, match="no model is without failures: a failed on 1 of 10 splits, scored there"
    ):
        Leaderboard.of(shaky, ["rmse"])


def test_a_board_of_failures_is_an_error(made):
    broken = [made.with_errors(name, NOISE, failed=range(10)) for name in ("a", "b")]
    with pytest.raises(
        DataError, match="no model can be ranked: a failed on all 10 splits: ValueError: boom; b failed"
    ):
        Leaderboard.of(broken, ["rmse"])


def test_a_model_without_what_the_main_measure_needs_is_not_ranked(made):
    results = [made.with_hits(name, np.arange(100) % 3 > i) for i, name in enumerate("ab")]
    board = Leaderboard.of(results, ["accuracy", "log_loss"])
    assert board.printed("a", "log_loss") == "–"
    with pytest.raises(DataError, match="a not ranked: no probabilities to measure"):
        board.with_scoring("log_loss")


def test_models_without_a_result_are_listed_with_the_reason(three):
    board = Leaderboard.of(three, ["rmse"], absent={"slow": "not finished: 3 of 10 splits done"})
    assert (board["slow"].rank, board["slow"].status) == (None, "not finished: 3 of 10 splits done")
    assert board.printed("slow", "rmse") == "–"
    assert board.with_scoring("mae")["slow"] is not None


def test_a_name_that_is_not_there_is_a_key_error(three):
    board = Leaderboard.of(three, ["rmse"])
    with pytest.raises(KeyError, match="nobody"):
        board["nobody"]
    with pytest.raises(KeyError, match="nobody"):
        board.pairs["best", "nobody"]


# -- another measure, other tests ----------------------------------------------------------------------


def test_another_measure_needs_no_refit(made):
    rows = np.arange(100)
    # a is right more often, b on the positive class: the order depends on the measure
    a, b = made.with_hits("a", rows % 2 == 0), made.with_hits("b", (rows % 2 == 1) & (rows % 5 > 0))
    board = Leaderboard.of([a, b], ["accuracy"])
    by_f1 = board.with_scoring("f1")
    assert (board.best.name, by_f1.best.name) == ("a", "b")
    assert [measure.name for measure in by_f1.measures] == ["f1", "accuracy"]
    assert by_f1["b"].scores["accuracy"] == board["b"].scores["accuracy"]


def test_another_measure_keeps_the_test_that_was_asked_for_where_it_fits(made):
    rows = np.arange(100)
    results = [made.with_hits("a", rows % 10 > 0), made.with_hits("b", rows % 2 == 0)]
    asked = {test: Leaderboard.of(results, ["accuracy"], test=test) for test in ("auto", "bootstrap")}
    assert {test: board.with_scoring("f1").test for test, board in asked.items()} == {
        "auto": "paired_rows",
        "bootstrap": "bootstrap",
    }
    splits = splits_of([(range(40), range(40, 100))], made.classes)
    held_out = [made.with_hits("a", rows % 10 > 0, splits), made.with_hits("b", rows % 2 == 0, splits)]
    counting = Leaderboard.of(held_out, ["accuracy"], test="mcnemar")
    assert counting.with_scoring("f1").test == "bootstrap"  # McNemar's test counts right rows only
    assert counting.with_scoring("accuracy").test == "mcnemar"


def test_a_hold_out_set_is_judged_by_mcnemar(made):
    splits = splits_of([(range(40), range(40, 100))], made.classes)
    rows = np.arange(100)
    results = [made.with_hits("a", rows % 10 > 0, splits), made.with_hits("b", rows % 2 == 0, splits)]
    board = Leaderboard.of(results, ["accuracy"])
    assert board.test == "mcnemar"
    assert not board["b"].tied


def test_one_result_is_a_board_of_one(three):
    board = Leaderboard.of(three[:1])
    assert [measure.name for measure in board.measures] == ["rmse", "mae", "r2"]
    assert len(board.pairs) == 0
    assert board.note == ""


# -- at the door ---------------------------------------------------------------------------------------


def test_results_on_other_splits_are_refused(made, three):
    other = made.with_errors("other", np.ones(5), splits_of(5, made.numbers))
    with pytest.raises(
        DataError, match=r"'far' and 'other' were resampled on different splits \(5-fold.* 2 times; 5-fold"
    ):
        Leaderboard.of([three[0], other])


def test_equal_splits_that_were_drawn_apart_are_the_same(made, three):
    again = made.with_errors("again", 2 + NOISE, made.ten_splits(made.numbers))
    assert again.splits is not three[0].splits
    assert Leaderboard.of([three[0], again], ["rmse"]).best.name == "far"


def test_results_on_other_tasks_are_refused(made, three):
    with pytest.raises(DataError, match="'far' and 'other' were resampled on different tasks"):
        Leaderboard.of([three[0], made.with_hits("other", True)])


def test_no_results_are_refused():
    with pytest.raises(DataError, match="no results"):
        Leaderboard.of([])


def test_names_that_repeat_are_counted(made):
    board = Leaderboard.of([made.with_errors("m", 1 + NOISE), made.with_errors("m", 2 + NOISE)])
    assert [standing.name for standing in board] == ["m", "m 2"]


# -- looks ---------------------------------------------------------------------------------------------


def test_it_shows_itself_as_text_html_frame_dict_and_picture(made, three):
    from matplotlib.figure import Figure

    board = Leaderboard.of([made.with_errors("<b>", 0.9 + NOISE), *three], ["rmse", "r2"])
    lines = repr(board).splitlines()
    assert lines[0].split() == ["model", "RMSE", "R²", "against", "the", "best"]
    assert lines[1].startswith("1  <b>")
    assert "p < 0.001" in lines[4]
    assert lines[-1] == "p-values are adjusted for the largest difference among 4 models"
    assert "&lt;b&gt;" in board._repr_html_()
    frame = board.to_frame()
    assert frame["model"].to_list() == ["<b>", "best", "close", "far"]
    assert frame.columns[:5] == ["rank", "model", "rmse", "rmse_low", "rmse_high"]
    assert frame.columns[8:] == ["verdict", "evidence", "detectable", "seconds", "status"]
    told = json.loads(json.dumps(board.to_dict()))
    assert told[1]["scores"]["rmse"]["value"] == pytest.approx(np.sqrt(np.mean((1 + NOISE) ** 2)))
    axes = board.plot(Figure().add_subplot())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["<b>", "best", "close", "far"]


def test_the_verdicts_are_explained(three):
    board = Leaderboard.of(three, ["rmse"])
    close = board["close"]
    assert f"undecided, {close.evidence}, detects {close.detectable:.2g}\n" in repr(board)
    assert board.note == (
        '"detects": the smallest difference that 80 % of such comparisons would find; '
        "p-values are adjusted for the largest difference among 3 models"
    )


def test_other_tests_show_their_p_and_their_correction(three):
    board = Leaderboard.of(three, ["rmse"], test="corrected_t")
    assert f"undecided, {board['close'].evidence}\n" in repr(board)
    assert repr(board).endswith("\np-values by Holm's method over all 3 pairs")


def test_columns_are_printed_to_the_digits_of_the_best(three):
    board = Leaderboard.of(three, ["rmse"])
    decimals = board.best.scores["rmse"].decimals
    value, low, high = board["far"].scores["rmse"].texts(decimals)
    assert value == f"{board['far'].scores['rmse'].value:.{decimals}f}"
    assert board.printed("far", "rmse") == f"{value} [{low}, {high}]"


def test_beside_a_score_near_zero_others_have_their_own_digits(made):
    board = Leaderboard.of(
        [made.with_errors("far", 1.2 + NOISE), made.with_errors("near", 1e-5 * (1 + NOISE))], ["rmse"]
    )
    assert "e-05" in board.printed("near", "rmse")
    assert board.printed("far", "rmse") == str(board["far"].scores["rmse"])
    assert "e" not in board.printed("far", "rmse")
