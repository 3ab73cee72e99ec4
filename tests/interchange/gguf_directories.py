"""BERT and T5 as GGUF files: attend computes what llama.cpp computes, in tokens, vectors and greedy text. Used by gguf_test.py."""

import ctypes
import io
import json
import random
import shutil
import subprocess
import unicodedata

import gguf
import llama_cpp
import numpy
import sentencepiece

WIDTH, INNER, HEADS, LAYERS, CONTEXT = 64, 128, 4, 3, 128
SMALL = WIDTH, INNER, HEADS, LAYERS
MINI_LM = 384, 1536, 12, 6  # of all-MiniLM-L6-v2
PROSE = ["A man is walking with his dog.", "Two children play football, don't they?", "the sun came out (again): 12.5 % of it!", "Éa naïve Straße Ünïcode", "中文 and 日本語 text",
         "Привет, как дела?", "x" * 40, "a", "well-known http://a.b/c?d=e"]
ODD = ["\u0301", "\u200b", "\ufeff", "\u00ad", "\u0085", "\x07", "\u00a0", "\u3000", "\u2028", "İ", "ß", "ſ", "ﬁ", "½", "①", "²", "가", "ｶﾞ", "क्षि", "🙂", "€", "+", "$", "`", "^", "~", "|", "—", "“q”", "…",
       "\U00020000", "\t", "\n", "  ", "Ω", "Å", "ς", "ΑΣ", "Ж", "ё", "й", "ñ", "Ǆ", "µ", "ª", "«x»", "§", "¿", "´", "¨", "°", "×", "\ue000", "�"]


@llama_cpp.llama_log_callback
def ignore_line(level, text, data):
    pass


llama_cpp.llama_log_set(ignore_line, None)


def attend(program, *arguments, text=None):
    run = subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8")
    if run.returncode != 0:
        raise AssertionError(f"attend {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def word_pieces(cased):
    """All characters of the texts, as words and within words, and some words."""
    letters = set()
    for text in [*PROSE, *ODD]:
        for form in (text if cased else text.lower(), unicodedata.normalize("NFD", text if cased else text.lower())):
            letters |= {c for c in form if not c.isspace() and unicodedata.category(c)[0] != "C"}
    words = ["the", "man", "##ing", "walk", "children", "##er", "is", "dog", "play", "foot", "##ball"]
    return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *sorted(letters), *("##" + c for c in sorted(letters))]


def add_word_pieces(writer, cased):
    pieces = word_pieces(cased)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([piece if i < 5 else piece[2:] if piece.startswith("##") else "\u2581" + piece for i, piece in enumerate(pieces)])
    writer.add_token_types([3] * 5 + [1] * (len(pieces) - 5))
    writer.add_bos_token_id(2)
    if cased:
        for name in ("lowercase", "strip_accents"):
            writer.add_bool(f"tokenizer.ggml.normalizer.{name}", False)
    for name, token in (("pad", 0), ("unk", 1), ("sep", 3), ("mask", 4)):
        getattr(writer, f"add_{name}_token_id")(token)
    return len(pieces)


def add_unigram(writer, fixtures):
    """As XLM-R has it."""
    listed = json.loads((fixtures / "xlm_roberta_sentences/tokenizer.json").read_text())["model"]["vocab"]
    writer.add_tokenizer_model("t5")
    writer.add_token_list([piece for piece, _ in listed])
    writer.add_token_scores([score for _, score in listed])
    writer.add_token_types([3, 3, 3, 2] + [1] * (len(listed) - 5) + [3])
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    for name, token in (("bos", 0), ("pad", 1), ("eos", 2), ("unk", 3)):
        getattr(writer, f"add_{name}_token_id")(token)
    return len(listed)


def number_at(message, place):
    number = shift = 0
    while True:
        byte = message[place]
        number, shift, place = number | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return number, place


def field_of(message, wanted):
    """The first field of this number in a message of protocol buffers, which is a message or bytes, too."""
    place = 0
    while place < len(message):
        key, place = number_at(message, place)
        kind = key & 7
        if kind == 0:
            _, end = number_at(message, place)
        else:
            size, place = number_at(message, place) if kind == 2 else (4 if kind == 5 else 8, place)
            end = place + size
            if key >> 3 == wanted:
                return message[place:end]
        place = end
    raise AssertionError(f"no field {wanted}")


