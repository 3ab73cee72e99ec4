"""Training beside PyTorch, or an earlier build: the same model, batches and first loss."""

import json
import os
import statistics
import subprocess

from sides import check_same, made_up_ids, run, run_json, run_json_or_none, script

TINY = dict(d_model=128, n_heads=4, d_ff=256, n_encoder_layers=4, n_decoder_layers=4, norm_first=True, tie_embeddings="target")
LANGUAGE = dict(d_model=512, n_heads=8, d_ff=2048, n_layers=6, dropout=0.1, activation="gelu")
BASE = dict(d_model=512, n_heads=8, d_ff=2048, n_encoder_layers=6, n_decoder_layers=6, norm_first=False, tie_embeddings="all")


def translation(c, name, config, src, tgt, vocabulary, batch_tokens, dropout, seconds):
    d, f, encoder, decoder = config["d_model"], config["d_ff"], config["n_encoder_layers"], config["n_decoder_layers"]

    def flops(result):  # a second: 2 forward and 4 backward for every weight and token, attention itself left out
        source = result["source_tokens_per_second"] * (encoder * (4 * d * d + 2 * d * f) + decoder * 2 * d * d)
        target = result["tokens_per_second"] * (decoder * (6 * d * d + 2 * d * f) + vocabulary * d)
        return 6 * (source + target)

    options = dict(model=dict(config, dropout=dropout), dropout=dropout, vocabulary=vocabulary, src=src, tgt=tgt, threads=2,
                   batch_tokens=batch_tokens, seconds=seconds, weights=c.path(f"{name}.safetensors"))
    beside_torch(c, name, "train_attend", flops, options)
    return options


def language(c, name, config, length, sequences, vocabulary):
    ids = made_up_ids(c.path(name + ".ids"), 16 * sequences, vocabulary, 1, length + 1, length + 2)
    d, layers = config["d_model"], config["n_layers"]

    def flops(result):  # and the causal attention: two products over half the length on average
        return 6 * result["tokens_per_second"] * (layers * (4 * d * d + 2 * d * config["d_ff"] + length * d) + vocabulary * d)

    beside_torch(c, name, "train_lm_attend", flops, dict(
        model=config, vocabulary=vocabulary, ids=ids, sequences=sequences, threads=2, seconds=3 * c.a.seconds,
        weights=c.path(f"{name}.safetensors")))


def fine_tuning(c, name, directory, sentences, rank):
    """Of an imported classifier: all of its parameters, or adapters of this rank."""
    model, texts, first = (c.path(f"{name}.{kind}") for kind in ("safetensors", "tsv", "first.tsv"))
    run([c.attend, "import", directory, "--out", model], stderr=subprocess.DEVNULL)
    with open(sentences, encoding="utf-8") as lines:
        labeled = [f"{('negative', 'positive')[i % 2]}\t{line.strip()}\n" for i, line in enumerate(lines) if line.strip()]
    for path, lines in ((texts, labeled), (first, labeled[:32])):
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(lines)
    with open(os.path.join(directory, "config.json")) as file:
        config = json.load(file)
    d, layers = config["hidden_size"], config["num_hidden_layers"]

    def flops(result):  # of adapters, the weights themselves have no gradient
        return (4 if rank else 6) * result["tokens_per_second"] * layers * (4 * d * d + 2 * d * config["intermediate_size"])

    beside_torch(c, name, "tune_attend", flops, dict(
        model=model, directory=directory, texts=texts, first=first, batch_tokens=2048, rank=rank, threads=2, seconds=c.a.seconds))


def sides(c, name, program, options):
    """(ours(precision), theirs(variant)) of the same training, where the variants of an earlier build are its precisions; theirs() is None when that
    variant does not run here, or takes for ever."""
    file = c.path(f"{name}.json")
    with open(file, "w") as out:
        json.dump(options, out)
    if c.a.before:
        return tuple((lambda precision, build=build: run_json([os.path.join(build, "bench", "compare_" + program), file, precision]))
                     for build in (c.a.build, c.a.before))
    peer = program.replace("_attend", "_torch") + ".py"
    return (lambda precision: run_json([os.path.join(c.a.build, "bench", "compare_" + program), file, precision]),
            lambda variant: run_json_or_none(script(peer, file, "--variant", variant), c.a.patience))


def beside_torch(c, name, program, flops, options):
    peer = c.peer("PyTorch")
    # A third of the time is enough to choose a variant by.
    ours, theirs = sides(c, f"{name}-trial", program, dict(options, seconds=options["seconds"] / 3))
    first = ours("f32")
    trials = {}
    for variant in c.a.variants:
        result = theirs(variant)
        if result is None:
            print(f"  {name}: {peer} {variant} does not run here, or not within {c.a.patience:.0f} s", flush=True)
            continue
        print(f"  {name}: {peer} {variant} {result['tokens_per_second']:.0f} tokens/s", flush=True)
        check_same(name, first, result)
        trials[variant] = result
    ours, theirs = sides(c, name, program, options)
    kinds = [kind for kind in ("f32", "bf16") if any(v.startswith(kind) for v in trials)]
    best = {kind: max((v for v in trials if v.startswith(kind)), key=lambda v: trials[v]["tokens_per_second"]) for kind in kinds}
    for kind in kinds:
        precision = kind if f"gflops_{kind}" in c.limits else "f32"  # bf16 only where the processor has it
        turns = c.turns(lambda: ours(precision), lambda: theirs(best[kind]))
        turns = [turn for turn in turns if turn[1] is not None]
        if not turns:
            print(f"  {name}: {peer} {best[kind]} ran once and then not again", flush=True)
            continue
        speed = [[side["tokens_per_second"] for side in turn[:2]] for turn in turns]
        c.add(f"{name} ({precision} against {best[kind]})", statistics.median(s[0] for s in speed), statistics.median(s[1] for s in speed),
                 peer, "tokens/s", [a / b for a, b in speed], first_loss=[first["first_loss"], trials[best[kind]]["first_loss"]],
                 parameters=first["parameters"], of_limit=statistics.median(flops(mine) / 1e9 / limits[f"gflops_{precision}"] for mine, _, limits in turns))
        c.add_times(f"{name}, peak memory ({best[kind]})", turns, "peak_bytes", 2**-20, "MiB", peer=peer)


def corpus_ids(c, src, tgt, name, vocabulary, joint):
    """The ids of real text, as sentencepiece (BPE) cuts it with one vocabulary or one for each side."""
    import sentencepiece

    prefix = c.path(name)
    files = []
    for side, path in (("src", src), ("tgt", tgt)):
        learned = prefix if joint else f"{prefix}.{side}"
        if not os.path.exists(learned + ".model"):
            sentencepiece.SentencePieceTrainer.train(input=[src, tgt] if joint else path, model_prefix=learned, vocab_size=vocabulary,
                                                     model_type="bpe", pad_id=0, unk_id=1, bos_id=2, eos_id=3, minloglevel=2)
        processor = sentencepiece.SentencePieceProcessor(learned + ".model")
        files.append(f"{prefix}.{side}.ids")
        with open(path) as text, open(files[-1], "w") as out:
            out.writelines(" ".join(map(str, processor.encode(line.rstrip("\n"))[:250])) + "\n" for line in text)
    return files
