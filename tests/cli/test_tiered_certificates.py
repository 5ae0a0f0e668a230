"""Certificates of optima in tiers, in files."""

import json
from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.cli.asked.prefixes import PRIVATE, Prefixes
from teltheory.cli.optimum.certificate import (
    Certified,
    certificates_as_data,
    checked,
    digest_of,
    read_certificates,
)

TIERS = tt.Tiers((2, 4), (0, Fraction(1, 3)))
OVERLAPPED = tt.Tiers((2, 4), (0, Fraction(1, 3)), "inclusive", "overlapped")
SHARED = Prefixes(block_size=512)


@pytest.fixture
def written(shared_file, tmp_path):
    """A function that writes the certificate of an optimum of the shared file, changed, and returns the file."""

    def certificate(tiers=TIERS, prefixes=SHARED, **change):
        trace = tt.read_trace(shared_file)
        requests = prefixes.of(trace)
        best = tt.hindsight_optimum(requests, tiers, 1)
        data = certificates_as_data([Certified("tiers", tiers, False, best.certificate, 1, prefixes)])
        data["certificates"][0].update(change)
        data["sha256"] = digest_of(data["certificates"])
        (file := tmp_path / "certificates.json").write_text(json.dumps(data))
        return file

    return certificate


@pytest.mark.parametrize("tiers", [TIERS, OVERLAPPED])
@pytest.mark.parametrize("prefixes", [SHARED, PRIVATE])
def test_what_is_written_is_read_and_checked(in_words, shared_file, written, tiers, prefixes):
    file = written(tiers, prefixes)
    (entry,) = read_certificates(str(file))
    assert (entry.memory, entry.xi, entry.forced, entry.prefixes) == (tiers, 1, False, prefixes)
    assert json.loads(json.dumps(certificates_as_data([entry]))) == json.loads(file.read_text())
    printed = in_words("check-certificate", file, shared_file)
    assert "Tiers of 2 at 0, 4 at 0.334, threshold 1" in printed
    assert f"no policy has less TEL than {float(entry.proof.lower):,.10g} (proved by " in printed


def test_a_lower_side_that_is_not_proved_is_refused(refused, shared_file, written):
    told = refused("check-certificate", written(lower="1000"), shared_file)
    assert "certificates[0], lower: found 1000, expected " in told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"loads": ["0", "1"]}, "loads: found 0, 1, expected 0 for the first tier"),
        ({"loads": ["0", "x"]}, "loads[1]: found x, expected a fraction such as 3/10"),
        ({"mode": 1}, "mode: found 1, expected a text"),
        ({"mode": "copies"}, "mode: found copies, expected one of"),
        ({"denominator": 0}, "denominator: found 0, expected 1 or more"),
        ({"shares": [1.5]}, "shares[0]: found 1.5, expected a whole number from 0 to 2**63 - 1"),
        ({"capacity": 2}, "expected an object with objective_kind, capacities"),
        ({"objective_kind": "tier"}, "objective_kind: found tier, expected tel, slo, tiers or a percentile"),
    ],
)
def test_a_wrong_file_is_an_error_of_one_line(refused, shared_file, written, change, told):
    printed = refused("check-certificate", written(**change), shared_file)
    assert told in printed.replace("'", "").replace('"', "")


def test_a_trace_without_block_hashes_is_refused(written):
    (entry,) = read_certificates(str(written()))
    alone = tt.Trace.from_turns([0], [1], [1])
    with pytest.raises(tt.CertificateError, match=r"file, certificates\[0\], prefixes: found a trace without"):
        next(checked("file", [entry], alone))
