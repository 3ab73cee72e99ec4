#!/usr/bin/env python3
"""Does attend compute with a GGUF file what llama.cpp computes?

    python check_gguf.py ATTEND MODEL FILE.gguf [EXACT.gguf]

MODEL is what `attend import` made of FILE.gguf. Compares token ids of many texts, log-probabilities of some, and the greedy text of 20 prompts. llama.cpp
rounds the activations that it multiplies with quantized weights; EXACT.gguf, the same file with elements in 32 bits (`check_gguf.py --exact FILE.gguf
EXACT.gguf` writes it), shows the differences without this rounding. Prints a line for each comparison; fails when tokens differ, or log-probabilities by
more than TOLERANCE with EXACT.gguf. Needs llama-cpp-python and gguf: without them the exit status is 77.
"""

import pathlib
import random
import sys

from attend_server import Server

try:
    import gguf
    import llama_cpp
    import numpy
except ImportError as missing:
    print("check_gguf: skipped:", missing)
    sys.exit(77)

# llama.cpp looks up GELU in a table of 16-bit numbers.
TOLERANCE = 5e-2
PARTS = ["Hello", " world", "\n", "\n\n", "\n\n\n\n", " ", "  ", "     ", "\t", "\t\t", "é", "e\u0301", "Straße", "ſ", "中文", "日本語の", "한국어", "русский", "ελληνικά", "العربية", "עברית",
         "हिन्दी", "ไทย", "🙂", "👩‍👩‍👧", "🇩🇪", "<b>", "</h1>", "<table>", "<unused7>", "<eos>", "<start_of_turn>", "▁", "▁▁", "\u00a0", "\u3000", "\u200b", "\ufeff", "1234567890", "3.14",
         "it's", "don't", "can not", "_", "__init__", "::", "->", "!=", "...", "—", "“q”", "\\n", "{\"a\": [1, 2]}", "for (int i = 0; i < n; ++i)", "http://a.b/c?d=e", "𝔹", "\u0000", "\x7f",
         "�", "Ǆ", "ǆ", "Ω", "①", "½", "[multimodal]", "aaaaaaaaaaaaaaaaaaaaaaaaa", "ЖЖЖ", "の"]
PROSE = ["The capital of France is Paris, and the capital of Italy is Rome.", "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
         "Die Katze sitzt auf der Matte.\n\nDer Hund schläft.", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "<h1>Title</h1>\n<p>Some  text.</p>", "我喜欢喝茶。你呢？", " The end. "]
PROMPTS = ["The capital of France is", "Once upon a time", "Water boils at", "def add(a, b):\n", "The quick brown fox", "In 1969,", "Il était une fois", "Die Hauptstadt von Deutschland ist",
           "1, 2, 3, 4,", "Dear Sir or Madam,\n\n", "<html>\n<head>", "Q: What is 2 + 2?\nA:", "The largest planet is", "import numpy as np\n", "My favorite color is", "東京は", "Москва -", "Ingredients:\n- ",
           "She opened the door and", "SELECT * FROM"]
WRITTEN = 24


def opened(path, logits_all):
    return llama_cpp.Llama(str(path), n_ctx=512, n_batch=512, logits_all=logits_all, verbose=False, n_threads=2, type_k=0, type_v=0, flash_attn=False)


def write_exact(path, out):
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in ("general.architecture", "general.file_type", "general.quantization_version"):
            sub = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=sub)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def compare_tokens(server, peer):
    draw = random.Random(1)
    texts = PARTS + PROSE + PROMPTS + ["".join(draw.choices(PARTS, k=draw.randrange(2, 12))) for _ in range(1000)]
    texts = [text for text in texts if "\0" not in text]
    different = 0
    for begin in range(0, len(texts), 32):
        some = texts[begin:begin + 32]
        for text, tokens in zip(some, server.post("/tokenize", inputs=some, add_special_tokens=False), strict=True):
            expected = peer.tokenize(text.encode(), add_bos=False, special=False)
            if [token["id"] for token in tokens] != expected:
                different += 1
                print(f"{text!r}: {[token['id'] for token in tokens]} instead of {expected}")
    print(f"tokens: {len(texts) - different} of {len(texts)} texts equal", flush=True)
    return different


def log_softmax(logits):
    shifted = logits.astype(numpy.float64)
    shifted -= shifted.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def compare_scores(what, server, peer):
    largest, total, count = 0.0, 0.0, 0
    for text, scored in zip(PROSE, server.post("/score", targets=PROSE), strict=True):
        tokens = peer.tokenize(text.encode(), add_bos=True, special=False)
        peer.reset()
        peer.eval(tokens)
        log_probs = log_softmax(numpy.array(peer.scores[:len(tokens)]))
        expected = [log_probs[i - 1, tokens[i]] for i in range(1, len(tokens))]
        found = scored["token_log_probabilities"][:len(expected)]
        differences = numpy.abs(numpy.array(expected) - numpy.array(found))
        largest, total, count = max(largest, differences.max()), total + differences.sum(), count + len(expected)
    print(f"log-probabilities of {what}: {count} tokens, largest difference {largest:.1e}, mean {total / count:.1e}", flush=True)
    return largest


def compare_text(what, server, peer):
    equal = 0
    vocabulary = llama_cpp.llama_model_get_vocab(peer.model)
    for prompt in PROMPTS:
        peer.reset()
        tokens = []
        for token in peer.generate(peer.tokenize(prompt.encode(), add_bos=True, special=True), temp=0.0, repeat_penalty=1.0, top_k=1):
            if llama_cpp.llama_vocab_is_eog(vocabulary, token) or len(tokens) == WRITTEN:
                break
            tokens.append(token)
        expected = peer.detokenize(tokens).decode(errors="replace")
        found = server.post("/v1/completions", prompt=prompt, temperature=0, max_tokens=WRITTEN)["choices"][0]["text"]
        equal += found == expected
        if found != expected:
            print(f"  {prompt!r}: {found!r} instead of {expected!r}")
    print(f"greedy text of {what}: {equal} of {len(PROMPTS)} prompts equal", flush=True)


def main():
    if sys.argv[1] == "--exact":
        return write_exact(*sys.argv[2:4])
    attend, model, path, *exact = sys.argv[1:]
    failed = 0
    with Server(attend, model) as server:
        for one in [path, *exact]:
            peer, what = opened(one, True), pathlib.Path(one).name
            if one == path:
                failed += compare_tokens(server, peer)
            largest = compare_scores(what, server, peer)
            failed += one in exact and largest > TOLERANCE
            del peer
            compare_text(what, server, opened(one, False))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
