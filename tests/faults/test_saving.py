"""Whatever is at the path, and whatever happens meanwhile, ``save`` hurts nothing."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

import probus
from probus.dummy import ZeroRClassifier

pytestmark = pytest.mark.slow

MODEL = ZeroRClassifier().fit([[0.0], [1.0], [2.0]], ["no", "yes", "no"])

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and pipes of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077])
def umask(request):
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


@posix
def test_a_new_file_has_the_permissions_that_the_umask_leaves(umask, tmp_path):
    assert mode_of(probus.save(MODEL, tmp_path / "m")) == 0o666 & ~umask


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o400])
def test_a_file_keeps_its_permissions(mode, umask, tmp_path):
    path = probus.save(MODEL, tmp_path / "m")
    path.chmod(mode)
    probus.save(MODEL, path)
    assert mode_of(path) == mode


@posix
def test_a_private_file_is_private_while_it_is_written(tmp_path, monkeypatch):
    path = probus.save(MODEL, tmp_path / "m")
    path.chmod(0o640)
    seen = []

    def looking(*arguments):
        seen.extend(mode_of(file) for file in tmp_path.iterdir() if file != path)

    monkeypatch.setattr("probus.persistence._save_model.write_container", looking)
    probus.save(MODEL, path)
    assert seen == [0o600]


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_points_to_is_replaced(exists, tmp_path):
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    target.parent.mkdir()
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(target)
    assert probus.save(MODEL, link) == link
    assert link.is_symlink()
    assert not target.is_symlink()
    assert probus.load(target).predict([[0.0]]) == ["no"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["elsewhere", "link", "target"]


@posix
def test_what_is_not_a_file_is_refused_and_stays(tmp_path):
    pipe, folder, loop, device = (tmp_path / name for name in ("pipe", "folder", "loop", "device"))
    os.mkfifo(pipe)
    folder.mkdir()
    loop.symlink_to(loop)
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:  # only the superuser can make one, and only the superuser could replace this one
        device.symlink_to(os.devnull)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path, what in (
            (pipe, "a pipe"), (folder, "a folder"), (tmp_path / "socket", "a socket"), (loop, "a link"),
            (device, "a device"),
        ):  # fmt: skip
            with pytest.raises(FileExistsError, match=f"is {what}, not a file that a model could replace"):
                probus.save(MODEL, path)
    assert pipe.is_fifo()
    assert device.is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["device", "folder", "loop", "pipe", "socket"]


def test_what_killed_processes_have_left_is_removed(tmp_path):
    path, others = tmp_path / "m[1]", [tmp_path / ".other.0123abcd.tmp", tmp_path / ".m1.0123abcd.tmp"]
    left, recent = tmp_path / ".m[1].0123abcd.tmp", tmp_path / ".m[1].89abcdef.tmp"
    for file in (left, recent, *others):
        file.write_bytes(b"half")
    for file in (left, *others):
        os.utime(file, (time.time() - 7200, time.time() - 7200))
    probus.save(MODEL, path)
    assert sorted(tmp_path.iterdir()) == sorted([path, recent, *others])


SAVES = """
import sys, numpy as np, probus
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
model = make_pipeline(StandardScaler().fit(np.random.default_rng(0).normal(size=(3, 200_000))))
probus.save(model, sys.argv[1])
print("saved", flush=True)
while True:
    probus.save(model, sys.argv[1])
"""


@posix
def test_killed_while_saving_the_file_is_the_old_or_the_new_one(tmp_path):
    path, random = tmp_path / "m", np.random.default_rng(0)
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", SAVES, path], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(random.uniform(0.0, 0.05))
            process.send_signal(signal.SIGKILL)
        assert probus.load(path).steps[0][1].n_features_in_ == 200_000


@posix
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path):
    path = probus.save(MODEL, tmp_path / "m")
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    done = subprocess.run([sys.executable, "-c", limit + SAVES, path], capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert probus.load(path).predict([[0.0]]) == ["no"]
    assert list(tmp_path.iterdir()) == [path]
