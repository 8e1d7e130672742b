"""Words of text columns as a matrix: scikit-learn's vectorisers, tables, and naive Bayes on words."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.naive_bayes import MultinomialNB as SklearnMultinomialNB

import probus
from probus.data import Column, Table
from probus.ensemble import RandomForestClassifier
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import MultinomialNB
from probus.pipeline import tabular
from probus.preprocessing import CountWords, DroppedColumnWarning, TextFeatures, TfidfWords

WORDS = [
    *("now", "the", "prize", "lottery", "claim", "meeting", "lunch", "nine", "noon", "report", "win", "cash", "money"),
    *("team", "Monday,", "notes!", "and", "a", "I", "of"),
]


def messages(n=60, seed=0):
    """Messages of words, in which spam has more of the first words, and their classes."""
    rng = np.random.default_rng(seed)
    spam = rng.random(n) < 0.4
    share = np.arange(len(WORDS), 0, -1.0) ** 2
    texts = [
        " ".join(rng.choice(WORDS, rng.integers(3, 12), p=(p := share if s else share[::-1]) / p.sum())) for s in spam
    ]
    return texts, np.where(spam, "spam", "ham")


TEXTS, CLASSES = messages()
NEW, NEW_CLASSES = messages(40, seed=1)

SETTINGS = [
    {},
    {"ngram_range": (1, 2)},
    {"min_df": 3, "max_df": 0.5},
    {"max_features": 5},
    {"binary": True},
    {"stop_words": "english"},
    {"stop_words": ["prize"]},
    {"lowercase": False},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"strip_accents": "unicode"},
]


TFIDF = [("norm", "l1"), ("norm", None), ("use_idf", False), ("smooth_idf", False), ("sublinear_tf", True)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_counts_are_those_of_scikit_learn(settings):
    ours, theirs = CountWords(**settings).fit(TEXTS), CountVectorizer(**settings).fit(TEXTS)
    assert ours.words_[0].tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_array_equal(ours.transform(NEW).toarray(), theirs.transform(NEW).toarray())


@pytest.mark.parametrize("settings", [*SETTINGS, *({name: value} for name, value in TFIDF)], ids=str)
def test_weights_are_those_of_scikit_learn(settings):
    ours, theirs = TfidfWords(**settings).fit(TEXTS), TfidfVectorizer(**settings).fit(TEXTS)
    np.testing.assert_allclose(ours.transform(NEW).toarray(), theirs.transform(NEW).toarray(), rtol=1e-12)
    np.testing.assert_allclose(
        TfidfWords(**settings).fit_transform(TEXTS).toarray(), theirs.transform(TEXTS).toarray(), rtol=1e-12
    )


def test_several_texts_beside_numbers():
    table = Table([
        Column.text("subject", ["win money", "lunch", None]),
        Column.numbers("length", [3.0, np.nan, 5.0]),
        Column.text("body", ["claim money", "at noon", "at nine"]),
    ])  # fmt: skip
    counts = CountWords().fit(table)
    names = ["length", "subject: lunch", "subject: money", "subject: win"]
    names += ["body: at", "body: claim", "body: money", "body: nine", "body: noon"]
    assert counts.get_feature_names_out().tolist() == names
    expected = [[3, 0, 1, 1, 0, 1, 1, 0, 0], [np.nan, 1, 0, 0, 1, 0, 0, 0, 1], [5, 0, 0, 0, 1, 0, 0, 1, 0]]
    np.testing.assert_array_equal(counts.transform(table).toarray(), expected)
    assert counts.notes() == ["subject is used as its 3 words", "body is used as its 5 words"]


def test_a_series_is_a_text_under_its_name():
    counts = CountWords().fit(pd.Series(TEXTS, name="message"))
    assert counts.get_feature_names_out()[0].startswith("message: ")
    assert (counts.transform(pd.Series([None, "a b"], name="message")).toarray() == 0).all()


def test_characters_of_scripts_without_spaces_are_words():
    assert CountWords().fit(["没有问题", "问题"]).words_[0].tolist() == sorted("没有问题")


def test_output_is_sparse_or_an_array():
    assert sparse.issparse(CountWords().fit_transform(TEXTS))
    dense = CountWords(sparse_output=False).set_output(transform="pandas").fit_transform(TEXTS)
    assert list(dense.columns)[:2] == ["text: and", "text: cash"]


def test_a_text_that_is_always_missing_is_dropped():
    table = Table([Column.text("empty", [None, None]), Column.text("note", ["good food", "bad food"])])
    for words in (CountWords(), TfidfWords()):
        with pytest.warns(DroppedColumnWarning, match="text that is always missing: 'empty'"):
            assert words.fit_transform(table).shape == (2, 3)


@pytest.mark.parametrize("texts", [["a", "b"], ["", None], ["! ?", "..."]])
def test_no_word_is_an_error(texts):
    with pytest.raises(
        DataError, match=r"text column 'text': no word is left \(.*\)\.\n  Expected words .*Change min_df, max_df"
    ):
        CountWords().fit([*texts, "x"])


@pytest.mark.parametrize(
    "settings", [{"min_df": 50}, {"max_df": 1, "min_df": 2}, {"stop_words": ["win", "prize", "lunch", "claim"]}]
)
def test_settings_that_leave_no_word_are_an_error(settings):
    with pytest.raises(DataError, match="text column 'text': no word is left"):
        CountWords(**settings).fit(["win prize", "win lunch", "claim lunch prize"])


def test_levels_are_refused_by_name():
    with pytest.raises(
        DataError, match=r"CountWords does not accept columns that are not numeric: 'message' \(nominal\)"
    ):
        CountWords().fit(pd.DataFrame({"message": pd.Categorical(TEXTS)}))
    assert CountWords().fit(pd.DataFrame({"message": TEXTS})).get_feature_names_out()[0].startswith("message: ")


# -- tabular -------------------------------------------------------------------------------------------


def mails(texts, seed=0):
    rng = np.random.default_rng(seed)
    n = len(texts)
    size = rng.normal(50, 10, n)
    size[::7] = np.nan
    return pd.DataFrame(
        {"message": texts, "size": size, "sender": np.array(["known", "unknown"])[rng.integers(2, size=n)]}
    )


def test_naive_bayes_on_words_is_two_lines():
    """A spam filter on bags of words."""
    model = tabular(MultinomialNB(), text=CountWords(), kinds={"message": "text"})
    model.fit(pd.DataFrame({"message": TEXTS}), CLASSES)
    vectorizer = CountVectorizer().fit(TEXTS)
    reference = SklearnMultinomialNB().fit(vectorizer.transform(TEXTS), CLASSES)
    found = model.predict_proba(pd.DataFrame({"message": NEW}))
    np.testing.assert_allclose(found, reference.predict_proba(vectorizer.transform(NEW)), rtol=1e-9)
    assert (model.predict(pd.DataFrame({"message": NEW})) == NEW_CLASSES).mean() > 0.9


def test_or_a_sequence():
    model = (CountWords() >> MultinomialNB()).fit(TEXTS, CLASSES)
    assert (model.predict(NEW) == NEW_CLASSES).mean() > 0.9


@pytest.mark.parametrize(
    "model",
    [
        MultinomialNB(),
        LogisticRegression(),
        SklearnLogisticRegression(),
        RandomForestClassifier(n_estimators=10, random_state=0),
        HistGradientBoostingClassifier(max_iter=5),
        probus.naive_bayes.NaiveBayes(),
    ],
    ids=str,
)
def test_words_go_beside_prepared_columns(model, tmp_path):
    frame, new = mails(TEXTS), mails(NEW, seed=1)
    fitted = tabular(model, text=TfidfWords(), kinds={"message": "text"}).fit(frame, CLASSES)
    names = fitted[:-1].get_feature_names_out().tolist()
    assert names[0] == "size"
    assert "message: lottery" in names
    probability = fitted.predict_proba(new)
    np.testing.assert_array_equal(fitted.predict_proba(new[["sender", "message", "size"]]), probability)
    assert (fitted.predict(new) == NEW_CLASSES).mean() > 0.6
    if type(model).__module__.startswith("probus"):
        saved = probus.load(fitted.save(tmp_path / "spam.probus"))
        np.testing.assert_array_equal(saved.predict_proba(new), probability)


def test_the_steps_describe_what_they_did():
    fitted = tabular(LogisticRegression(), text=CountWords(), kinds={"message": "text"}).fit(mails(TEXTS), CLASSES)
    assert f"message is used as its {len(fitted.named_steps['words'].words_.words_[0])} words" in fitted.notes_
    assert sparse.issparse(fitted[:-1].transform(mails(NEW)))


def test_text_features_may_have_other_settings():
    fitted = tabular(LogisticRegression(), text=TextFeatures(topics=2, random_state=0), kinds={"message": "text"})
    fitted.fit(mails(TEXTS), CLASSES)
    assert fitted.named_steps["text"].topics == 2


def test_words_without_text_are_an_error():
    with pytest.raises(DataError, match=r"CountWords without a text column: 'sender' is binary.*\n.*kinds=\{'message'"):
        tabular(MultinomialNB(), text=CountWords()).fit(mails(TEXTS)[["size", "sender"]], CLASSES)


def test_text_must_be_a_transformer_of_text():
    with pytest.raises(DataError, match=r"text='words'\.\n  Expected a transformer of text columns\. Pass CountWords"):
        tabular(MultinomialNB(), text="words")
