"""Convolutional networks: digits, prediction without PyTorch, folders of files, and bad images."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_digits

import probus
from probus.errors import DataError
from probus.neural_network import ConvClassifier, ConvRegressor, Noise, Rotations, Shifts, _predictor, read_images
from probus.neural_network._images import stacked

DIGITS = load_digits()
ORDER = np.random.default_rng(0).permutation(1797)
TRAIN, TEST = ORDER[:1300], ORDER[1300:]
FEW = ORDER[:120]
SMALL = {"channels": (4, 6), "max_iter": 3, "random_state": 0, "device": "cpu"}


def small(**settings):
    return ConvClassifier(**{**SMALL, **settings})


@pytest.fixture(scope="module")
def digits():
    net = ConvClassifier(max_iter=15, random_state=0, device="cpu")
    return net.fit(DIGITS.images[TRAIN], DIGITS.target[TRAIN])


@pytest.mark.slow
def test_digits_are_recognised(digits):
    assert digits.score(DIGITS.images[TEST], DIGITS.target[TEST]) >= 0.98
    probabilities = digits.predict_proba(DIGITS.images[TEST])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert digits.history_.best_epoch is not None


@pytest.mark.slow
def test_a_saved_one_predicts_without_pytorch(digits, tmp_path, monkeypatch):
    images = DIGITS.images[TEST[:50]]
    loaded = probus.load(digits.save(tmp_path / "digits.probus"))
    np.testing.assert_array_equal(loaded.predict_proba(images), digits.predict_proba(images))
    monkeypatch.setattr(_predictor, "pytorch_is_installed", lambda: False)
    monkeypatch.setattr(_predictor, "load_torch", None)
    np.testing.assert_allclose(loaded.predict_proba(images), digits.predict_proba(images), atol=1e-12)
    assert loaded.predict(images).tolist() == digits.predict(images).tolist()


@pytest.mark.parametrize("shape", [(5, 7, 1), (8, 6, 3), (1, 9, 2), (9, 1, 1)])
@pytest.mark.parametrize("depth", [1, 2])
def test_numpy_computes_what_the_module_computes(shape, depth):
    images = np.random.default_rng(0).normal(size=(30, *shape))
    net = small(depth=depth, channels=(3, 5, 4)).fit(images, np.arange(30) % 3)
    with torch.no_grad():
        expected = net._precise_module(torch.device("cpu"))(torch.from_numpy(net._read(images).arrays[0]).double())
    found = net._forward(net._read(images).arrays[0].astype(float))
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)


def test_matrices_and_images_are_the_same_rows():
    y = DIGITS.target[FEW]
    ours = small().fit(DIGITS.images[FEW], y)
    flat = small(image_shape=(8, 8)).fit(DIGITS.data[FEW], y)
    np.testing.assert_array_equal(ours.predict_proba(DIGITS.images[FEW]), flat.predict_proba(DIGITS.data[FEW]))
    listed = small().fit(list(DIGITS.images[FEW][..., None]), y)
    np.testing.assert_array_equal(ours.predict_proba(DIGITS.images[FEW]), listed.predict_proba(DIGITS.images[FEW]))


def test_features_are_what_the_last_layer_is_given():
    net = small().fit(DIGITS.images[FEW], DIGITS.target[FEW])
    outputs = net.features(DIGITS.images[FEW]) @ net.weights_["head.weight"].T + net.weights_["head.bias"]
    assert (net.classes_[outputs.argmax(axis=1)] == net.predict(DIGITS.images[FEW])).all()


def test_several_numbers_are_predicted_from_an_image():
    """The direction of a line as cosine and sine, on lines that were not trained on."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, np.pi, 500)
    grid = np.arange(9) - 4.0
    away = np.abs(np.sin(angles)[:, None, None] * grid - np.cos(angles)[:, None, None] * grid[:, None])
    images = np.exp(-(away**2)) + 0.1 * rng.normal(size=away.shape)
    y = np.column_stack([np.cos(2 * angles), np.sin(2 * angles)])
    net = ConvRegressor(channels=(8, 16), random_state=0, device="cpu").fit(images[:400], y[:400])
    assert net.predict(images[400:]).shape == (100, 2)
    assert net.score(images[400:], y[400:]) > 0.9


