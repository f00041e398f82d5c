# SPDX-License-Identifier: BSD-2-Clause
"""cpu:*:vm: faults of memory by kind, against vmstat's counters of causes."""

import re


def test_faults_of_memory_by_kind(quipu, arch):
    """cpu:0:vm tells what vmstat's counters of causes tell: some are of an access that a translation forbids."""
    text = quipu("selftest aspace; kstat -p cpu:0:vm:as_fault cpu:0:vm:prot_fault; vmstat -e", "--deterministic").text
    causes = {name: int(count) for name, count in re.findall(r"^cpu0 (page fault(?: \w+)?|TLB \w+) +(\d+) ", text, re.M)}
    told = {name: int(count) for name, count in re.findall(r"^cpu:0:vm:(\w+)\t(\d+)$", text, re.M)}
    absent = ["TLB load", "TLB store"] if arch == "mips" else ["page fault absent"]
    protected = "TLB modified" if arch == "mips" else "page fault protection"
    assert told == {"as_fault": sum(causes.get(name, 0) for name in absent), "prot_fault": causes[protected]}
    assert told["as_fault"] > 0 and told["prot_fault"] > 0
    if arch == "x86_64":
        assert causes["page fault"] == told["as_fault"] + told["prot_fault"]
