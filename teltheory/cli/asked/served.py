"""The model that is served: the size of its KV cache, and its latency, never another model's in silence."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from teltheory.cost.catalogue import gpu, known_model, variant
from teltheory.cost.given import architecture_of, as_latency, measured_size
from teltheory.cost.kv_cache import Architecture, KVSize
from teltheory.cost.kv_config import read_architecture
from teltheory.cost.latency import Latency, LatencyModel
from teltheory.cost.latency_files import MEASURED
from teltheory.cost.roofline import Roofline, estimated, fitted_to
from teltheory.errors import ArgumentError, printable

TOKENS = LatencyModel(Fraction(1), name="uncached tokens")
"""In the place of a TTFT if nothing has one."""
DEFAULT = next(iter(MEASURED))


@dataclass(frozen=True)
class ServedModel:
    """What was said of the model that is served; each part is None if it was left out."""

    model: str | None = None
    config: str | None = None
    kv_bytes: int | None = None
    tensor_parallel: int | None = None
    kv_dtype: str | None = None
    latency: str | None = None
    accept_latency_of: str | None = None
    gpu: str | None = None

    @cached_property
    def shape(self) -> KVSize | None:
        """Size of its tokens; if nothing says it, that of the model that a given latency was measured on."""
        if self._assumed is not None:
            return self._assumed
        if self.model is not None or self.config is not None:
            return self._architecture.stored(self.tensor_parallel or 1, self.kv_dtype)
        for name, value in (("--tensor-parallel", self.tensor_parallel), ("--kv-dtype", self.kv_dtype)):
            if value is not None:
                raise ArgumentError(name, value, "--model or --config with it")
        if self.kv_bytes is not None:
            return KVSize(str(self._name), self.kv_bytes)
        return None if self.latency is None else measured_size(self._latency)

    @property
    def unit(self) -> str:
        """Of percentiles: "s", or "tok" if nothing has a latency."""
        return "tok" if self._latency is None else "s"

    @property
    def latency_or_tokens(self) -> Latency:
        """Its latency, or one that counts tokens where there is none."""
        return self._latency or TOKENS

    @property
    def needed_latency(self) -> Latency:
        """Its latency."""
        if self._latency is None:
            option, value = self._named or ("", "")
            ways = f"--latency FILE.json (of teltheory calibrate) or --accept-latency-of {DEFAULT}"
            raise ArgumentError(option, value, f"{ways} with it: it has no latency of its own")
        return self._latency

    def sentence(self, in_blocks: bool = False) -> str:
        """Return which latency it is, and whose; and that all is in tokens, unless there are blocks."""
        if in_blocks:
            return self._whose
        return f"{self._whose} {'TEL is' if self._latency is None else 'Thresholds and TEL are'} in tokens."

    @property
    def _whose(self) -> str:
        if isinstance(self._latency, Roofline):
            return f"{self._latency.sentence}."
        if self._latency is None:
            return f"Percentiles are of uncached tokens: {self._name} has no latency of its own."
        origin = self._latency.provenance
        whose = "" if origin is None else origin.model
        of = f": that of {whose}" if whose else ""
        return f"TTFT = {self._latency.name}{of}{self._why(whose)}."

    def _why(self, whose: str) -> str:
        if self._name is None:
            return "" if self.latency or self.accept_latency_of else ", as no --model is given"
        if self.latency is not None:
            return f", taken for {self._name}"
        if self.accept_latency_of is not None:
            return f", accepted for {self._name}"
        return "" if self._name == whose else f", whose shape {self._name} shares"

    @cached_property
    def _architecture(self) -> Architecture:
        """The model's shape; of one with --kv-bytes beside it, what computing it costs."""
        named, place = self._named or ("", "")
        known = known_model(self.model) if self.model is not None and self._assumed is not None else None
        if known is not None:
            return variant(known.shape or Architecture(known.name, 1, 1, 1), place)
        return architecture_of(place) if named == "--model" else read_architecture(place)

    @property
    def _assumed(self) -> KVSize | None:
        """The bytes per token that --kv-bytes gives a model that has none."""
        known = None if self.model is None or self.kv_bytes is None else known_model(self.model)
        if known is None or not known.why or self.kv_bytes is None:
            return None
        taken = "--kv-bytes for each token of all layers alike, as if no window, state or index were there"
        return KVSize(f"{known.name}: {taken}, though {known.why}", self.kv_bytes)

    @cached_property
    def _named(self) -> tuple[str, str] | None:
        """The option that names the model, and its value."""
        options = {"--model": self.model, "--config": self.config, "--kv-bytes": self.kv_bytes}
        given = [(option, str(value)) for option, value in options.items() if value is not None]
        if len(given) > 1 and self._assumed is None:
            raise ArgumentError(*given[1], f"none with {given[0][0]}")
        return given[0] if given else None

    @property
    def _name(self) -> str | None:
        """What the model is called in sentences."""
        if self._named is None:
            return None
        return self._architecture.name if self.model is not None else printable(" ".join(self._named))

    @cached_property
    def _latency(self) -> Latency | None:
        if self.latency is not None and self.accept_latency_of is not None:
            raise ArgumentError("--accept-latency-of", self.accept_latency_of, "none with --latency")
        if self.gpu is not None:
            return self._on(self.gpu)
        if self.latency is not None:
            return as_latency(self.latency, "--latency")
        name = self.accept_latency_of or self.model or (DEFAULT if self._named is None else "")
        found = MEASURED.get(name.strip().lower())
        if found is None and self.accept_latency_of is not None:
            raise ArgumentError("--accept-latency-of", name, f"a model with a latency: {', '.join(MEASURED)}")
        return found

    def _on(self, name: str) -> Latency:
        """Return the estimate for a GPU, or what a measurement makes of it."""
        if self.accept_latency_of is not None:
            raise ArgumentError("--accept-latency-of", self.accept_latency_of, "none with --gpu")
        if self.model is None and self.config is None:
            raise ArgumentError("--gpu", name, "--model or --config with it")
        asked = estimated(self._architecture, gpu(name, "--gpu"), self.tensor_parallel or 1)
        measured = as_latency(self.latency, "--latency")
        return asked if measured is None else fitted_to(asked, self._architecture, gpu(name), measured)