def add_mapped_unigram(writer):
    """SentencePiece's pieces, and its map of characters in front."""
    written, words = io.BytesIO(), " ".join(PROSE).split()
    lines = [" ".join(words[i:i + 9]) for i in range(len(words))] * 6 + [text for text in ODD if text.strip()] * 2
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=written, model_type="unigram", vocab_size=260, character_coverage=0.995,
                                             normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, minloglevel=2, pad_id=0, eos_id=1, unk_id=2, bos_id=3)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    ids = range(pieces.get_piece_size())
    writer.add_tokenizer_model("t5")
    writer.add_token_list([pieces.id_to_piece(i) for i in ids])
    writer.add_token_scores([pieces.get_score(i) for i in ids])
    writer.add_token_types([2 if pieces.is_unknown(i) else 3 if pieces.is_control(i) else 1 for i in ids])
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_precompiled_charsmap(field_of(field_of(written.getvalue(), 3), 2))
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    for name, token in (("pad", 0), ("eos", 1), ("unk", 2), ("bos", 3)):
        getattr(writer, f"add_{name}_token_id")(token)
    return len(ids)


def write_bert(path, pooling, seed, add_words, shape):
    width, inner, heads, layers = shape
    draw = numpy.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType(pooling))
    writer.add_token_type_count(2)
    pieces = add_words(writer)

    def add(name, *shape, deviation, around=0.0):
        writer.add_tensor(name, (around + draw.normal(0, deviation, shape)).astype(numpy.float32))

    def norm(name):
        add(f"{name}.weight", width, deviation=0.2, around=1.0)
        add(f"{name}.bias", width, deviation=0.2)

    def linear(name, rows, columns):
        add(f"{name}.weight", rows, columns, deviation=1.5 / columns ** 0.5)
        add(f"{name}.bias", rows, deviation=0.3)

    add("token_embd.weight", pieces, width, deviation=1.0)
    add("token_types.weight", 2, width, deviation=0.5)
    add("position_embd.weight", CONTEXT, width, deviation=0.5)
    norm("token_embd_norm")
    for layer in range(layers):
        block = f"blk.{layer}."
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            linear(block + part, width, width)
        linear(block + "ffn_up", inner, width)
        linear(block + "ffn_down", width, inner)
        norm(block + "attn_output_norm")
        norm(block + "layer_output_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def vectors_of_llama(peer, texts):
    return numpy.array([peer.embed(text, normalize=True) for text in texts])


def vectors_of_attend(program, model, texts):
    return numpy.array([json.loads(line)["vector"] for line in attend(program, "embed", model, text="".join(text + "\n" for text in texts)).splitlines()])


def check_bert(program, fixtures, folder):
    for pooling, name, add_words, shape in ((1, "mean, cased", lambda writer: add_word_pieces(writer, True), SMALL), (2, "first", lambda writer: add_word_pieces(writer, False), SMALL),
                                            (3, "last, of XLM-R", lambda writer: add_unigram(writer, fixtures), SMALL), (1, "mean, with a map of characters", add_mapped_unigram, SMALL),
                                            (1, "MiniLM", lambda writer: add_word_pieces(writer, False), MINI_LM)):
        path, model = write_bert(folder / "bert.gguf", pooling, pooling, add_words, shape), folder / "bert.safetensors"
        attend(program, "import", path, "--out", model)
        attend(program, "export", model, "--format", "gguf", "--out", folder / "bert-again.gguf")
        found = vectors_of_attend(program, model, PROSE)
        for file in (path, folder / "bert-again.gguf"):
            peer = opened(file)
            difference = abs(vectors_of_llama(peer, PROSE) - found).max()
            print(f"bert {name} {file.name}: vectors of {len(PROSE)} texts, largest difference {difference:.1e}", flush=True)
            assert difference <= 3e-3, "vectors differ"  # llama.cpp approximates GELU, with a table of 16-bit numbers
        for weights in ("f16", "q8_0"):
            smaller = folder / f"bert-{weights}.gguf"
            attend(program, "export", model, "--format", "gguf", "--weights", weights, "--out", smaller)
            vectors = vectors_of_llama(opened(smaller), PROSE)
            assert (vectors * found).sum(1).min() > 0.99, f"bert {name}: {weights}"
        compare_tokens(f"bert {name}", program, model, peer, PROSE if pooling == 3 else odd_texts(), OTHERWISE_MAPPED if add_words == add_mapped_unigram else OTHERWISE)
        compare_eight_bits(f"bert {name}", program, smaller, folder)


def opened(path):
    return llama_cpp.Llama(str(path), embedding=True, n_ctx=CONTEXT, n_batch=CONTEXT, n_ubatch=CONTEXT, n_threads=1, verbose=False)


def compare_eight_bits(name, program, path, folder):
    """Vectors of a file in Q8_0: those of its weights in 32 bits, which llama.cpp and attend round in different places."""
    exact, model = folder / "bert-exact.safetensors", folder / "bert-8.safetensors"
    attend(program, "import", path, "--dequantize", "--out", exact)
    attend(program, "import", path, "--out", model)
    expected = vectors_of_attend(program, exact, PROSE)
    theirs = (expected * vectors_of_llama(opened(path), PROSE)).sum(1).min()
    ours = (expected * vectors_of_attend(program, model, PROSE)).sum(1).min()
    print(f"{name} in Q8_0: smallest cosine of {len(PROSE)} vectors {ours:.6f}, in llama.cpp {theirs:.6f}", flush=True)
    assert ours > 0.999 and theirs > 0.999, f"{name}: vectors in eight bits differ"


def odd_texts():
    draw = random.Random(1)
    return PROSE + ["".join(draw.choice(draw.choice([ODD, PROSE])) + draw.choice(["", " "]) for _ in range(draw.randrange(1, 5))) for _ in range(1000)]


# Where accents are removed, llama.cpp keeps only the first letter of a syllable of Korean, and removes all marks of Indic scripts.
OTHERWISE = ("가", "क्षि")
# It knows no space but that of ASCII, which a map of characters makes of others.
OTHERWISE_MAPPED = ("\u0085",)


def compare_tokens(name, program, model, peer, texts, otherwise):
    from attend_server import Server

    different = []
    with Server(program, model) as server:
        for begin in range(0, len(texts), 32):
            some = texts[begin:begin + 32]
            for text, tokens in zip(some, server.post("/tokenize", inputs=some), strict=True):
                expected, found = peer.tokenize(text.encode(), add_bos=False, special=False), [token["id"] for token in tokens]
                if expected != found:
                    different.append(text)
                    assert any(part in text for part in otherwise), f"{name}: {text!r}: {found} instead of {expected}"
    print(f"{name}: tokens of {len(texts) - len(different)} of {len(texts)} texts equal", flush=True)


def llama_translation(path, text, length):
    """Ids of the text, and those that greedy decoding writes."""
    parameters = llama_cpp.llama_model_default_params()
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
    vocabulary = llama_cpp.llama_model_get_vocab(model)
    settings = llama_cpp.llama_context_default_params()
    settings.type_k = settings.type_v = settings.flash_attn_type = 0  # in 32 bits
    settings.n_ctx, settings.n_batch, settings.n_ubatch, settings.n_threads = 256, 256, 256, 1
    context = llama_cpp.llama_init_from_model(model, settings)
    place = (llama_cpp.llama_token * 256)()
    raw = text.encode()
    count = llama_cpp.llama_tokenize(vocabulary, raw, len(raw), place, 256, True, False)
    source = list(place[:count])
    assert llama_cpp.llama_encode(context, llama_cpp.llama_batch_get_one(place, count)) == 0
    token, written, one = llama_cpp.llama_model_decoder_start_token(model), [], (llama_cpp.llama_token * 1)()
    while len(written) < length:
        one[0] = token
        assert llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(one, 1)) == 0
        logits = numpy.ctypeslib.as_array(ctypes.cast(llama_cpp.llama_get_logits_ith(context, -1), ctypes.POINTER(ctypes.c_float)),
                                          (llama_cpp.llama_vocab_n_tokens(vocabulary),))
        token = int(logits.argmax())
        if llama_cpp.llama_vocab_is_eog(vocabulary, token):
            break
        written.append(token)
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)
    return source, written


