"""The page of ``probus label``."""

from __future__ import annotations

from probus.report import render


def label_page(target: str, name: str, saved_in: str, nonce: str) -> str:
    """The page as HTML; it fetches what it shows from beside itself, and nothing from elsewhere.

    Parameters
    ----------
    target : what is labelled.
    name : of the pool.
    saved_in : where the answers are.
    nonce : by which the browser knows its script.

    Returns
    -------
    The page.
    """
    return render("label.html.j2", target=target, name=name, saved_in=saved_in, nonce=nonce)
