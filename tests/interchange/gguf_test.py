"""GGUF files of random weights: attend computes what llama.cpp computes, in tokens, log-probabilities and text.

    python gguf_test.py SOURCE ATTEND [NAME...]

Prints a line for each model. Needs gguf, llama-cpp-python and sentencepiece.
"""

import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import gguf
import llama_cpp
import numpy
import sentencepiece
from gguf import GGMLQuantizationType as Type
from gguf_directories import check_bert, check_t5

SOURCE, ATTEND = pathlib.Path(sys.argv[1]), sys.argv[2]
MODELS = SOURCE / "tests/interchange/data/models"
sys.path.append(str(SOURCE / "tools"))
TOLERANCE = 2e-4
# llama.cpp looks up GELU in a table of 16-bit numbers.
TOLERANCE_OF_GELU = 5e-2
TEXTS = ["A man is walking with his dog.", "Two children play football", "x", "  two   spaces , and tabs\t!", "Éé ß 中文 🙂 <b> [x]", "it's 1234567890 we'LL",
         "They were happy when the sun came out. " * 3, "     five", "aaaaaaaaaaaaaaaaa", "<s>control</s> <tool>used</tool>", "▁ ▁▁ A", "e\u0301 \u00a0 nbsp\u3000wide", "..."]
WIDTH, INNER, LAYERS, CONTEXT = 256, 512, 2, 256


def attend(*arguments, text=None):
    run = subprocess.run([ATTEND, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8")
    if run.returncode != 0:
        raise AssertionError(f"attend {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


class Words:
    """A vocabulary, as GGUF files have it."""

    def __init__(self, model, tokens, types, scores=None, merges=None, **more):
        self.model, self.tokens, self.types, self.scores, self.merges, self.more = model, tokens, types, scores, merges, more

    def write(self, writer):
        writer.add_tokenizer_model(self.model)
        writer.add_token_list(self.tokens)
        writer.add_token_types(self.types)
        if self.scores:
            writer.add_token_scores(self.scores)
        if self.merges:
            writer.add_token_merges(self.merges)
        for name, value in self.more.items():
            getattr(writer, "add_" + name)(value)


def sentencepiece_words(folder, **more):
    corpus = " ".join(TEXTS[:9] * 20).split()
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(corpus[i:i + 12]) for i in range(0, len(corpus), 3)] + ["a   b    c     "] * 30), model_writer=written,
        model_type="bpe", vocab_size=370, byte_fallback=True, character_coverage=0.99, remove_extra_whitespaces=False,
        normalization_rule_name="identity", minloglevel=2, user_defined_symbols=["<tool>", "</tool>"])
    pieces = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    tokens, types, scores = [], [], []
    for i in range(pieces.get_piece_size()):
        tokens.append(pieces.id_to_piece(i))
        scores.append(pieces.get_score(i))
        types.append(2 if pieces.is_unknown(i) else 3 if pieces.is_control(i) else 6 if pieces.is_byte(i) else 4 if tokens[-1].endswith("tool>") else 1)
    return Words("llama", tokens, types, scores, bos_token_id=1, eos_token_id=2, unk_token_id=0, **more)


def byte_words(name, pre, control=(), **more):
    file = json.loads((MODELS / name / "tokenizer.json").read_text())
    vocabulary = {**file["model"]["vocab"], **{token["content"]: token["id"] for token in file["added_tokens"]}}
    tokens = sorted(vocabulary, key=vocabulary.get)
    for token in (*control, "<s>", "</s>", "<tool>", "</tool>", "<|im_end|>"):
        if token not in tokens:
            tokens.append(token)
    types = [4 if token in ("<tool>", "</tool>") else 3 if token in ("<s>", "</s>", "<|im_end|>", *control) else 1 for token in tokens]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in file["model"]["merges"]]
    return Words("gpt2", tokens, types, None, merges, tokenizer_pre=pre, bos_token_id=tokens.index("<s>"), eos_token_id=tokens.index("</s>"), **more)


def networks(name, inner=INNER):
    return (f"ffn_gate{name}", inner, WIDTH), (f"ffn_up{name}", inner, WIDTH), (f"ffn_down{name}", WIDTH, inner)


class Experts:
    """A mixture; `width` of each expert and `shared` of that for all tokens: None where the file does not say. `flat`: the gate of the latter is a vector."""

    def __init__(self, count, used, width=None, shared=None, flat=False):
        self.count, self.used, self.width, self.shared, self.flat = count, used, width, shared, flat

    def write(self, writer):
        writer.add_expert_count(self.count)
        writer.add_expert_used_count(self.used)
        if self.width:
            writer.add_expert_feed_forward_length(self.width)
        if self.shared:
            writer.add_expert_shared_feed_forward_length(self.shared)


