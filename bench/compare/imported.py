"""Models of other programs, imported, beside what else runs them: encoders, translation, generation.

Every peer runs at its best settings, and f32 is compared with f32, 8 bits with 8 bits. Before anything is timed, both sides must answer the
same in f32. Shapes have random weights (foreign_models.py), except for a directory that is given.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import numpy

import decoding
import training
from sides import python, run, run_json, script

GENERATED = 64  # tokens
CLOSE = 1e-4    # largest difference of f32 outputs


def installed(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def directory_of(c, shape, texts):
    folder = c.path(f"hf-{shape}")
    if not os.path.exists(os.path.join(folder, "model.safetensors")):
        run(script("foreign_models.py", shape, folder, *texts), stderr=subprocess.DEVNULL)
    return folder


def imported(c, name, directory):
    """Our model of the directory, in f32 and in 8 bits."""
    files = {kind: c.path(f"{name}.{kind}.safetensors") for kind in ("f32", "int8")}
    run([c.attend, "import", directory, "--out", files["f32"]], stderr=subprocess.DEVNULL)
    run([c.attend, "quantize", files["f32"], "--out", files["int8"]])
    return files


def fastest(peers, measure, what):
    """(name, first result) of the peer that does most, or takes least."""
    results = {}
    for peer in peers:
        try:
            results[peer] = measure(peer)
        except SystemExit:
            print(f"  {peer} does not run here", flush=True)
    sign = -1 if what == "latency_median" else 1
    best = max(results, key=lambda peer: sign * results[peer][what])
    print("  " + ", ".join(f"{peer} {r[what]:.4g}" for peer, r in results.items()), flush=True)
    return best


def encode(c, name, directory, source, classes):
    files = imported(c, name, directory)
    peers = [p for p, module in (("torch", "transformers"), ("onnx", "onnxruntime"), ("openvino", "openvino")) if installed(module)]
    few = c.path(f"{name}.few.txt")
    with open(source) as text, open(few, "w") as out:
        out.writelines(line for _, line in zip(range(100), text))

    def ours(kind, path, latency):
        options = c.path(f"{name}.json")
        with open(options, "w") as out:
            json.dump(dict(model=files[kind], source=path, out=c.path(f"{name}.ours"), batch_size=32, classes=classes, threads=2,
                                  latency=latency), out)
        return run_json([os.path.join(c.a.build, "bench", "compare_encode_attend"), options])

    def peer_command(peer, kind, path, *flags):
        return script("encode_peer.py", peer, directory, path, c.path(f"{name}.theirs"), "--graphs", c.path(f"graphs-{name}"),
                      *(["--int8"] if kind == "int8" else []), *flags)

    def theirs(peer, kind, path, latency):
        return run_json(peer_command(peer, kind, path, *(["--latency"] if latency else [])))

    ours("f32", few, False)
    exact = numpy.fromfile(c.path(f"{name}.ours"), dtype=numpy.float32)
    theirs("torch", "f32", few, False)
    difference = numpy.abs(exact - numpy.fromfile(c.path(f"{name}.theirs"), dtype=numpy.float32)).max()
    if difference > CLOSE:
        sys.exit(f"{name}: the outputs differ by {difference:.1e}")
    for kind in ("f32", "int8"):
        best = fastest(peers, lambda peer: theirs(peer, kind, source, False), "texts_per_second")
        turns = c.turns(lambda: ours(kind, source, False), lambda: theirs(best, kind, source, False))
        speed = [[side["texts_per_second"] for side in turn[:2]] for turn in turns]
        c.add(f"{name}, {kind}", *medians(speed), best, "texts/s", [a / b for a, b in speed], largest_difference=float(difference))
        c.add_times(f"{name}, {kind}, peak memory", turns, "peak_bytes", 2**-20, "MiB", peer=best)
        c.add_times(f"{name}, {kind}, loading", turns, "load_seconds", peer=best)
        best = fastest(peers, lambda peer: theirs(peer, kind, few, True), "latency_median")
        turns = c.turns(lambda: ours(kind, few, True), lambda: theirs(best, kind, few, True))
        c.add_times(f"{name}, {kind}, latency", turns, "latency_median", peer=best)
        cold_start(c, f"{name}, {kind}, cold start", files[kind], "classify" if classes else "embed", few, peers,
                   lambda peer, path: peer_command(peer, kind, path, "--once"))


def cold_start(c, row, model, job, source, peers, peer_command):
    """From the start of a process to its first answer, from the model as it is and as `attend optimize` writes it."""
    one = c.first_lines(source, 1)
    optimized = c.path("cold-start.optimized.safetensors")
    run([c.attend, "optimize", model, "--out", optimized])

    def seconds(command):
        return {"seconds": c.process_seconds(command, one)}

    best = min(peers, key=lambda peer: seconds(peer_command(peer, one))["seconds"])
    turns = [(seconds([c.attend, job, model]), seconds(peer_command(best, one)), seconds([c.attend, job, optimized])) for _ in range(c.a.turns)]
    c.add_times(row, [(ours, theirs) for ours, theirs, _ in turns], "seconds", peer=best)
    c.add_times(f"{row}, optimized file", [(ours, theirs) for _, theirs, ours in turns], "seconds", peer=best)


def medians(pairs):
    return [float(numpy.median(side)) for side in zip(*pairs)]


def generate(c, name, directory, prompts):
    files = imported(c, name, directory)
    converted = {}
    for kind, quantization in (("f32", "float32"), ("int8", "int8")):
        converted["ctranslate2", kind] = folder = c.path(f"{name}.ct2.{kind}")
        convert_to_ctranslate2(directory, folder, quantization)
        converted["transformers", kind] = directory
    if name.startswith("llama") and installed("llama_cpp"):
        for kind, flags in (("f32", []), ("int8", ["--q8"])):
            converted["llama.cpp", kind] = c.path(f"{name}.{kind}.gguf")
            run(script("convert_to_gguf.py", directory, converted["llama.cpp", kind], *flags))

    def ours(kind):
        options = c.path(f"{name}.json")
        with open(options, "w") as out:
            json.dump(dict(model=files[kind], prompts=prompts, out=c.path(f"{name}.ours"), tokens=GENERATED, threads=2), out)
        return run_json([os.path.join(c.a.build, "bench", "compare_generate_attend"), options])

    def theirs(peer, kind):
        return python("generate_peer.py", peer, converted[peer, kind], prompts, c.path(f"{name}.{peer}"), "--tokenizer", directory, "--tokens",
                      GENERATED, "--begin", 0, *(["--int8"] if kind == "int8" else []))

    for kind in ("f32", "int8"):
        peers = [peer for peer, of in converted if of == kind]
        best = fastest(peers, lambda peer: theirs(peer, kind), "tokens_per_second")
        turns = c.turns(lambda: ours(kind), lambda: theirs(best, kind))
        same = c.same_lines(c.path(f"{name}.ours"), c.path(f"{name}.{best}")) if kind == "f32" else None
        if same is not None and same < 0.9:
            sys.exit(f"{name}: only {same:.0%} of the continuations agree")
        speed = [[side["tokens_per_second"] for side in turn[:2]] for turn in turns]
        c.add(f"{name}, {kind}", *medians(speed), best, "tokens/s", [a / b for a, b in speed], same_texts=same)
        c.add_times(f"{name}, {kind}, first token", turns, "first_token_seconds", peer=best)
        c.add_times(f"{name}, {kind}, peak memory", turns, "peak_bytes", 2**-20, "MiB", peer=best)


def generate_from_gguf(c, name, file):
    """A GGUF file of any kind, which attend runs in 8 bits, beside llama.cpp with the file itself. The prompts have 512 tokens of our pages."""
    import llama_cpp

    model, prompts = c.path(f"{name}.safetensors"), c.path(f"{name}.prompts.txt")
    run([c.attend, "import", file, "--out", model], stderr=subprocess.DEVNULL)
    peer = llama_cpp.Llama(file, vocab_only=True, verbose=False)
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "import.md")) as page, open(prompts, "w") as out:
        words = page.read().split()
        for begin in range(0, 2500, 500):
            end = next(end for end in range(begin + 100, len(words)) if len(peer.tokenize(" ".join(words[begin:end]).encode())) >= 512)
            out.write(" ".join(words[begin:end]) + "\n")
    options = c.path(f"{name}.json")
    with open(options, "w") as out:
        json.dump(dict(model=model, prompts=prompts, out=c.path(f"{name}.ours"), tokens=GENERATED, threads=2), out)
    turns = c.turns(lambda: run_json([os.path.join(c.a.build, "bench", "compare_generate_attend"), options]),
                    lambda: python("generate_peer.py", "llama.cpp", file, prompts, c.path(f"{name}.theirs"), "--tokens", GENERATED))
    speed = [[side["tokens_per_second"] for side in turn[:2]] for turn in turns]
    c.add(name, *medians(speed), "llama.cpp", "tokens/s", [a / b for a, b in speed])
    c.add_times(f"{name}, first token", turns, "first_token_seconds", peer="llama.cpp")
    c.add_times(f"{name}, peak memory", turns, "peak_bytes", 2**-20, "MiB", peer="llama.cpp")


def convert_to_ctranslate2(directory, folder, quantization):
    run([os.path.join(os.path.dirname(sys.executable), "ct2-transformers-converter"), "--model", directory, "--output_dir", folder,
         "--quantization", quantization, "--force"], stderr=subprocess.DEVNULL)
    complete_ctranslate2(folder)


def translate(c, name, directory, source):
    def convert(_, folder, kind):
        convert_to_ctranslate2(directory, folder, kind)
        for ours, theirs in (("source", "src"), ("target", "tgt")):
            shutil.copy(os.path.join(directory, ours + ".spm"), os.path.join(folder, f"tokenizer.{theirs}.model"))

    shape = dict(d_model=512, n_heads=8, d_ff=2048, n_encoder_layers=6, n_decoder_layers=6)
    with open(os.path.join(directory, "config.json")) as file:
        vocabulary = json.load(file)["vocab_size"]
    for beam in (4, 1):
        decoding.compare(c, name, imported(c, name, directory)["f32"], source, beam, one_by_one=40, length=30, shape=shape, vocabulary=vocabulary, convert=convert)


def complete_ctranslate2(folder):
    """The converter leaves out what a vocabulary without an unknown token lacks; its loader insists."""
    path = os.path.join(folder, "config.json")
    with open(path) as file:
        config = json.load(file)
    if "unk_token" in config:
        config["unk_token"] = config["unk_token"] or config["eos_token"]
    if "add_source_eos" in config:
        config["add_source_eos"] = True  # its caller gives pieces of text alone
    if config.get("layer_norm_epsilon", 0) is None:
        config["layer_norm_epsilon"] = 1e-5
    with open(path, "w") as file:
        json.dump(config, file)


def compare(c, name):
    """The row of this name, with the text of --data."""
    if name == "gguf-generation":
        return generate_from_gguf(c, name, c.a.gguf)

    def text(*names):
        return os.path.join(c.a.data, *names)

    english, german = (text("europarl-sample", f"europarl20k.{language}") for language in ("en", "de"))
    sentences = shutil.copy(c.first_lines(text("newstest", "newstest2013.en"), 2000), c.path("sentences.txt"))
    match name:
        case "imported-encoders":
            if c.a.embedder:
                encode(c, "embedder", c.a.embedder, sentences, classes=False)
            few = shutil.copy(c.first_lines(sentences, 300), c.path("300-sentences.txt"))
            for name, shape in (("bert-base", "bert"), ("mpnet-base", "mpnet"), ("modernbert-base", "modernbert")):
                encode(c, name, directory_of(c, shape, [text("wikitext-2", "train.txt")]), few, classes=True)
        case "fine-tuning":
            for shape in ("minilm", "bert"):
                for rank in (0, 8) if installed("peft") else (0,):
                    training.fine_tuning(c, f"fine-tuning-{shape}{'-lora' if rank else ''}",
                                         directory_of(c, shape, [text("wikitext-2", "train.txt")]), sentences, rank)
        case "imported-translation":
            source = shutil.copy(c.first_lines(sentences, 100), c.path("few-sentences.txt"))
            translate(c, "opus-mt", directory_of(c, "opus-mt", [english, german]), source)
        case "imported-generation":
            prompts = c.path("prompts.txt")
            with open(text("wikitext-2", "valid.txt")) as file, open(prompts, "w") as out:
                long = (line.strip()[:420] for line in file if len(line) > 420)
                out.writelines(line + "\n" for _, line in zip(range(10), long))
            for shape in ("gpt2", "llama"):
                generate(c, shape, directory_of(c, shape, [text("wikitext-2", "train.txt"), english]), prompts)
