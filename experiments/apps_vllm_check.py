"""A remote engine against a real vLLM on a CPU: forks find the prefix that a fill left in its cache.

    python -m experiments.apps_vllm_check

1. vLLM from `experiments/check_vllm.py` (3.4 GB, made where it is not there) serves a small random Llama whose
   tokens are bytes, so that both sides count alike.
2. Three prompts that share a long beginning run as forks of it, and each by itself on a server without a cache.
3. The outputs must be the same, and of the forks' prompts as many tokens cached as there are whole blocks.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys

from experiments.check_vllm import BLOCK, FOLDER, environment, server
from teltheory.systems.apps import Sampling
from teltheory.systems.apps.engines import RemoteEngine

PROMPT = "You answer in one line, as briefly as you can. " * 20
NAMES = ("Ann:", "Bob:", "Eve:")
TOKENS = 16


async def forked(engine: RemoteEngine) -> list[str]:
    """Fill the shared beginning in, and let three forks go on."""
    await engine.fill(engine.encode(PROMPT), 0)
    return list(await asyncio.gather(*(one(engine, name, id, 0) for id, name in enumerate(NAMES, 1))))


async def flat(engine: RemoteEngine) -> list[str]:
    """Run three whole prompts."""
    return list(await asyncio.gather(*(one(engine, PROMPT + name, id, None) for id, name in enumerate(NAMES))))


async def one(engine: RemoteEngine, text: str, id: int, parent: int | None) -> str:
    """Fill a text in and generate."""
    await engine.fill(engine.encode(text), id, parent)
    return engine.decode(await engine.generate(Sampling(TOKENS), id))


def main() -> int:
    """Return 0 if forks equal flat runs and found what they share."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    python, model = environment(), FOLDER / "bytes"
    subprocess.run([python, "experiments/tiny_llama.py", model, "256"], check=True)
    subprocess.run([python, "experiments/byte_tokenizer.py", model], check=True)
    engines, outputs = [], []
    for ways, caching in ((forked, True), (flat, False)):
        with server(python, model, tokenizer=model, caching=caching) as url:
            engine = RemoteEngine(url, "tiny", fills=True)
            outputs.append(asyncio.run(ways(engine)))
            engines.append(engine)
            usage = engine.usage
            counts = f"{usage.calls} calls, {usage.prompt} prompt tokens, {usage.cached} cached"
            sys.stdout.write(f"{ways.__name__}: {counts}\n")
    least = 2 * len(NAMES) * (len(PROMPT) // BLOCK * BLOCK)
    found = engines[0].usage.cached or 0
    same = outputs[0] == outputs[1]
    sys.stdout.write(f"outputs {'are the same' if same else 'differ'}; expected {least} cached or more\n")
    return 0 if same and found >= least else 1


if __name__ == "__main__":
    sys.exit(main())
