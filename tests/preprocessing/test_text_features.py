import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.preprocessing import DroppedColumnWarning, TextFeatures
from probus.preprocessing._hashed_words import word_counts
from probus.preprocessing._result_cache import Memory

rng = np.random.default_rng(3)
GOOD, BAD = ["lovely", "great fit", "soft fabric", "perfect"], ["too small", "cheap", "returned it", "itchy fabric"]
FILLER = ["dress", "shirt", "the colour", "bought this", "for my sister", "last week"]


def reviews(n, seed=0):
    """Texts of a few words, and whether they are good."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    words = [[*rng.choice(FILLER, 3), *rng.choice(GOOD if good else BAD, 1)] for good in y]
    return [" ".join(rng.permutation(each)) for each in words], y


def note(texts) -> Table:
    return Table([Column.text("note", texts)])


def test_topics_span_those_of_scikit_learn():
    texts, _ = reviews(200)
    matrix = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"\w\w+").fit_transform(
        texts
    )
    theirs = TruncatedSVD(5, random_state=0).fit_transform(matrix)
    ours = TextFeatures(5).fit(note(texts)).transform(note(texts)).numbers()
    np.testing.assert_allclose(np.abs((ours * theirs).sum(axis=0)), (theirs**2).sum(axis=0), rtol=1e-3)


def test_scores_are_those_of_a_ridge_regression():
    texts, y = reviews(200)
    matrix = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"\w\w+").fit_transform(
        texts
    )
    expected = Ridge(3.0).fit(matrix.toarray(), y).predict(matrix.toarray())
    ours = TextFeatures(0).fit(note(texts), y).transform(note(texts))
    assert ours.names == ("note: score",)
    np.testing.assert_allclose(ours["note: score"].values, expected, atol=5e-3)


def test_scores_of_training_rows_do_not_know_their_own_target():
    """Unique words predict random labels perfectly where the same rows taught them."""
    texts = [f"word{i} other{i}" for i in range(100)] * 2
    y = np.random.default_rng(0).integers(0, 2, 200)
    features = TextFeatures(random_state=0)
    crossed = features.fit_transform(note(texts), y)["note: score"].values
    known = features.transform(note(texts))["note: score"].values
    own = y - (np.roll(y, 100) + y) / 2  # what only the row itself could tell
    assert np.corrcoef(own, known)[0, 1] == pytest.approx(0, abs=0.05)
    assert np.corrcoef(crossed, y)[0, 1] < 0.5 * np.corrcoef(known, y)[0, 1]


def test_words_are_learnt_from_the_training_rows_only():
    texts, y = reviews(100)
    features = TextFeatures(random_state=0).fit(note(texts), y)
    silent = features.transform(note(["unheard words alone"])).numbers()
    assert silent[0, 0] == pytest.approx(features.words_[0].offsets[0])
    assert (silent[0, 1:] == 0).all()


def test_missing_is_nan_and_empty_is_not():
    texts, y = reviews(60)
    features = TextFeatures(3, random_state=0).fit(note([*texts, None, ""]), [*y, 0, 1])
    numbers = features.transform(note([None, "", "  ", "!"])).numbers()
    assert np.isnan(numbers[0]).all()
    assert np.isfinite(numbers[1:]).all()


def test_several_classes_have_a_score_each_and_numbers_one():
    texts, y = reviews(60)
    three = np.array(["a", "b", "c"])[np.arange(60) % 3]
    names = TextFeatures(1).fit(note(texts), three).get_feature_names_out().tolist()
    assert names == ["note: score a", "note: score b", "note: score c", "note: topic 1"]
    assert TextFeatures(0).fit(note(texts), y + 0.5).get_feature_names_out().tolist() == ["note: score"]
    counts = TextFeatures(0, target_type="continuous").fit(note(texts), np.arange(60))
    assert counts.get_feature_names_out().tolist() == ["note: score"]
    both = TextFeatures(0).fit(note(texts), np.column_stack([y + 0.5, y]))
    assert both.get_feature_names_out().tolist() == ["note: score 1", "note: score 2"]


def test_a_rare_class_need_not_be_in_every_fold():
    texts, _ = reviews(30)
    labels = np.array(["a"] * 20 + ["b"] * 9 + ["c"])
    assert np.isfinite(TextFeatures(2, random_state=0).fit_transform(note(texts), labels).numbers()).all()


@pytest.mark.parametrize(
    ("positive", "negative"),
    [("非常好 很喜欢", "质量不好 退货"), ("とても良いです", "返品しました"), ("очень хорошо", "плохое качество"),
     ("बहुत अच्छा है", "खराब गुणवत्ता"), ("جيد جدا", "سيئ للغاية"), ("ดีมากค่ะ", "แย่มาก"), ("großartig schön", "übel")],
)  # fmt: skip
def test_scripts_of_any_kind_have_words(positive, negative):
    texts = [positive, negative] * 20
    features = TextFeatures(random_state=0).fit(note(texts), np.arange(40) % 2)
    scores = features.transform(note([positive, negative]))["note: score"].values
    assert scores[1] - scores[0] > 0.5


def test_characters_are_words_only_where_there_are_no_spaces():
    assert word_counts(["没有问题 ok then"]).sum() == 4 + 2 + 5
    assert word_counts(["a b c"]).sum() == 0
    assert word_counts(["ok没"]).nnz == 3


def test_text_without_words_is_dropped_with_a_warning():
    table = note(["?", "!", "…"]).with_columns(Column.numbers("x", [1.0, 2.0, 3.0]))
    with pytest.warns(DroppedColumnWarning, match="text without words that rows share: 'note'"):
        features = TextFeatures().fit(table, [0, 1, 0])
    assert features.transform(table).names == ("x",)
    with pytest.warns(DroppedColumnWarning), pytest.raises(DataError, match="no column is left"):
        TextFeatures().fit(note(["?", None]), [0, 1])


def test_the_order_of_rows_plays_no_part():
    texts, y = reviews(80)
    order = rng.permutation(80)
    one = TextFeatures(3, random_state=0).fit(note(texts), y).transform(note(texts)).numbers()
    other = TextFeatures(3, random_state=0).fit(note([texts[i] for i in order]), y[order]).transform(note(texts))
    np.testing.assert_allclose(one, other.numbers(), atol=1e-3)


def test_frames_keep_their_other_columns_in_order():
    texts, y = reviews(40)
    frame = pd.DataFrame({"a": 1.0, "note": texts, "b": 2.0})
    out = TextFeatures(1).fit(probus.Table.of(frame, {"note": "text"}), y).get_feature_names_out().tolist()
    assert out == ["a", "note: score", "note: topic 1", "b"]


def test_saved_and_loaded_features_are_the_same(tmp_path):
    texts, y = reviews(60)
    features = TextFeatures(3, random_state=0).fit(note(texts), y)
    probus.save(features, tmp_path / "features.probus")
    again = probus.load(tmp_path / "features.probus")
    np.testing.assert_array_equal(again.transform(note(texts)).numbers(), features.transform(note(texts)).numbers())


def test_a_repeated_fit_is_remembered_and_another_target_is_not_confused():
    texts, y = reviews(60)
    first = TextFeatures(2, random_state=0).fit_transform(note(texts), y).numbers()
    other = TextFeatures(2, random_state=0).fit_transform(note(texts), 1 - y).numbers()
    np.testing.assert_array_equal(TextFeatures(2, random_state=0).fit_transform(note(texts), y).numbers(), first)
    np.testing.assert_allclose(other[:, 0], 1 - first[:, 0], atol=1e-2)


def test_memory_forgets_before_it_is_full():
    memory = Memory(most=10)
    memory.keep("large", 1, size=11)
    assert memory.get("large") is None
    for key in range(5):
        memory.keep(key, key, size=4)
    assert [memory.get(key) for key in range(5)] == [None, None, None, None, 4]