def test_the_same_seed_gives_the_same_network():
    fits = [small(augment=[Shifts(0.1), Noise(0.1)]).fit(DIGITS.images[FEW], DIGITS.target[FEW]) for _ in range(2)]
    for name, weights in fits[0].weights_.items():
        assert weights.tobytes() == fits[1].weights_[name].tobytes()


def test_augmentation_acts_in_training_only():
    plain, changed = (small(augment=each).fit(DIGITS.images[FEW], DIGITS.target[FEW]) for each in ([], [Rotations(30)]))
    assert plain.history_.loss.tolist() != changed.history_.loss.tolist()
    first = changed.predict_proba(DIGITS.images[FEW])
    np.testing.assert_array_equal(first, changed.predict_proba(DIGITS.images[FEW]))


@pytest.mark.slow
def test_shifts_help_with_few_images_that_are_shifted():
    rng = np.random.default_rng(0)
    padded = np.pad(DIGITS.images, ((0, 0), (3, 3), (3, 3)))
    moves = rng.integers(-3, 4, (1797, 2))
    moved = np.stack([np.roll(image, move, (0, 1)) for image, move in zip(padded, moves, strict=True)])
    rows, settings = TRAIN[:200], {"channels": (8, 16, 32), "random_state": 0, "device": "cpu"}
    accuracy = [
        ConvClassifier(augment=augment, **settings)
        .fit(padded[rows], DIGITS.target[rows])
        .score(moved[TEST], DIGITS.target[TEST])
        for augment in ([], [Shifts(0.2)])
    ]
    assert accuracy[1] > accuracy[0] + 0.05


# -- long work -----------------------------------------------------------------------------------------


def test_epochs_one_by_one_are_a_fit():
    X, y = DIGITS.images[FEW], DIGITS.target[FEW]
    whole = small(learning_rate="constant", early_stopping=False, warm_up=0.0).fit(X, y)
    parts = small(learning_rate="constant", early_stopping=False)
    for _ in range(3):
        parts.partial_fit(X, y, classes=np.arange(10))
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(weights, parts.weights_[name])


def test_a_batch_of_classes_that_are_unknown_is_refused():
    net = small().partial_fit(DIGITS.images[FEW], DIGITS.target[FEW] % 3, classes=[0, 1, 2])
    with pytest.raises(DataError, match=r"class 3 is not among .*\n.*Pass all classes in the first call"):
        net.partial_fit(DIGITS.images[FEW], DIGITS.target[FEW] % 4)


class _Kill:
    def begin(self, rounds):
        pass

    def after(self, finished):
        if finished.n_epochs == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return False


def resumable(path):
    return small(max_iter=4, augment=[Shifts(0.2)], checkpoint=str(path))


@pytest.mark.slow
def test_a_killed_fit_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "net.ckpt"
    code = f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import test_convolution as here
        net = here.resumable({str(path)!r})
        net.fit(here.DIGITS.images[here.FEW], here.DIGITS.target[here.FEW], callbacks=[here._Kill()])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    resumed = resumable(path).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    whole = small(max_iter=4, augment=[Shifts(0.2)]).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    assert resumed.history_.loss.tolist() == whole.history_.loss.tolist()
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(weights, resumed.weights_[name])


def test_a_checkpoint_of_another_net_is_refused(tmp_path):
    path = str(tmp_path / "net.ckpt")
    small(checkpoint=path).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match="is of another network"):
        small(checkpoint=path, channels=(4, 8)).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match="is of other data"):
        small(checkpoint=path).fit(DIGITS.images[FEW] + 1.0, DIGITS.target[FEW][::-1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dropout": 0.3}, "dropout was 0.1 and is 0.3"),
        ({"augment": [Shifts(0.2)]}, r"augment was \[\] and is \['Shifts\(share=0.2\)'\]"),
        ({"label_smoothing": 0.1}, "label_smoothing was 0.0 and is 0.1"),
        ({"validation_fraction": 0.3}, "validation_fraction was 0.1 and is 0.3"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(changes, message, tmp_path):
    path = str(tmp_path / "net.ckpt")
    small(checkpoint=path, max_iter=1).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match=f"is of other settings: {message}"):
        small(checkpoint=path, max_iter=1, **changes).fit(DIGITS.images[FEW], DIGITS.target[FEW])


def test_a_checkpoint_of_another_class_is_refused(tmp_path):
    path = str(tmp_path / "net.ckpt")
    small(checkpoint=path).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match="another network: class was 'ConvClassifier' and is 'ConvRegressor'"):
        ConvRegressor(**SMALL, checkpoint=path).fit(DIGITS.images[FEW], DIGITS.target[FEW])


# -- weights -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [ConvClassifier, ConvRegressor])
def test_whole_weights_are_repeated_images(cls):
    images, digits = DIGITS.images[FEW], DIGITS.target[FEW]
    weight = np.random.default_rng(0).integers(0, 4, len(FEW))
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(FEW)), weight))
    weighted, repeated = cls(**SMALL).fit(images, digits, weight), cls(**SMALL).fit(images[rows], digits[rows])
    for name, expected in repeated.weights_.items():
        np.testing.assert_array_equal(weighted.weights_[name], expected)


