"""Predicts how training grows with the number of machines, from what one of them does and what the network carries: no measurement of many.

A machine computes a step of its own batch in C = tokens / speed seconds, two thirds of it in the backward pass. Then R machines add up P gradients
of b bytes: each sends 2 b P (R - 1) / R bytes in messages to log2(R) partners and back. Gradients are complete bucket by bucket during the backward
pass, and a bucket is sent while the next is computed. So a step takes

    C + what of the sums is not done yet when the backward pass is

or, without that overlap, C + 2 b P (R - 1) / (R bandwidth) + 2 log2(R) latency for each bucket. The network has one full-duplex link per machine
and a switch that does not slow them down. Every machine brings a batch of its own: R times the machines take steps of R times the tokens.

usage: predict_scaling.py                                   the tables of docs/scale.md
       predict_scaling.py PARAMETERS TOKENS SPEED [GBITS [LATENCY]]
                                                            one model: tokens of a step, tokens a second (`attend train ... --dry-run` says
                                                            them), Gbit/s of the network, seconds of a message
"""

import argparse
import math

BUCKET = 1 << 20  # gradients
LATENCY = 1e-4
MACHINES = [2**i for i in range(11)]
# Measured on one machine, two cores of Zen 4, f32: parameters, target tokens of a step, tokens a second.
MODELS = {"Multi30k": (2861568, 2048, 11399), "WMT base": (60522496, 4096, 481)}
NETWORKS = [("1 Gbit/s", 1, 4), ("1 Gbit/s, bf16", 1, 2), ("10 Gbit/s", 10, 4)]


def seconds_of_sums(parameters, machines, gbits, width, latency):
    if machines == 1:
        return 0.0
    sent = 2 * width * parameters * (machines - 1) / machines
    return sent / (gbits * 1e9 / 8) + 2 * math.log2(machines) * latency


def seconds_of_step(compute, parameters, machines, gbits, width=4, latency=LATENCY, overlap=True):
    if not overlap or parameters <= BUCKET:
        return compute + seconds_of_sums(parameters, machines, gbits, width, latency)
    buckets = [BUCKET] * (parameters // BUCKET) + ([parameters % BUCKET] if parameters % BUCKET else [])
    complete, summed = compute / 3, 0.0
    for bucket in buckets:
        complete += compute * 2 / 3 * bucket / parameters
        summed = max(summed, complete) + seconds_of_sums(bucket, machines, gbits, width, latency)
    return summed


def table(parameters, tokens, speed, networks, latency=LATENCY):
    """Rows of tokens a second and of their share of R times one machine, with and without overlap."""
    compute = tokens / speed
    head = ["machines", *(name for name, *_ in networks)]
    rows = [head, ["--:"] * len(head)]
    for machines in MACHINES[1:]:
        row = [str(machines)]
        for _, gbits, width in networks:
            share = [compute / seconds_of_step(compute, parameters, machines, gbits, width, latency, overlap) for overlap in (True, False)]
            row.append(f"{machines * speed * share[0]:,.0f} ({share[0]:.0%}; {share[1]:.0%})")
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("| --: |", "|--:|").replace(" --: ", "--:")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="*", type=float)
    model = parser.parse_args().model
    if model:
        if not 3 <= len(model) <= 5:
            parser.error("expected PARAMETERS TOKENS SPEED [GBITS [LATENCY]]")
        parameters, tokens, speed, gbits, latency = [*model, *[10, LATENCY][len(model) - 3:]]
        print(table(int(parameters), tokens, speed, [(f"{gbits:g} Gbit/s", gbits, 4), (f"{gbits:g} Gbit/s, bf16", gbits, 2)], latency))
        return
    for name, (parameters, tokens, speed) in MODELS.items():
        print(f"{name}: {parameters:,} parameters, {tokens:,} tokens per machine in a step of {tokens / speed:.2f} s\n")
        print(table(parameters, tokens, speed, NETWORKS) + "\n")


if __name__ == "__main__":
    main()
