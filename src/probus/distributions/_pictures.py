"""Pictures of a distribution and of a likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.display.drawing import BLUE, COLOURS, MUTED, ORANGE, new_axes, tidy
from probus.errors import DataError

_SMALLEST = 1e-250  # likelihoods below this are drawn relative to their maximum


def draw_density(distribution: Any, ax: Any) -> Any:
    """The density, over a histogram of the values."""
    ax = new_axes(ax, 6.0, 3.8)
    values = getattr(distribution, "values_", None)
    low, high = distribution.quantile([0.001, 0.999])
    if values is not None:
        low, high = min(low, values.min()), max(high, values.max())
    if distribution.discrete:
        x = np.arange(np.floor(low), np.ceil(high) + 1)
        if values is not None:
            shares = [distribution.weights_[values == each].sum() / distribution.n_ for each in x]
            ax.bar(x, shares, width=0.7, color=BLUE, alpha=0.25, label="values")
        ax.plot(x, distribution.density(x), "o", color=ORANGE, markersize=5, label="distribution")
        tidy(ax, _title(distribution), "value", "probability")
    else:
        if values is not None:
            edges = np.histogram_bin_edges(values, "auto")
            ax.hist(values, edges, weights=distribution.weights_, density=True, color=BLUE, alpha=0.25, label="values")
        x = np.linspace(low, high, 401)
        ax.plot(x, distribution.density(x), color=ORANGE, linewidth=2, label="distribution")
        tidy(ax, _title(distribution), "value", "density")
    if values is not None:
        ax.legend(frameon=False, fontsize=9)
    return ax


def draw_likelihood(fitted: Any, parameter: str | None, prior: Any, ax: Any) -> Any:
    """The likelihood along one parameter, with its maximum; a prior and the posterior beside it."""
    unknown = [name for name in fitted.shapes if getattr(fitted, name) is None]
    parameter = parameter or "".join(unknown[:1])
    if parameter not in unknown:
        raise DataError(f"parameter={parameter!r}.", f"a parameter that was fitted: {', '.join(unknown) or 'none was'}")
    ax = new_axes(ax, 6.0, 3.8)
    at = _range(fitted, parameter, prior)
    logs = np.array([fitted.log_likelihood(**{parameter: value}) for value in at])
    best, place = fitted.log_likelihood(), getattr(fitted, f"{parameter}_")
    relative = prior is not None or best < np.log(_SMALLEST)
    curve, top = (np.exp(logs - best), 1.0) if relative else (np.exp(logs), np.exp(best))
    ax.plot(at, curve, color=BLUE, linewidth=2, label="likelihood")
    ax.plot([place], [top], "o", color=BLUE, markersize=5)
    ax.annotate(f"most likely: {place:.3g}", (place, top), (6, 4), textcoords="offset points", color=BLUE, fontsize=9)
    if prior is not None:
        posterior = fitted.posterior(prior)
        for which, label, colour in ((prior, "prior", MUTED), (posterior, "posterior", COLOURS[1])):
            density = which.density(at)
            ax.plot(at, density / density[np.isfinite(density)].max(), color=colour, linewidth=1.8, label=label)
        ax.legend(frameon=False, fontsize=9)
    ax.set_ylim(0, 1.14 * top)
    tidy(ax, f"Likelihood of {fitted.n_:g} values", parameter, "relative to its maximum" if relative else "likelihood")
    return ax


def _range(fitted: Any, parameter: str, prior: Any) -> np.ndarray:
    """The values at which the likelihood can be seen."""
    low, high = fitted.shapes[parameter]
    if not (np.isfinite(low) and np.isfinite(high)):
        estimate = fitted.estimates(level=0.999)[parameter]
        width = max(estimate.value - estimate.low, min(estimate.high, 10 * abs(estimate.value) + 1) - estimate.value)
        ends = [estimate.value - width, estimate.value + width]
        if prior is not None:
            ends = [min(ends[0], prior.quantile(0.005)), max(ends[1], prior.quantile(0.995))]
        low, high = max(low, ends[0]), ends[1]
    return np.linspace(low, high, 402)[1:-1] if low == 0 else np.linspace(low, high, 401)


def _title(distribution: Any) -> str:
    return repr(distribution).split("\n")[0]