def test_other_weights_move_the_fit():
    images, target = np.zeros((200, 4, 4)), np.repeat([0.0, 1.0], 100)
    net = ConvRegressor(**{**SMALL, "max_iter": 60}, dropout=0.0, learning_rate_init=0.03)
    net.fit(images, target, np.repeat([0.5, 1.5], 100))
    assert net.predict(images[:1])[0] == pytest.approx(0.75, abs=0.08)
    once = ConvRegressor(**SMALL).partial_fit(images, target, sample_weight=np.repeat([0.0, 0.5], 100))
    assert once.target_mean_[0] == 1.0


def test_short_floats_are_close():
    fits = [small(precision=each).fit(DIGITS.images[FEW], DIGITS.target[FEW]) for each in ("float32", "bfloat16")]
    np.testing.assert_allclose(fits[1].history_.loss, fits[0].history_.loss, rtol=0.05)


def test_a_batch_that_does_not_fit_is_halved():
    """Gradients of parts add up to those of the batch, apart from normalisation over parts."""
    whole = ConvRegressor(**SMALL).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    genuine, largest = ConvRegressor._losses, 20

    class Small(ConvRegressor):
        def _losses(self, output, target):
            if len(target) > largest and output.requires_grad:
                raise torch.OutOfMemoryError("injected")
            return genuine(self, output, target)

    with pytest.warns(ResourceWarning, match="batches of 64 rows are computed in parts of 16"):
        parts = Small(**SMALL).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    np.testing.assert_allclose(parts.history_.loss, whole.history_.loss, rtol=0.2)


def test_steps_that_are_too_large_say_so():
    with pytest.raises(DataError, match=r"the loss is (inf|nan) in epoch \d.*(\n.*)Lower the learning rate"):
        ConvRegressor(**SMALL, learning_rate_init=1e30, solver="sgd").fit(DIGITS.images[FEW], DIGITS.target[FEW])


# -- bad input -----------------------------------------------------------------------------------------


def test_images_are_arrays_lists_or_images_of_pillow():
    images, digits = DIGITS.images[FEW[:30]], DIGITS.target[FEW[:30]]
    expected = small(max_iter=1).fit(images, digits).predict_proba(images)
    pictures = [Image.fromarray(each.astype(np.uint8)) for each in images]
    for same in (list(images), images.tolist(), pictures):
        np.testing.assert_array_equal(small(max_iter=1).fit(same, digits).predict_proba(images), expected)


def test_palettes_are_colours_and_deep_pixels_are_kept(tmp_path):
    colours = np.array([[[250, 0, 0], [0, 250, 0]], [[0, 0, 250], [250, 250, 0]]], dtype=np.uint8)
    palette = Image.fromarray(colours).quantize(4)
    deep = np.array([[0, 300], [4000, 65000]], dtype=np.uint16)
    (tmp_path / "a").mkdir()
    palette.save(tmp_path / "a" / "palette.png")
    np.testing.assert_array_equal(read_images(tmp_path)[0][0], colours)
    np.testing.assert_array_equal(stacked([palette])[0], colours)
    (tmp_path / "a" / "palette.png").unlink()
    Image.fromarray(deep).save(tmp_path / "a" / "deep.png")
    np.testing.assert_array_equal(read_images(tmp_path)[0][0, :, :, 0], deep)


def test_a_single_image_says_how_to_pass_it():
    net = small(max_iter=1).fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match=r"one image of 8 × 8\.\n  Expected rows of images. Pass images\[:1\]"):
        net.predict(DIGITS.images[0])


