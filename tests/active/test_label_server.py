"""The page over HTTP: what it shows, what it refuses, and that answers survive."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from probus.active import Learner
from probus.active.labelling import LabellingSession, LabelServer
from probus.data import Table, read
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes


class Page:
    """A client that sends what the page sends."""

    def __init__(self, url):
        self.url = urlsplit(url)
        self.origin = f"http://{self.url.netloc}"

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=30)
        sent = {"Host": self.url.netloc, "Origin": self.origin, "Content-Type": "application/json", **headers}
        sent = {name: value for name, value in sent.items() if value is not None}
        connection.request(method, path if path.startswith("//") else self.url.path + path, body, sent)
        response = connection.getresponse()
        found = response.status, dict(response.getheaders()), response.read().decode()
        connection.close()
        return found

    def state(self):
        return json.loads(self.request("GET", "state")[2])

    def post(self, action, **body):
        status, _, text = self.request("POST", action, json.dumps(body))
        return status, json.loads(text)


@contextmanager
def serving(learner, **how):
    server = LabelServer(LabellingSession(learner, "pool", "pool.labels.db"), **how)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Page(server.url), server
    finally:
        server.shutdown()
        server.server_close()
        server.session.close()
        thread.join()


@pytest.fixture
def page(mixed):
    table, _ = mixed
    with serving(Learner(NaiveBayes(), table, classes=["no", "yes"])) as (found, _):
        yield found


def test_a_row_is_shown_with_its_values_and_why(page):
    state = page.state()
    assert [name for name, _ in state["question"]["cells"]] == ["x", "z", "colour"]
    assert state["question"]["why"].startswith("Drawn at random")
    assert (state["classes"], state["labelled"], state["rows"], state["undo"]) == (["no", "yes"], 0, 300, False)


def test_answers_skips_and_undo(page, mixed):
    _, labels = mixed
    row = page.state()["question"]["row"]
    status, state = page.post("answer", row=row, label=labels[row])
    assert (status, state["labelled"], sum(state["counts"])) == (200, 1, 1)
    skipped = state["question"]["row"]
    _, state = page.post("skip", row=skipped)
    assert (state["skipped"], state["labelled"]) == (1, 1)
    _, state = page.post("undo")
    assert (state["skipped"], state["question"]["row"]) == (0, skipped)
    _, state = page.post("undo")
    assert (state["labelled"], state["question"]["row"]) == (0, row)


def test_what_the_model_predicts_is_not_shown(page, mixed):
    _, labels = mixed
    for _ in range(14):
        row = page.state()["question"]["row"]
        page.post("answer", row=row, label=labels[row])
    question = page.state()["question"]
    assert question["asked"] == "query"
    assert question["why"] == "The model cannot decide between two classes."
    assert set(question) == {"row", "cells", "why", "asked"}


@pytest.mark.slow
def test_the_curve_comes_with_its_band(page, mixed):
    _, labels = mixed
    state = page.state()
    for _ in range(25):
        row = state["question"]["row"]
        _, state = page.post("answer", row=row, label=labels[row])
    for _ in range(100):
        if page.state()["score"]:
            break
        time.sleep(0.1)
    state = page.state()
    assert re.match(r"accuracy [\d.]+ \[[\d.]+, [\d.]+\] with \d+ labels, on \d+ rows drawn at random", state["score"])
    assert state["curve"].startswith("<svg")


def test_an_answer_for_a_row_that_is_not_shown_is_refused(page):
    row = page.state()["question"]["row"]
    status, state = page.post("answer", row=row + 1 if row < 299 else 0, label="yes")
    assert status == 409
    assert "which is not shown" in state["error"]
    assert state["labelled"] == 0


def test_answers_that_make_no_sense_change_nothing(page):
    row = page.state()["question"]["row"]
    for body, words in (({"row": row, "label": "maybe"}, "the label 'maybe'"), ({"label": "yes"}, "without a row"),
                        ({"row": row}, "without a label"), ({"row": row, "label": 3}, "without a label"),
                        ({"row": True, "label": "yes"}, "without a row"), ({"row": row, "label": ""}, "empty label"),
                        ({"row": row, "label": "y" * 300}, "without a label"),
                        ({"row": row, "label": "\ud800"}, "without a label")):  # fmt: skip
        status, state = page.post("answer", **body)
        assert status == 409
        assert words in state["error"]
    assert page.state()["labelled"] == 0


def test_new_classes_may_be_added_where_none_are_declared(mixed):
    table, _ = mixed
    with serving(Learner(NaiveBayes(), table)) as (page, _):
        state = page.state()
        assert (state["classes"], state["open"]) == ([], True)
        _, state = page.post("answer", row=state["question"]["row"], label="maybe")
        assert state["classes"] == ["maybe"]


def test_classes_that_are_numbers_stay_numbers():
    learner = Learner(NaiveBayes(), Table.of({"x": [1.0, 2.0, 3.0]}), classes=[0, 1])
    with serving(learner) as (page, _):
        state = page.state()
        page.post("answer", row=state["question"]["row"], label="1")
        assert list(learner.labels.values()) == [1]


def test_equal_rows_with_different_labels_are_reported():
    learner = Learner(NaiveBayes(), Table.of({"x": [1.0, 1.0]}), classes=["a", "b"])
    with serving(learner) as (page, _):
        page.post("answer", row=page.state()["question"]["row"], label="a")
        _, state = page.post("answer", row=page.state()["question"]["row"], label="b")
        assert "are equal, and labelled" in state["contradictions"]
        assert state["question"] is None


# -- who is answered -----------------------------------------------------------------------------------


def test_the_token_is_needed(page):
    for path in ("//", "//wrong/state", f"/{page.url.path}x/state", "//wrong/", f"/{page.url.path.rstrip('/')}"):
        assert page.request("GET", path[:1] + path[1:])[0] == 404
    assert page.request("POST", "//wrong/undo", "{}")[0] == 404


def test_other_hosts_and_origins_are_refused(page):
    assert page.request("GET", "state", Host="evil.example")[0] == 403
    assert page.request("GET", "state", Host=f"evil.example:{page.url.port}")[0] == 403
    assert page.request("POST", "undo", "{}", Origin="http://evil.example")[0] == 403
    assert page.request("POST", "undo", "{}", Origin="null")[0] == 403
    assert page.request("POST", "undo", "{}", Origin=None)[0] == 403
    other = f"localhost:{page.url.port}"
    assert page.request("POST", "undo", "{}", Host=other, Origin=f"http://{other}")[0] == 200


def test_only_json_objects_of_a_reasonable_length_are_read(page):
    assert page.request("POST", "undo", "{}", **{"Content-Type": "text/plain"})[0] == 415
    assert page.request("POST", "undo", "[1]")[0] == 400
    assert page.request("POST", "undo", "{not json")[0] == 400
    assert page.request("POST", "undo", "[" * 60_000)[0] == 400
    assert page.request("POST", "undo", None, **{"Content-Length": "100000"})[0] == 413
    assert page.request("POST", "undo", None, **{"Content-Length": "9" * 5000})[0] == 415
    assert page.request("POST", "delete", "{}")[0] == 404
    assert page.request("GET", "files")[0] == 404


def test_the_page_needs_nothing_from_elsewhere_and_may_not_be_framed(page):
    status, headers, text = page.request("GET", "")
    assert status == 200
    assert re.search(r"(src|href)\s*=", text) is None
    assert not re.search(r"https?://", text)
    policy = headers["Content-Security-Policy"]
    nonce = re.search(r"script-src 'nonce-([^']+)'", policy)[1]
    assert f'<script nonce="{nonce}">' in text
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


def test_values_of_the_table_cannot_become_markup():
    learner = Learner(NaiveBayes(), Table.of({"<script>x": [1.0, 2.0]}), target="<b>y", classes=["<i>a", "b"])
    with serving(learner) as (page, _):
        assert "<b>y" not in page.request("GET", "")[2]
        assert page.state()["classes"] == ["<i>a", "b"]  # as data, which the page writes as text


def test_it_listens_on_this_machine_only(page):
    assert page.url.hostname == "127.0.0.1"


def test_a_port_in_use_is_refused(page, mixed):
    session = LabellingSession(Learner(NaiveBayes(), mixed[0]), "pool")
    with pytest.raises(DataError, match=rf"port {page.url.port} cannot be used: .*\n  Expected a free port"):
        LabelServer(session, page.url.port)


def test_a_model_that_fails_is_reported_and_answers_are_kept(mixed):
    class Fails(NaiveBayes):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no model today")

    table, labels = mixed
    learner = Learner(Fails(), table, classes=["no", "yes"], start=2)
    with serving(learner) as (page, _):
        state, error = page.state(), ""
        while not error:
            row = state["question"]["row"]
            _, state = page.post("answer", row=row, label=labels[row])
            error = state.get("error", "")
        assert error == "No row can be chosen: no model today"
        assert learner.labels[row] == labels[row]


# -- the command ---------------------------------------------------------------------------------------


def start(folder, *options):
    """The command in a process of its own, and its page."""
    command = [sys.executable, "-c", "from probus.cli import main; main()", "label", "pool.csv", "--target", "kind"]
    process = subprocess.Popen(
        [*command, "--model", "bayes", "--no-browser", *options], cwd=folder, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    return process, Page(process.stdout.readline().split()[1])


@pytest.mark.slow
def test_answers_survive_a_kill_and_are_written_at_the_end(tmp_path, mixed):
    table, labels = mixed
    (tmp_path / "pool.csv").write_text(table.to_polars().write_csv())
    process, page = start(tmp_path, "--classes", "yes,no")
    for _ in range(12):
        row = page.state()["question"]["row"]
        _, state = page.post("answer", row=row, label=labels[row])
    process.kill()
    process.communicate()
    process, page = start(tmp_path, "--classes", "yes,no", "--out", "labelled.csv")
    again = page.state()
    assert again["labelled"] == 12
    assert again["question"]["row"] == state["question"]["row"]
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=60)[0]
    assert "12 of 300 rows labelled" in printed
    assert process.returncode == 0
    written = read(tmp_path / "labelled.csv")
    assert written.names == (*table.names, "kind")
    assert int((~written["kind"].missing).sum()) == 12