class Model:
    """`more`: calls of the writer with their arguments."""

    def __init__(self, architecture, words, seed, heads=8, keys=4, head=None, biases=(), norms=False, branches=False, layers=LAYERS, tied=False, theta=10000.0, more=(), factors=None, experts=None):
        self.architecture, self.words, self.heads, self.keys, self.layers, self.theta, self.more, self.experts = architecture, words, heads, keys, layers, theta, more, experts
        self.head = head or WIDTH // heads
        self.random = numpy.random.default_rng(seed)
        self.tensors = {}
        pieces = len(words.tokens)
        self.matrix("token_embd.weight", pieces, WIDTH, 1.0)
        self.norm("output_norm")
        if not tied:
            self.matrix("output.weight", pieces, WIDTH)
        if factors is not None:
            self.tensors["rope_freqs.weight"] = factors
        self.fused() if architecture in ("gpt2", "bloom") else self.gated(biases, norms, branches)

    def values(self, *shape, deviation=1.0, around=0.0):
        return (around + self.random.normal(0, deviation, shape)).astype(numpy.float32)

    def matrix(self, name, rows, columns, deviation=None, bias=False):
        self.tensors[name] = self.values(rows, columns, deviation=deviation or 1.5 / columns ** 0.5)
        if bias:
            self.tensors[name.replace(".weight", ".bias")] = self.values(rows, deviation=0.3)

    def norm(self, name, width=WIDTH, bias=False):
        self.tensors[f"{name}.weight"] = self.values(width, deviation=0.2, around=1.0)
        if bias or self.architecture in ("gpt2", "bloom"):
            self.tensors[f"{name}.bias"] = self.values(width, deviation=0.2)

    def gated(self, biases, norms, branches):
        for layer in range(self.layers):
            block = f"blk.{layer}."
            self.norm(block + "attn_norm")
            for name, rows, columns in (("attn_q", self.heads * self.head, WIDTH), ("attn_k", self.keys * self.head, WIDTH), ("attn_v", self.keys * self.head, WIDTH),
                                        ("attn_output", WIDTH, self.heads * self.head), *([] if self.experts else networks(""))):
                self.matrix(f"{block}{name}.weight", rows, columns, bias=name in biases)
            if self.experts:
                self.mixture(block)
            self.norm(block + "ffn_norm")
            if branches:
                self.norm(block + "post_attention_norm")
                self.norm(block + "post_ffw_norm")
            if norms:
                self.norm(block + "attn_q_norm", self.head)
                self.norm(block + "attn_k_norm", self.head)

    def mixture(self, block):
        count, used = self.experts.count, self.experts.used
        self.matrix(block + "ffn_gate_inp.weight", count, WIDTH, 0.2)
        own = self.experts.width or (INNER if self.architecture == "llama" else INNER // used)
        for name, rows, columns in networks("_exps", own):
            self.tensors[f"{block}{name}.weight"] = self.values(count, rows, columns, deviation=1.5 / columns ** 0.5)
        if self.architecture == "qwen2moe":
            for name, rows, columns in networks("_shexp", self.experts.shared or INNER):
                self.matrix(f"{block}{name}.weight", rows, columns)
            self.tensors[block + "ffn_gate_inp_shexp.weight"] = self.values(*([WIDTH] if self.experts.flat else [1, WIDTH]), deviation=0.1)

    def fused(self):
        if self.architecture == "gpt2":
            self.matrix("position_embd.weight", CONTEXT, WIDTH, 0.5)
        else:
            self.norm("token_embd_norm")
        for layer in range(self.layers):
            block = f"blk.{layer}."
            self.norm(block + "attn_norm")
            self.matrix(block + "attn_qkv.weight", 3 * WIDTH, WIDTH, bias=True)
            self.matrix(block + "attn_output.weight", WIDTH, WIDTH, bias=True)
            self.norm(block + "ffn_norm")
            self.matrix(block + "ffn_up.weight", 4 * WIDTH, WIDTH, bias=True)
            self.matrix(block + "ffn_down.weight", WIDTH, 4 * WIDTH, bias=True)

    def write(self, path, kind=Type.F32):
        writer = gguf.GGUFWriter(path, self.architecture)
        writer.add_type("model")
        writer.add_name("random weights")
        writer.add_context_length(CONTEXT)
        writer.add_embedding_length(WIDTH)
        writer.add_block_count(self.layers)
        writer.add_head_count(self.heads)
        if self.architecture in ("gpt2", "bloom"):
            writer.add_feed_forward_length(4 * WIDTH)
            writer.add_layer_norm_eps(1e-5)
        else:
            writer.add_feed_forward_length(INNER)
            writer.add_head_count_kv(self.keys)
            writer.add_layer_norm_rms_eps(1e-5)
            writer.add_rope_freq_base(self.theta)
            writer.add_rope_dimension_count(self.head)
            writer.add_key_length(self.head)
            writer.add_value_length(self.head)
            if self.experts:
                self.experts.write(writer)
            for name, value in self.more:
                getattr(writer, "add_" + name)(value)
        self.words.write(writer)
        for name, values in self.tensors.items():
            if kind == Type.F32 or values.ndim == 1 or "ffn_gate_inp" in name:
                writer.add_tensor(name, values)
            else:
                writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path


def in_f32(path, out):
    """The same file with all elements as gguf-py reads them."""
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
    return out


def quantized_by_llama(path, out, kind):
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype, parameters.nthread = kind, 1
    assert llama_cpp.llama_model_quantize(str(path).encode(), str(out).encode(), parameters) == 0
    return out


def opened(path):
    return llama_cpp.Llama(str(path), n_ctx=CONTEXT, n_batch=CONTEXT, logits_all=True, verbose=False, n_threads=1, type_k=0, type_v=0, flash_attn=False)


def log_softmax(logits):
    logits = logits.astype(numpy.float64)
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def scores_of_llama(model, text):
    tokens = model.tokenize(text.encode(), add_bos=True, special=True)
    model.reset()
    model.eval(tokens)
    log_probs = log_softmax(numpy.array(model.scores[:len(tokens)]))
    return tokens, [log_probs[i - 1, tokens[i]] for i in range(1, len(tokens))]


def compare_scores(name, peer, model, folder, texts=TEXTS):
    (folder / "text.txt").write_text("\n".join(texts) + "\n")
    lines = attend("score", model, "--text", folder / "text.txt", "--tokens", "--format", "json").splitlines()
    largest = 0.0
    for text, line in zip(texts, lines, strict=True):
        tokens, expected = scores_of_llama(peer, text)
        found = json.loads(line)["token_log_probabilities"]
        found = found[max(0, len(found) - len(expected)):] if len(tokens) > len(expected) else found
        assert len(found) == len(expected), f"{name}: {text!r}: {len(found)} tokens instead of {len(expected)}"
        largest = max([largest, *(abs(a - b) for a, b in zip(expected, found))])
    gelu = name.startswith(("gpt2", "bloom", "gemma"))
    assert largest <= (TOLERANCE_OF_GELU if gelu else TOLERANCE), f"{name}: log-probabilities differ by {largest:.1e}"
    return largest


def greedy_tokens(peer, prompt, words):
    """The most likely tokens, up to one that ends the text."""
    vocabulary, tokens = llama_cpp.llama_model_get_vocab(peer.model), []
    peer.reset()
    for token in peer.generate(peer.tokenize(prompt.encode(), add_bos=True, special=True), temp=0.0, repeat_penalty=1.0, top_k=1):
        tokens.append(words.tokens[token])
        if llama_cpp.llama_vocab_is_eog(vocabulary, token) or len(tokens) == 12:
            return tokens


def compare_text(name, peer, model, words):
    for prompt in ("A man is", "Two children", "<tool>it</tool> 12"):
        expected = greedy_tokens(peer, prompt, words)
        found = json.loads(attend("generate", model, "--prompt", prompt, "--temperature", 0, "--max-tokens", 12, "--format", "json"))["tokens"]
        for tokens in (expected, found):  # an end is part of the tokens where it is not the model's own
            if tokens and tokens[-1] == "</s>":
                tokens.pop()
        assert found == expected, f"{name}: {prompt!r}: {found} instead of {expected}"


def check(name, made, path, folder, reference=None):
    """`reference`: a file with the same weights whose products llama.cpp computes in 32 bits."""
    model = folder / "model.safetensors"
    attend("import", path, "--dequantize", "--out", model)
    peer = opened(reference or path)
    largest = compare_scores(name, peer, model, folder)
    compare_text(name, peer, model, made.words)
    print(f"{name}: {len(TEXTS)} texts, largest difference {largest:.1e}, equal text", flush=True)
    check_export(name, model, folder)


def llama3_factors(theta, head, factor, original=8192):
    waves = 2 * numpy.pi * theta ** (numpy.arange(0, head, 2) / head)
    smooth = numpy.clip((original / waves - 1) / 3, 0, 1)
    return (1 / ((1 - smooth) / factor + smooth)).astype(numpy.float32)


def models(folder):
    spm = sentencepiece_words(folder)
    yield "llama", lambda: Model("llama", spm, 1)
    yield "llama_plain_spaces", lambda: Model("llama", sentencepiece_words(folder, add_space_prefix=False, add_bos_token=False), 2, tied=True)
    yield "llama_biases", lambda: Model("llama", spm, 3, biases=("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"))
    yield "llama_qkv_biases", lambda: Model("llama", byte_words("llama", "llama-bpe"), 4, biases=("attn_q", "attn_k", "attn_v"))
    yield "llama_wide_heads", lambda: Model("llama", byte_words("gpt2", "smollm", add_eos_token=True), 5, heads=4, keys=1, head=96)
    yield "llama3_rotations", lambda: Model("llama", byte_words("llama", "llama-bpe"), 6, theta=500000.0, factors=llama3_factors(500000.0, 32, 8.0))
    yield "linear_rotations", lambda: Model("llama", spm, 7, more=[("rope_scaling_type", gguf.RopeScalingType.LINEAR), ("rope_scaling_factor", 4.0)])
    yield "yarn_rotations", lambda: Model("qwen2", byte_words("qwen2", "qwen2"), 8, biases=("attn_q", "attn_k", "attn_v"),
                                          more=[("rope_scaling_type", gguf.RopeScalingType.YARN), ("rope_scaling_factor", 4.0), ("rope_scaling_orig_ctx_len", 64)])
    yield "qwen2", lambda: Model("qwen2", byte_words("qwen2", "qwen2", control=("<|im_start|>",)), 9, biases=("attn_q", "attn_k", "attn_v"), theta=1000000.0)
    yield "qwen3", lambda: Model("qwen3", byte_words("qwen2", "qwen2"), 10, head=64, norms=True, tied=True)
    qwen = byte_words("qwen2", "qwen2")
    yield "mixtral", lambda: Model("llama", spm, 22, theta=1000000.0, experts=Experts(8, 2))
    yield "mixtral_of_one", lambda: Model("llama", spm, 23, head=64, tied=True, experts=Experts(3, 1, width=INNER))
    yield "qwen2moe", lambda: Model("qwen2moe", qwen, 24, biases=("attn_q", "attn_k", "attn_v"), experts=Experts(6, 4, width=256, shared=768))
    yield "qwen2moe_by_default", lambda: Model("qwen2moe", qwen, 25, keys=8, experts=Experts(5, 2, flat=True))
    yield "qwen3moe", lambda: Model("qwen3moe", qwen, 26, head=64, norms=True, experts=Experts(8, 3, width=96))
    yield "qwen3moe_of_all", lambda: Model("qwen3moe", qwen, 27, norms=True, experts=Experts(4, 4))
    plain = sentencepiece_words(folder, add_space_prefix=False)
    yield "gemma", lambda: Model("gemma", plain, 14, heads=4, keys=1, head=96, tied=True)
    yield "gemma2", lambda: Model("gemma2", plain, 15, heads=4, keys=2, head=32, branches=True, layers=4, tied=True,
                                  more=[("sliding_window", 8), ("attn_logit_softcapping", 3.0), ("final_logit_softcapping", 8.0)])
    yield "gemma2_by_default", lambda: Model("gemma2", plain, 16, head=32, branches=True, tied=True)
    yield "gemma3", lambda: Model("gemma3", plain, 17, heads=4, keys=1, head=96, norms=True, branches=True, layers=7, tied=True, theta=1000000.0, more=[("sliding_window", 8)])
    yield "gemma3_pattern", lambda: Model("gemma3", plain, 18, head=64, norms=True, branches=True, layers=3, theta=50000.0,
                                          more=[("sliding_window", 6), ("sliding_window_pattern", [False, True, True]), ("rope_freq_base_swa", 300.0), ("final_logit_softcapping", 8.0),
                                                ("rope_scaling_type", gguf.RopeScalingType.LINEAR), ("rope_scaling_factor", 8.0)])
    yield "gemma3_period", lambda: Model("gemma3", plain, 19, head=64, norms=True, branches=True, layers=3, tied=True, more=[("sliding_window", 6), ("sliding_window_pattern", 2)])
    yield "gemma3_global", lambda: Model("gemma3", plain, 20, head=64, norms=True, branches=True, tied=True)
    yield "gpt2", lambda: Model("gpt2", byte_words("gpt2", "gpt-2"), 11, tied=True)
    yield "gpt2_default", lambda: Model("gpt2", byte_words("gpt2", "default", add_bos_token=True), 12)
    yield "bloom", lambda: Model("bloom", byte_words("bloom", "bloom"), 13, tied=True)


def compare_quantized(name, exact, path, kind):
    """`path` has the elements that gguf-py makes of those in `exact`."""
    originals = {tensor.name: tensor for tensor in gguf.GGUFReader(exact).tensors}
    for tensor in gguf.GGUFReader(path).tensors:
        original = originals.pop(tensor.name)
        if tensor.tensor_type == Type.F32:
            assert len(tensor.shape) == 1 or tensor.shape[0] % 32 != 0 or tensor.name == "position_embd.weight" or "ffn_gate_inp" in tensor.name, f"{name}: {tensor.name} is F32"
        else:
            assert tensor.tensor_type == kind, f"{name}: {tensor.name} is {tensor.tensor_type.name}"
        expected = gguf.quants.quantize(numpy.array(original.data), tensor.tensor_type)
        assert numpy.array_equal(numpy.array(tensor.data).view(numpy.uint8), expected.view(numpy.uint8)), f"{name}: {tensor.name} differs"
    assert not originals, f"{name}: no {', '.join(originals)}"


def check_export(name, model, folder, texts=TEXTS):
    """llama.cpp computes what attend computes, with the file that attend writes."""
    exact = folder / "exported.gguf"
    attend("export", model, "--format", "gguf", "--out", exact)
    largest = compare_scores(f"{name}, exported", opened(exact), model, folder, texts)
    for weights, kind in (("f16", Type.F16), ("q8_0", Type.Q8_0)):
        path = folder / f"exported-{weights}.gguf"
        attend("export", model, "--format", "gguf", "--weights", weights, "--out", path)
        compare_quantized(f"{name} {weights}", exact, path, kind)
        opened(path)
    print(f"{name}, exported: {len(texts)} texts, largest difference {largest:.1e}", flush=True)


def with_control_tokens(directory, folder):
    """The same model, where "<start_of_turn>" and "<end_of_turn>" are special tokens, as llama.cpp takes them for."""
    copy = folder / "fixture"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(directory, copy)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        file = json.loads((copy / name).read_text())
        added = file.get("added_tokens", []) + list(file.get("added_tokens_decoder", {}).values())
        for token in added:
            token["special"] = token["special"] or token["content"].endswith("_of_turn>")
        (copy / name).write_text(json.dumps(file))
    return copy


# Not Gemma 2's, whose scale llama.cpp does not have, and not Qwen2-MoE's, which has a layer without experts. Not Qwen3's, whose bounds of YaRN llama.cpp does not have.
FIXTURES = ["gpt2", "llama", "mistral", "qwen2", "bloom", "gemma", "gemma3", "mixtral", "qwen3_moe"]


def main():
    names = sys.argv[3:]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, made in models(folder):
            if not names or name in names:
                model = made()
                check(name, model, model.write(folder / f"{name}.gguf"), folder)
        if not names or "bert" in names:
            check_bert(ATTEND, MODELS, folder)
        if not names or "t5" in names:
            check_t5(ATTEND, MODELS, folder)
        for name in FIXTURES:
            if not names or name in names:
                model = folder / "fixture.safetensors"
                attend("import", with_control_tokens(MODELS / name, folder), "--out", model)
                # Qwen2 normalizes texts, and Gemma has tokens with the letter of spaces; llama.cpp does not.
                check_export(f"{name} of the fixtures", model, folder, [text[:20] for text in TEXTS if "\u0301" not in text and "▁" not in text])
        for shape, made in (("", lambda seed: Model("llama", sentencepiece_words(folder), seed)),
                            ("-experts", lambda seed: Model("qwen2moe", byte_words("qwen2", "qwen2"), seed, experts=Experts(4, 2, width=256, shared=512)))):
            for kind in (Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1):
                if not names or kind.name + shape in names:
                    model = made(20)
                    path = model.write(folder / f"{kind.name}.gguf", kind)
                    check(kind.name + shape, model, path, folder, in_f32(path, folder / f"{kind.name}-f32.gguf"))
            for kind, code in (("Q4_K_M", 15), ("Q5_K_M", 17), ("Q6_K", 18)):
                if not names or kind + shape in names:
                    model = made(21)
                    path = quantized_by_llama(model.write(folder / f"{kind}-made.gguf"), folder / f"{kind}.gguf", code)
                    check(kind + shape, model, path, folder, in_f32(path, folder / f"{kind}-f32.gguf"))


if __name__ == "__main__":
    main()
