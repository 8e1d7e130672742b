"""Recurrent networks and transformers: texts, series, padding, attention, prediction without PyTorch, bad input."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.neural_network import (
    ConvClassifier,
    DropWords,
    MaskedLanguageModel,
    Noise,
    RecurrentClassifier,
    SwapWords,
    TransformerClassifier,
    WordPieces,
    _predictor,
)
from probus.neural_network._transformer_outputs import position_coding

GOOD, BAD = ["fine", "lovely", "great", "soft"], ["poor", "ugly", "thin", "itchy"]
THINGS = ["dress", "shoes", "shirt", "coat", "skirt"]
FOOD = ["apple", "bread", "soup", "cake", "rice"]


def reviews(n, seed=0):
    """Texts of several lengths, and whether the adjective is good, or bad, or good after a "not"."""
    rng = np.random.default_rng(seed)
    texts, classes = [], []
    for _ in range(n):
        good, negated = rng.random() < 0.5, rng.random() < 0.5
        word = rng.choice(GOOD if good != negated else BAD)
        filler = " ".join(rng.choice(THINGS, rng.integers(0, 6)))
        texts.append(f"the {rng.choice(THINGS)} is {'not ' * negated}{word}. {filler}".strip())
        classes.append("good" if good else "bad")
    return texts, np.array(classes)


TEXTS, CLASSES = reviews(240)
NEW, NEW_CLASSES = reviews(100, seed=1)
SMALL = {"width": 8, "depth": 1, "max_iter": 2, "random_state": 0, "device": "cpu", "n_pieces": 100}
NETS = [
    RecurrentClassifier(**SMALL),
    RecurrentClassifier(**SMALL, cell="lstm"),
    TransformerClassifier(**SMALL, heads=2),
]
each_net = pytest.mark.parametrize("net", NETS, ids=["gru", "lstm", "transformer"])


def changed(net, **settings):
    return clone(net).set_params(**settings)


@pytest.mark.slow
@each_net
def test_the_order_of_words_is_learnt(net):
    """ "not fine" against "fine": no count of single words tells them apart, and a linear model has chance."""
    fitted = changed(net, width=16, max_iter=40, batch_size=16, learning_rate_init=0.01).fit(*reviews(400, seed=2))
    assert fitted.score(NEW, NEW_CLASSES) > 0.9


@each_net
def test_numpy_computes_what_the_module_computes(net):
    for X in (
        TEXTS[:40],
        np.random.default_rng(0).normal(size=(40, 7, 3)),
        np.random.default_rng(0).normal(size=(40, 5)),
    ):
        fitted = changed(net, depth=2).fit(X, CLASSES[:40])
        rows = fitted._read(X).arrays
        wide = [each.astype(float) if each.dtype.kind == "f" else each for each in rows]
        np.testing.assert_allclose(fitted._forward(*wide), fitted._raw_outputs(X), atol=1e-10)


@each_net
def test_a_saved_one_predicts_without_pytorch(net, tmp_path, monkeypatch):
    fitted = clone(net).fit(TEXTS, CLASSES)
    loaded = probus.load(fitted.save(tmp_path / "net.probus"))
    expected = fitted.predict_proba(NEW)
    np.testing.assert_array_equal(loaded.predict_proba(NEW), expected)
    monkeypatch.setattr(_predictor, "pytorch_is_installed", lambda: False)
    monkeypatch.setattr(_predictor, "load_torch", None)
    np.testing.assert_allclose(loaded.predict_proba(NEW), expected, atol=1e-10)


@each_net
def test_padding_changes_nothing(net):
    """A row has the same probabilities alone, and among longer ones."""
    rng = np.random.default_rng(0)
    series = [rng.normal(size=(n, 2)) for n in rng.integers(1, 12, 40)]
    for X in (TEXTS[:40], series):
        fitted = clone(net).fit(X, CLASSES[:40])
        together = fitted.predict_proba(X)
        alone = np.vstack([fitted.predict_proba(X[at : at + 1]) for at in range(5)])
        np.testing.assert_allclose(alone, together[:5], atol=1e-12)


def test_strings_of_a_frame_are_texts():
    """Also those that repeat, and rows may come as a list, an unnamed series or a frame."""
    frame = pd.DataFrame({"review": TEXTS[:40], "short": ["a", "b"] * 20})
    net = changed(NETS[0]).fit(frame, CLASSES[:40])
    assert net.kind_ == "text"
    alone = changed(NETS[0]).fit(frame["review"], CLASSES[:40])
    rows = [TEXTS[:3], pd.Series(TEXTS[:3]), np.array(TEXTS[:3]), frame[["review"]][:3]]
    found = [alone.predict_proba(each) for each in rows]
    np.testing.assert_array_equal(found, [found[0]] * 4)
    with pytest.raises(DataError, match=r"one text\.\n  Expected rows of texts\. Pass a list"):
        alone.predict("a dress")
    with pytest.raises(DataError, match=r"3\.5 among texts\.\n  Expected strings, or None where one is missing"):
        alone.predict(["a dress", 3.5])
    with pytest.raises(DataError, match="does not accept columns that are not numeric: 'short'"):
        net.fit(frame.assign(short=frame["short"].astype("category")), CLASSES[:40])


@pytest.mark.slow
@each_net
def test_series_of_several_lengths_are_classified(net):
    """Whether a wave rises or falls in pitch; its loudness and length say nothing."""
    rng = np.random.default_rng(0)

    def wave(rises):
        time = np.linspace(0, 1, rng.integers(20, 30))
        pitch = 2 + 3 * (time if rises else 1 - time)
        return rng.uniform(0.5, 2.0) * np.sin(2 * np.pi * (pitch * time + rng.random())) + 0.1 * rng.normal(
            size=len(time)
        )

    rises = rng.random(300) < 0.5
    waves = [wave(each) for each in rises]
    fitted = changed(net, width=16, max_iter=25, batch_size=16, learning_rate_init=0.01).fit(waves[:220], rises[:220])
    assert fitted.score(waves[220:], rises[220:]) > 0.85


@each_net
def test_lists_and_arrays_are_the_same_series(net):
    values = np.random.default_rng(0).normal(size=(30, 6, 1))
    y = np.arange(30) % 2
    whole = clone(net).fit(values, y).predict_proba(values)
    np.testing.assert_array_equal(clone(net).fit(list(values), y).predict_proba(list(values[:, :, 0])), whole)
    matrix = clone(net).fit(values[:, :, 0], y).predict_proba(values[:, :, 0])
    np.testing.assert_array_equal(matrix, whole)
    ragged = [row[: 3 + place % 3].tolist() for place, row in enumerate(values[:, :, 0])]
    assert clone(net).fit(ragged, y).predict(ragged).shape == (30,)


@each_net
def test_texts_may_stand_beside_numbers(net):
    numbers = np.where(CLASSES == "good", 1.0, -1.0)
    numbers[::7] = np.nan
    table = Table([Column.text("title", ["a dress"] * 240), Column.numbers("x", numbers), Column.text("text", TEXTS)])
    fitted = changed(net, max_iter=10, batch_size=16, learning_rate_init=0.02).fit(table, CLASSES)
    known = np.isfinite(numbers)
    assert (fitted.predict(table) == CLASSES)[known].mean() > 0.95


@each_net
def test_the_same_seed_gives_the_same_network(net):
    fits = [changed(net, augment=[DropWords(0.2), SwapWords(0.1)]).fit(TEXTS, CLASSES) for _ in range(2)]
    for name, weights in fits[0].weights_.items():
        assert weights.tobytes() == fits[1].weights_[name].tobytes()
    assert fits[0].history_.loss.tolist() != clone(net).fit(TEXTS, CLASSES).history_.loss.tolist()


@each_net
def test_a_checkpoint_goes_on_to_the_same_weights(net, tmp_path):
    path = str(tmp_path / "net.ckpt")
    settings = {"learning_rate": "constant", "augment": [DropWords(0.2)]}
    changed(net, max_iter=1, checkpoint=path, **settings).fit(TEXTS, CLASSES)
    resumed = changed(net, max_iter=3, checkpoint=path, **settings).fit(TEXTS, CLASSES)
    whole = changed(net, max_iter=3, **settings).fit(TEXTS, CLASSES)
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(weights, resumed.weights_[name])


@each_net
def test_epochs_one_by_one_are_a_fit(net):
    settings = {"learning_rate": "constant", "early_stopping": False}
    whole = changed(net, **settings).fit(TEXTS, CLASSES)
    parts = changed(net, **settings)
    for _ in range(2):
        parts.partial_fit(TEXTS, CLASSES, classes=["bad", "good"])
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(weights, parts.weights_[name])


@each_net
def test_whole_weights_are_repeated_texts(net):
    weight = np.random.default_rng(0).integers(0, 3, 60)
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(60), weight))
    weighted = clone(net).fit(TEXTS[:60], CLASSES[:60], weight)
    repeated = clone(net).fit([TEXTS[row] for row in rows], CLASSES[rows])
    assert weighted.pieces_.pieces == repeated.pieces_.pieces
    for name, expected in repeated.weights_.items():
        np.testing.assert_array_equal(weighted.weights_[name], expected)


def test_weights_move_the_probabilities():
    """The same text in two classes: the share of the weight is the probability."""
    net = RecurrentClassifier(**{**SMALL, "max_iter": 40, "learning_rate_init": 0.03, "dropout": 0.0})
    net.fit(["a dress"] * 200, [0, 1] * 100, sample_weight=[0.5, 1.5] * 100)
    assert net.predict_proba(["a dress"])[0, 1] == pytest.approx(0.75, abs=0.06)


def test_a_checkpoint_of_another_pretrained_model_is_refused(tmp_path):
    path, first = str(tmp_path / "net.ckpt"), language().fit(TEXTS[:40])
    net = TransformerClassifier(pretrained=first, max_iter=1, random_state=0, device="cpu", checkpoint=path)
    net.fit(TEXTS[:40], CLASSES[:40])
    other = language(random_state=3).fit(TEXTS[:40])
    with pytest.raises(DataError, match="is of other settings: pretrained was 'MaskedLanguageModel"):
        net.set_params(pretrained=other).fit(TEXTS[:40], CLASSES[:40])


@each_net
def test_short_floats_are_close(net):
    long, short = (changed(net, precision=each).fit(TEXTS, CLASSES) for each in ("float32", "bfloat16"))
    np.testing.assert_allclose(short.history_.loss, long.history_.loss, rtol=0.02)
    assert all(weights.dtype == np.float32 for weights in short.weights_.values())


def test_series_can_be_noisy_in_training():
    values = np.random.default_rng(0).normal(size=(40, 6, 2))
    plain, noisy = (changed(NETS[0], augment=each).fit(values, np.arange(40) % 2) for each in ([], [Noise(0.5)]))
    assert plain.history_.loss.tolist() != noisy.history_.loss.tolist()


# -- transformers --------------------------------------------------------------------------------------


def test_places_are_coded_by_waves():
    """The formula of Vaswani et al., and a product of codes that depends on the distance alone."""
    coding = position_coding(20, 8)
    expected = [np.sin(7 / 10000 ** (2 / 8)), np.cos(7 / 10000 ** (2 / 8))]
    np.testing.assert_allclose(coding[7, 2:4], expected)
    products = coding @ coding.T
    np.testing.assert_allclose(np.diag(products, 3), products[0, 3])


def test_attention_adds_up_and_names_its_steps():
    net = clone(NETS[2]).fit(TEXTS, CLASSES)
    found = net.attention("the coat is not thin.")
    assert found.steps[0] == "[CLS]"
    assert found.steps[-1] == "[SEP]"
    assert "not" in found.steps
    assert found.weights.shape == (1, 2, len(found.steps), len(found.steps))
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1.0)
    assert repr(found).startswith(f"Attention of {len(found.steps)} steps: 1 layer, 2 heads\n  [CLS] takes from ")
    frame = found.to_frame()
    assert frame.columns == ["layer", "head", "place", "step", "from_place", "from", "weight"]
    assert found.plot().get_ylabel() == "step"
    with pytest.raises(DataError, match=r"attention of 3 rows\.\n  Expected one row"):
        net.attention(TEXTS[:3])


def test_attention_is_that_of_pytorch():
    """One head by ``torch.nn.functional.scaled_dot_product_attention`` on the identity gives its weights."""
    net = changed(NETS[2], heads=1).fit(TEXTS, CLASSES)
    module = net._precise_module(torch.device("cpu"))
    layer = module.encoder.layers[0]
    first, second = (torch.from_numpy(each) for each in net._read(["the coat is thin."]).arrays)
    seen = []
    layer.register_forward_hook(lambda _, given, __: seen.append(given[0]))
    module(first, second.double())
    query, key, _ = layer.attention(layer.attention_norm(seen[0])).chunk(3, dim=2)
    expected = torch.nn.functional.scaled_dot_product_attention(
        query, key, torch.eye(len(first[0]), dtype=query.dtype)[None]
    )
    found = net.attention("the coat is thin.").weights[0, 0]
    np.testing.assert_allclose(found, expected[0].detach().numpy(), atol=1e-12)


# -- bad input -----------------------------------------------------------------------------------------


@each_net
def test_empty_texts_and_words_never_seen_are_predicted(net):
    fitted = clone(net).fit([*TEXTS[:50], "", None], [*CLASSES[:50], "bad", "good"])
    probabilities = fitted.predict_proba(["", None, "xyzzy 12345 ¿", "☃"])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probabilities[0], probabilities[1])


@each_net
def test_ten_thousand_words_are_few_pieces(net):
    texts = [f"word{at:05} is {CLASSES[at % 240]}" for at in range(10_000)]
    fitted = changed(net, max_iter=1, batch_size=500).fit(texts, CLASSES[np.arange(10_000) % 240])
    assert len(fitted.pieces_) <= 100
    assert "[UNK]" not in fitted.pieces_.split("word99999")


@each_net
def test_long_texts_are_cut(net):
    fitted = changed(net, max_length=12).fit([text * 40 for text in TEXTS[:40]], CLASSES[:40])
    assert fitted._read(["dress " * 100]).arrays[0].shape == (1, 12)


@each_net
def test_one_class_is_predicted_for_certain(net):
    fitted = clone(net).fit(TEXTS[:30], ["good"] * 30)
    np.testing.assert_allclose(fitted.predict_proba(NEW), 1.0)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.zeros((3, 2)), np.zeros((3, 1))], r"series of 1 and 2 numbers at each step\.\n  Expected the same number"),
        ([np.zeros(3), np.zeros(0)], r"series 1 has no steps\.\n  Expected one step at least\. Drop it"),
        ([[1.0, 2.0], ["a"]], "a series that holds other things than numbers"),
        (np.zeros((0, 3, 2)), r"0 samples: no series\.\n  Expected one at least"),
        (np.full((2, 3, 2), np.inf), "a series with infinite values"),
        ([np.zeros((3, 2)), np.full((2, 2), 1e300)], "numbers whose squares overflow"),
    ],
)
def test_bad_series_say_what_to_do(X, message):
    with pytest.raises(DataError, match=message):
        clone(NETS[0]).fit(X, [0, 1])


def test_texts_and_series_are_not_mixed_up():
    of_text = clone(NETS[0]).fit(TEXTS[:30], CLASSES[:30])
    of_series = clone(NETS[0]).fit(np.zeros((30, 4, 2)), CLASSES[:30])
    with pytest.raises(DataError, match=r"series of 2 numbers at each step\.\n  Expected texts, as in the training"):
        of_text.predict(np.zeros((3, 4, 2)))
    with pytest.raises(DataError, match=r"rows of a table.*\n  Expected series, as in the training"):
        of_series.predict(TEXTS[:3])
    with pytest.raises(DataError, match=r"series of 3 numbers at each step\.\n  Expected 2, as in the training"):
        of_series.predict(np.zeros((3, 4, 3)))
    with pytest.raises(DataError, match=r"augment with DropWords\(share=0.1\) for series"):
        changed(NETS[0], augment=[DropWords()]).fit(np.zeros((30, 4, 2)), CLASSES[:30])
    with pytest.raises(DataError, match=r"augment with 3\.\n  Expected augmentations"):
        changed(NETS[0], augment=[3]).fit(TEXTS[:30], CLASSES[:30])


def test_heads_divide_the_width():
    with pytest.raises(DataError, match=r"width=8 and heads=3\.\n  Expected a width that is a multiple"):
        changed(NETS[2], heads=3).fit(TEXTS[:30], CLASSES[:30])


# -- pre-training --------------------------------------------------------------------------------------


def language(**settings):
    plan = {"n_pieces": 100, "width": 16, "depth": 1, "heads": 2, "max_iter": 2, "random_state": 0, "device": "cpu"}
    return MaskedLanguageModel(**{**plan, **settings})


@pytest.fixture(scope="module")
def pretrained():
    """Texts of two sentences: a thing several times, and the food that goes with it."""
    rng = np.random.default_rng(0)
    texts = [f"{THINGS[at]} {THINGS[at]} {THINGS[at]}. {FOOD[at]} {FOOD[at]}." for at in rng.integers(5, size=300)]
    return language(width=32, max_iter=50, batch_size=16, learning_rate_init=5e-3).fit(texts)


@pytest.mark.slow
def test_masked_words_and_second_sentences_are_guessed(pretrained):
    """ "coat coat coat." is followed by "cake cake." in every text that has it."""
    (best, share), *_ = pretrained.fill("coat [MASK] coat. cake cake.", k=2)[0]
    assert best == "coat"
    assert share > 0.9
    follows = {food: pretrained.follows("coat coat coat.", f"{food} {food}.") for food in FOOD}
    assert follows.pop("cake") > 0.6
    assert max(follows.values()) < 0.4
    assert pretrained.score(["coat coat coat. cake cake."] * 20) > -0.5


@pytest.mark.slow
def test_fine_tuning_begins_with_the_weights(pretrained):
    net = TransformerClassifier(
        pretrained=pretrained, max_iter=1, learning_rate_init=1e-9, random_state=0, device="cpu"
    )
    net.fit(TEXTS[:50], CLASSES[:50])
    assert net.pieces_ is pretrained.pieces_
    for name, weights in pretrained.encoder_weights().items():
        np.testing.assert_allclose(net.weights_[name], weights, atol=1e-6)
    assert clone(net).pretrained is pretrained


@pytest.mark.slow
def test_a_saved_pretrained_model_is_whole(pretrained, tmp_path):
    net = TransformerClassifier(pretrained=pretrained, max_iter=1, random_state=0, device="cpu").fit(TEXTS, CLASSES)
    loaded = probus.load(net.save(tmp_path / "net.probus"))
    np.testing.assert_array_equal(loaded.predict_proba(NEW), net.predict_proba(NEW))
    vectors = pretrained.transform(NEW)
    assert vectors.shape == (100, 32)
    np.testing.assert_array_equal(probus.load(pretrained.save(tmp_path / "m.probus")).transform(NEW), vectors)


def test_examples_are_masked_as_in_bert():
    """A share of the pieces; 80 % of them [MASK], 10 % any piece, 10 % unchanged; specials never."""
    from probus.neural_network._masked_examples import masked_examples

    rng = np.random.RandomState(0)
    texts = [[[10 + n] * 20, [60 + n] * 20] for n in range(50)]
    pieces, rows, steps, hidden, follows = masked_examples(texts, np.arange(50).repeat(20), 200, (0.15, True, 64), rng)
    assert len(hidden) / (pieces >= 5).sum() == pytest.approx(0.15 / (1 - 0.12), rel=0.05)
    shown = pieces[rows, steps]
    assert (shown == 4).mean() == pytest.approx(0.8, abs=0.02)
    assert (shown == hidden).mean() == pytest.approx(0.1, abs=0.02)
    assert follows.mean() == pytest.approx(0.5, abs=0.05)
    assert (pieces[:, 0] == 2).all()
    own = hidden[(hidden >= 60) & (follows[rows] == 1)] - 60
    assert (own == np.arange(50).repeat(20)[rows[(hidden >= 60) & (follows[rows] == 1)]]).all()
    assert max(len(row) for row in pieces) <= 64


def test_bad_texts_say_what_to_do():
    with pytest.raises(DataError, match="texts without a word"):
        language().fit(["", " "])
    with pytest.raises(DataError, match=r"a text without \[MASK\]"):
        language().fit(TEXTS[:30]).fill("a dress")
    with pytest.raises(DataError, match="fitted without texts"):
        language().fit(np.zeros((3, 2))).fill("a [MASK]")
    with pytest.raises(DataError, match="a pretrained model of texts, and rows without a text"):
        TransformerClassifier(pretrained=language().fit(TEXTS[:30])).fit(np.zeros((4, 2)), [0, 1, 0, 1])


def test_word_pieces_are_public():
    assert clone(NETS[0]).fit(TEXTS[:30], CLASSES[:30]).pieces_ == WordPieces.learn(TEXTS[:30], 100)


WITHOUT_PYTORCH = """
import sys
class Missing:
    def find_spec(self, name, *others):
        if name.partition(".")[0] == "torch":
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
import numpy as np, probus
texts, images = ["the coat is not thin.", ""], np.eye(8)[:2, None] * np.ones((8, 1))
np.save(sys.argv[2], np.vstack([
    probus.load(f"{sys.argv[1]}/{name}.probus").predict_proba(images if name == "images" else texts)
    for name in ("gru", "lstm", "transformer", "images")
]))
try:
    probus.load(f"{sys.argv[1]}/gru.probus").fit(texts, ["a", "b"])
except probus.errors.DataError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_process_without_pytorch_predicts_and_says_what_training_needs(tmp_path):
    images = np.eye(8)[np.arange(40) % 8][:, None] * np.ones((8, 1))
    fits = {
        name: clone(net).fit(TEXTS, CLASSES) for name, net in zip(("gru", "lstm", "transformer"), NETS, strict=True)
    }
    fits["images"] = ConvClassifier(channels=(4,), max_iter=2, random_state=0).fit(images, np.arange(40) % 2)
    for name, net in fits.items():
        net.save(tmp_path / f"{name}.probus")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTORCH, str(tmp_path), str(tmp_path / "found.npy")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    texts = ["the coat is not thin.", ""]
    expected = [net.predict_proba(images[:2] if name == "images" else texts) for name, net in fits.items()]
    np.testing.assert_allclose(np.load(tmp_path / "found.npy"), np.vstack(expected), atol=1e-10)
    assert "RecurrentClassifier needs PyTorch, which is not installed." in done.stdout
    assert "Run pip install 'probus[neural]'." in done.stdout
