"""Three steps in the history of deep networks, in NumPy: small enough to read, and to run in seconds.

1965: the group method of data handling (Ivakhnenko) grows a network of polynomials, layer by layer, and held-out rows
decide which units stay. 1991: gradients vanish (Hochreiter): each sigmoid layer passes on a fraction of them. 2006:
greedy layer-wise pre-training (Hinton et al.; with autoencoders, Bengio et al. 2007) gives a deep network of sigmoids
first weights with which it trains.

    python examples/networks_before_2010.py
"""

from itertools import combinations

import numpy as np

from probus.neural_network import Dense, Network


def group_method(X, y, held_X, held_y, keep=6):
    """The mean squared error on held-out rows after each layer, until it rises, and a function that predicts.

    A unit is a quadratic function of two units before it, fitted by least squares. The ``keep`` units with the lowest
    error on held-out rows are the input of the next layer.
    """
    layers, errors = [], [np.mean((held_y - y.mean()) ** 2)]
    while True:
        units = []
        for i, j in combinations(range(X.shape[1]), 2):
            weights = np.linalg.lstsq(_quadratic(X[:, i], X[:, j]), y, rcond=None)[0]
            held = _quadratic(held_X[:, i], held_X[:, j]) @ weights
            units.append((np.mean((held_y - held) ** 2), i, j, weights))
        best = sorted(units, key=lambda unit: unit[0])[:keep]
        if best[0][0] >= errors[-1]:
            return errors, lambda rows: _through(rows, layers)[:, 0]
        layers.append(best)
        errors.append(best[0][0])
        X, held_X = _through(X, layers[-1:]), _through(held_X, layers[-1:])


def _quadratic(a, b):
    return np.column_stack([np.ones_like(a), a, b, a * b, a**2, b**2])


def _through(X, layers):
    for units in layers:
        X = np.column_stack([_quadratic(X[:, i], X[:, j]) @ weights for _, i, j, weights in units])
    return X


def gradient_sizes(activation, X, y, depth=8, width=20, seed=0):
    """The length of the gradient of each layer's weights, in a network whose hidden layers are alike."""
    layers = [*(Dense(width, activation) for _ in range(depth)), Dense(1)]
    return [np.linalg.norm(weights) for weights, _ in Network(layers, random_state=seed).gradients(X, y)]


def pretrained_layers(X, widths, epochs=300, seed=0):
    """Sigmoid layers, each the encoder of an autoencoder of what the layers before it return."""
    layers = []
    for width in widths:
        pair = Network([Dense(width, "sigmoid"), Dense(X.shape[1])], random_state=seed)
        pair.fit(X, X, learning_rate=0.5, epochs=epochs, batch_size=32)
        layers.append(pair.layers[0])
        X = pair.forward(X)[0][1]
    return layers


def drawn_rows(n, seed=0):
    """Twelve columns that follow from three numbers, and a target that does too."""
    rng = np.random.default_rng(seed)
    hidden = rng.uniform(-1, 1, (n, 3))
    mixing = np.random.default_rng(9).normal(size=(3, 12))
    X = np.tanh(hidden @ mixing) + 0.05 * rng.normal(size=(n, 12))
    return X, hidden[:, 0] * hidden[:, 1] + np.sin(2 * hidden[:, 2])


def losses_with_and_without_pretraining(seed=0):
    """The mean loss of a deep network of sigmoids after the same epochs, with drawn and with pre-trained weights."""
    X, y = drawn_rows(200)
    widths = (12, 12, 10, 10, 8, 6)
    drawn = [Dense(width, "sigmoid") for width in widths]
    found = []
    for layers in (drawn, pretrained_layers(X, widths, seed=seed)):
        net = Network([*layers, Dense(1)], random_state=seed).fit(X, y, learning_rate=0.3, epochs=150, batch_size=32)
        found.append(net.mean_loss(X, y))
    return found


def main():
    """Print what each step shows."""
    (X, y), (held_X, held_y), (new_X, new_y) = (drawn_rows(300, seed) for seed in range(3))
    errors, predict = group_method(X, y, held_X, held_y)
    print("1965  group method of data handling: error on held-out rows by layer")
    print(
        "     ",
        "  ".join(f"{error:.4f}" for error in errors),
        f"  on new rows {np.mean((new_y - predict(new_X)) ** 2):.4f}",
    )
    print("1991  length of the gradient, from the first layer to the last")
    for activation in ("sigmoid", "relu"):
        print(f"      {activation:8}", "  ".join(f"{size:.1e}" for size in gradient_sizes(activation, X, y)))
    without, pretrained = losses_with_and_without_pretraining()
    print(f"2006  loss of six sigmoid layers after 150 epochs: {without:.4f}, with pre-training {pretrained:.4f}")


if __name__ == "__main__":
    main()