def check_t5(program, fixtures, folder):
    for name in ("t5", "flan_t5", "umt5"):
        copy, model, path = folder / name, folder / f"{name}.safetensors", folder / f"{name}.gguf"
        shutil.copytree(fixtures / name, copy)
        config = json.loads((copy / "config.json").read_text())
        config["relative_attention_max_distance"] = 128  # as in llama.cpp
        (copy / "config.json").write_text(json.dumps(config))
        attend(program, "import", copy, "--out", model)
        attend(program, "export", model, "--format", "gguf", "--out", path)
        attend(program, "import", path, "--out", folder / "again.safetensors")
        texts = ["A man is walking with his dog.", "Two children play football", "x", "the old man reads a book in the garden"]
        for text in texts:
            line = json.loads(attend(program, "translate", folder / "again.safetensors", "--beam-size", 1, "--max-length", 12, "--format", "json", text=text + "\n"))["translations"][0]
            _, expected = llama_translation(path, text, 12)
            pieces = [gguf_piece(path, token) for token in expected]
            assert line["tokens"][:12] == pieces, f"{name}: {text!r}: {line['tokens']} instead of {pieces}"
        print(f"{name}: greedy text of {len(texts)} texts equal", flush=True)


def gguf_piece(path, token):
    field = gguf.GGUFReader(path).fields["tokenizer.ggml.tokens"]
    return field.contents(token)
