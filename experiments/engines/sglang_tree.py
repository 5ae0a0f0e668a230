"""SGLang's real radix tree as a judge: run by the Python of an environment that has SGLang, not by the project's.

    PYTHON_OF_SGLANG experiments/engines/sglang_tree.py < cases.jsonl > answers.jsonl

Each line is a case: ``paths`` (token ids of each request), ``ask`` (how many of them are its prompt), ``capacity``
(tokens), ``policy`` and ``config`` as SGLang names them, ``chunk`` (tokens of a prefill chunk, null for whole
prompts), ``core`` ("python" or "rust") and ``renew`` (false: a split leaves the part that was not read as old as
it was; not what SGLang does, and for the Python core alone). With ``sessions`` (the session of each request, null
for none) the radix cache knows sessions; ``closes`` are then pairs: after which request which session is closed.
The answer is a line with the tokens that each request hits. A first line has the engine's version.

A request does what SGLang's scheduler does with one, in the scheduler's order and through the same methods,
without a model: match its prompt, lock what it read, and for each chunk make room, take slots and checkpoint; then
take a slot for each token of its output, checkpoint once more as finished, and unlock.
"""

import importlib.metadata
import json
import logging
import sys
from array import array
from types import SimpleNamespace

from stand_ins import stand_in

stand_in()
logging.disable(logging.WARNING)

import torch  # noqa: E402
from sglang.srt.managers.schedule_batch import ReqKvInfo  # noqa: E402
from sglang.srt.mem_cache.allocator.token import TokenToKVPoolAllocator  # noqa: E402
from sglang.srt.mem_cache.base_prefix_cache import MatchPrefixParams  # noqa: E402
from sglang.srt.mem_cache.cache_init_params import CacheInitParams  # noqa: E402
from sglang.srt.mem_cache.memory_pool import ReqToTokenPool  # noqa: E402
from sglang.srt.mem_cache.radix_cache import RadixKey  # noqa: E402
from sglang.srt.mem_cache.unified_cache.component_type import ComponentType  # noqa: E402
from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache  # noqa: E402

ROW = 1


class Engine:
    """One radix tree with its slots."""

    def __init__(self, capacity, policy, config, core, longest, sessions=False):
        self.slots = TokenToKVPoolAllocator(capacity, torch.float32, "cpu", None, False)
        self.rows = ReqToTokenPool(1, longest + 1, "cpu", False)
        self.tree = UnifiedRadixCache(
            CacheInitParams(
                disable=False,
                req_to_token_pool=self.rows,
                token_to_kv_pool_allocator=self.slots,
                page_size=1,
                tree_components=(ComponentType.FULL,),
                eviction_policy=policy,
                eviction_policy_config=config,
                tree_core_backend=core,
                enable_session_radix_cache=sessions,
            )
        )
        running = type(self.tree.tree_core).__name__
        assert ("Rust" in running) == (core == "rust"), f"asked for the {core} core, got {running}"

    def serve(self, number, path, ask, chunk, session=None):
        """Serve one request alone; return how many tokens of its prompt are cached."""
        ids = array("q", path)
        match = self.tree.match_prefix(MatchPrefixParams(key=RadixKey(ids[:ask])))
        hits = match.device_prefix_len
        request = self.request(number, ids, ask)
        if session is not None:
            request.session_id = str(session)
            request.session_generation = self.tree.ensure_session_generation(request.session_id)
        request.kv.cache_protected_len = hits
        request.last_node = match.last_device_node
        request.lock = self.tree.lock(match.last_device_node)
        self.rows.write((ROW, slice(0, hits)), self.tree.path_device_indices(match.last_device_node).int())
        end = hits
        while True:
            last, end = end, min(ask, end + (chunk or ask))
            self.compute(request, last, end)
            self.tree.checkpoint(request, up_to=end)
            if end == ask:
                break
        for token in range(ask, len(path)):
            self.compute(request, token, token + 1)
        request.finished = lambda: True
        self.tree.checkpoint(request, up_to=len(path))
        self.tree.unlock(request.lock)
        return hits

    def request(self, number, ids, ask):
        """Make what the tree reads of a request."""
        record = ReqKvInfo(req_pool_idx=ROW)
        return SimpleNamespace(
            rid=str(number),
            kv=record,
            origin_input_ids=ids[:ask],
            full_untruncated_fill_ids=ids,
            finished=lambda: False,
            finished_reason=None,
            priority=0,
            session=None,
            session_id=None,
            kv_rotation_base=None,
            extra_key=None,
            cache_salt=None,
            lock=None,
            last_node=None,
        )

    def compute(self, request, start, end):
        """Take slots for the tokens from `start` to `end`, after evicting what stands in the way."""
        self.slots.evict_to_free_tokens(self.tree, end - start)
        taken = self.slots.alloc(end - start)
        if taken is None:
            raise MemoryError(f"request {request.rid}: no room for tokens {start} to {end}")
        self.rows.write((ROW, slice(start, end)), taken.int())
        request.kv.kv_allocated_len = end


def without_renewal(core):
    """Let splits of the Python core leave the part that was not read as old as it was."""
    split = core._split_node

    def split_and_restore(key, child, length):
        """Split a node and restore the time of its lower part."""
        before = child.last_access_time
        parts = split(key, child, length)
        child.last_access_time = before
        return parts

    core._split_node = split_and_restore


def replay(case):
    """Return the tokens that each request of a case hits."""
    paths = case["paths"]
    asks, sessions = case.get("ask") or [len(path) for path in paths], case.get("sessions")
    longest = max(map(len, paths), default=0)
    told = case["capacity"], case["policy"], case.get("config"), case["core"], longest, sessions is not None
    engine = Engine(*told)
    if case.get("renew") is False:
        without_renewal(engine.tree.tree_core)
    hits = []
    for k, (path, ask, session) in enumerate(zip(paths, asks, sessions or [None] * len(paths), strict=True)):
        hits.append(engine.serve(k, path, ask, case.get("chunk"), session) if ask else 0)
        for closed in [closed for after, closed in case.get("closes") or () if after == k]:
            engine.tree.release_radix_session(str(closed))
    return hits


def main():
    """Answer the cases on standard input."""
    print(json.dumps({"engine": "sglang", "version": importlib.metadata.version("sglang")}), flush=True)
    for line in sys.stdin:
        print(json.dumps(replay(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