def test_images_of_several_sizes_are_named():
    images = [np.zeros((8, 8)), np.zeros((8, 9)), np.zeros((8, 9))]
    with pytest.raises(DataError, match=r"images of 2 sizes: 8 × 9 \(2\), 8 × 8 \(1\)\.\n.*Resize them: read_images"):
        small().fit(images, [0, 1, 0])
    net = small().fit(DIGITS.images[FEW], DIGITS.target[FEW])
    with pytest.raises(DataError, match=r"images of 6 × 6 × 1\.\n  Expected 8 × 8 × 1, as in the training"):
        net.predict(np.zeros((2, 6, 6)))


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({}, np.full((4, 3, 3), np.nan), "4 images with missing or infinite pixels"),
        ({}, np.array([[["a"]]]), r"images of shape \(1, 1, 1\) and type <U1"),
        ({}, np.zeros((3, 0, 4)), r"images of shape \(3, 0, 4\)"),
        ({"image_shape": (3, 3)}, np.zeros((4, 8)), r"image_shape=\(3, 3\) and rows of 8 numbers.*\n.*product is 8"),
        ({"channels": ()}, np.zeros((4, 8, 8)), r"channels=\(\)\.\n  Expected a whole number"),
        ({"channels": (8, 0)}, np.zeros((4, 8, 8)), r"channels=\(8, 0\)"),
        ({"augment": ["flip"]}, np.zeros((4, 8, 8)), r"augment with 'flip'.*\n.*augment=\[Shifts"),
    ],
)  # fmt: skip
def test_bad_images_say_what_to_do(settings, X, message):
    with pytest.raises(DataError, match=message):
        small(**settings).fit(X, np.arange(len(X)) % 2)


def test_one_class_is_predicted_for_certain():
    net = small().fit(DIGITS.images[FEW], np.zeros(len(FEW)))
    np.testing.assert_allclose(net.predict_proba(DIGITS.images[FEW]), 1.0)


def test_blank_images_are_no_reason_to_fail():
    net = small().fit(np.ones((30, 4, 4)), np.arange(30) % 2)
    np.testing.assert_allclose(net.predict_proba(np.ones((2, 4, 4))), 0.5, atol=0.1)


def test_a_gpu_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DataError, match="device='cuda': PyTorch finds no GPU"):
        small(device="cuda").fit(DIGITS.images[FEW], DIGITS.target[FEW])


def test_training_without_pytorch_names_the_extra(monkeypatch):
    def missing(needed_by):
        raise DataError(f"{needed_by} needs PyTorch, which is not installed.", hint="Run pip install 'probus[neural]'.")

    monkeypatch.setattr(_predictor, "load_torch", missing)
    with pytest.raises(DataError, match=r"ConvClassifier needs PyTorch.*\n.*probus\[neural\]"):
        small().fit(DIGITS.images[FEW], DIGITS.target[FEW])


# -- folders -------------------------------------------------------------------------------------------


def write(folder, name, values):
    (folder / name).parent.mkdir(exist_ok=True)
    Image.fromarray(np.asarray(values, dtype=np.uint8)).save(folder / name)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for place in range(12):
        write(tmp_path, f"dark/{place:02}.png", rng.integers(0, 90, (6, 5)))
        write(tmp_path, f"light/{place:02}.png", rng.integers(160, 255, (6, 5)))
    return tmp_path


def test_the_subfolders_of_a_folder_are_classes(folder):
    (folder / "dark" / "notes.txt").write_text("no image")
    images, classes = read_images(folder)
    assert images.shape == (24, 6, 5, 1)
    assert classes.tolist() == ["dark"] * 12 + ["light"] * 12
    net = small(max_iter=10, batch_size=8, early_stopping=False).fit(folder)
    assert net.classes_.tolist() == ["dark", "light"]
    assert (net.predict(folder) == classes).all()


def test_files_are_resized_and_get_the_same_channels(folder):
    write(folder, "light/colour.jpg", np.full((10, 10, 3), 200))
    with pytest.raises(DataError, match="images of 2 sizes"):
        read_images(folder)
    images, classes = read_images(folder, size=(4, 7))
    assert images.shape == (25, 4, 7, 3)
    assert len(classes) == 25


def test_a_folder_without_images_is_an_error(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        small().fit(tmp_path / "none")
    with pytest.raises(DataError, match=r"has no images in subfolders\.\n  Expected a subfolder for each class"):
        small().fit(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(b"no image")
    with pytest.raises(DataError, match=r"x.png' cannot be read"):
        read_images(tmp_path)
