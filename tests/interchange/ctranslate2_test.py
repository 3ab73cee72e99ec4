"""Models that CTranslate2's own converters and specifications write: attend computes what CTranslate2 computes, in tokens and log-probabilities.

    python ctranslate2_test.py SOURCE ATTEND [NAME...]

Prints a line for each model. Needs ctranslate2, transformers, torch and sentencepiece.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import ctranslate2
import numpy
import sentencepiece
import transformers

SOURCE, ATTEND = pathlib.Path(sys.argv[1]), sys.argv[2]
MODELS = SOURCE / "tests/interchange/data/models"
TOLERANCE = 1e-5
TEXTS = ["A man is walking with his dog.", "Two children play football", "x", "  two   spaces , and tabs\t!", "Éé ß 中文 🙂 <b> [x]",
         "They were happy when the sun came out. " * 5, "1234567890", "▁ ▁▁ A"]
TARGETS = ["Ein Mann geht mit seinem Hund.", "Zwei Kinder", "x", "y , z", "中文 🙂", "Sie waren froh, als die Sonne schien. " * 4, "0", "A ▁"]
SPECIAL = ["<unk>", "<blank>", "<s>", "</s>"]


def attend(*arguments, text=None):
    run = subprocess.run([ATTEND, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8")
    if run.returncode != 0:
        raise AssertionError(f"attend {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def import_with_attend(model, out):
    return attend("import", model, "--out", out)


def scores_of_attend(model, folder, languages):
    (folder / "src.txt").write_text("\n".join(text.replace("\n", " ") for text in TEXTS) + "\n")
    (folder / "tgt.txt").write_text("\n".join(TARGETS) + "\n")
    options = [f"--{side}-lang={language}" for side, language in zip(("src", "tgt"), languages)]
    lines = attend("score", model, "--src", folder / "src.txt", "--tgt", folder / "tgt.txt", "--tokens", "--format", "json", *options)
    return [json.loads(line)["token_log_probabilities"] for line in lines.splitlines()]


def translations_of_attend(model, folder, languages, beam):
    options = [f"--{side}-lang={language}" for side, language in zip(("src", "tgt"), languages)]
    lines = attend("translate", model, "--beam-size", beam, "--min-length", 0, "--max-length", 20, "--no-repeat-ngram", 0,
                   "--format", "json", *options,
                   text=(folder / "src.txt").read_text())
    return [json.loads(line) for line in lines.splitlines()]


def compare(name, theirs, ours):
    largest = 0.0
    assert len(theirs) == len(ours), f"{name}: {len(ours)} texts instead of {len(theirs)}"
    for text, expected, found in zip(TEXTS, theirs, ours):
        assert len(expected) == len(found), f"{name}: {text!r}: {len(found)} tokens instead of {len(expected)}"
        largest = max([largest, *(abs(a - b) for a, b in zip(expected, found))])
    assert largest <= TOLERANCE, f"{name}: log-probabilities differ by {largest:.1e}"
    return largest


def named(token):
    """Both programs name embeddings that belong to no piece, each in its own way."""
    return re.sub(r"<(extra_id_|unused )\d+>", "<filler>", token)


class Texts:
    """How users of CTranslate2 make tokens of texts: each has pieces of a source, pieces of a target, and what the target begins with."""

    def __init__(self, source, target, prefix=()):
        self.source, self.target, self.prefix = source, target, list(prefix)


def texts_of_huggingface(folder, languages):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if languages:
        tokenizer.src_lang, tokenizer.tgt_lang = languages

    def source(text):
        return tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids)

    def target(text):
        special = set(tokenizer.all_special_ids)
        ids = tokenizer(text_target=text).input_ids
        return tokenizer.convert_ids_to_tokens([i for i in ids if i not in special or i == tokenizer.unk_token_id])

    return Texts(source, target, languages[1:])


def texts_of_sentencepiece(path, ends=False):
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return Texts(lambda text: pieces.encode(text, out_type=str) + ["</s>"] * ends, lambda text: pieces.encode(text, out_type=str))


def check(name, directory, texts, folder, languages=()):
    """`directory`: of CTranslate2, as attend reads it: that, or a package."""
    model = folder / f"{name}.safetensors"
    place, package = directory if isinstance(directory, tuple) else (directory, directory)
    import_with_attend(package, model)
    translator = ctranslate2.Translator(str(place), compute_type="float32", intra_threads=1)
    sources = [texts.source(text) for text in TEXTS]
    targets = [texts.prefix + texts.target(text) for text in TARGETS]
    # A prefix is scored, too, unless the decoder begins with it.
    begins = json.loads((place / "config.json").read_text())["decoder_start_token"] is None
    unscored = 0 if begins else len(texts.prefix)
    theirs = [result.log_probs[unscored:] for result in translator.score_batch(sources, targets)]
    largest = compare(f"{name}, scores", theirs, scores_of_attend(model, folder, languages))
    found = translator.translate_batch(sources, [texts.prefix or None] * len(sources), beam_size=1, min_decoding_length=0, max_decoding_length=20)
    ours = translations_of_attend(model, folder, languages, 1)
    for text, expected, mine in zip(TEXTS, found, ours):
        expected = [named(token) for token in expected.hypotheses[0][unscored:]]
        written = [named(token) for token in mine["translations"][0]["tokens"][:20 - unscored]]
        assert expected == written, f"{name}: {text!r}: {written} instead of {expected}"
    print(f"{name}: {len(TEXTS)} texts, largest difference {largest:.1e}, equal translations")


COPIED = ["tokenizer.json", "vocab.txt", "merges.txt", "tokenizer_config.json", "special_tokens_map.json", "source.spm", "target.spm", "vocab.json",
          "sentencepiece.bpe.model", "spiece.model"]


# What published files say and the converter asks for, and rotations that it knows.
PLAIN_ROTATIONS = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
ENCODERS = ["bert_sentences", "bert_tagger", "distilbert_classifier", "roberta_classifier", "xlm_roberta_classifier"]
SETTINGS = {**{name: {"position_embedding_type": "absolute"} for name in ENCODERS}, "llama": PLAIN_ROTATIONS, "qwen3": PLAIN_ROTATIONS,
            "bart": {"normalize_before": False, "normalize_embedding": True}, "bart_widths": {"normalize_before": False, "normalize_embedding": True},
            "pegasus": {"normalize_before": True, "normalize_embedding": False},
            "pegasus_v4": {"normalize_before": True, "normalize_embedding": False},
            "mbart": {"normalize_before": True, "normalize_embedding": True}, "mbart50": {"normalize_before": True, "normalize_embedding": True},
            "mbart50_v4": {"normalize_before": True, "normalize_embedding": True, "tokenizer_class": "MBart50Tokenizer"}}


def converted(name, folder, quantization=None):
    original = folder / name
    if not original.exists():
        shutil.copytree(MODELS / name, original)
        config = json.loads((original / "config.json").read_text())
        (original / "config.json").write_text(json.dumps({**config, **SETTINGS.get(name, {})}))
    copied = [file for file in COPIED if (original / file).exists()]
    out = folder / f"{name}-{quantization}"
    ctranslate2.converters.TransformersConverter(str(original), copy_files=copied).convert(str(out), quantization=quantization)
    # The converter writes null for tokens that a tokenizer does not name; its loader insists.
    config = json.loads((out / "config.json").read_text())
    config.update({key: config[key] or "</s>" for key in ("bos_token", "eos_token", "unk_token") if key in config})
    (out / "config.json").write_text(json.dumps(config))
    return out


class Specification:
    """A model of random weights, as OpenNMT-py and Argos Translate have them."""

    def __init__(self, pieces, seed, heads=2, width=16, inner=24, layers=(2, 1), separate=False, encodings=None, deviation=0.4, **options):
        self.deviation = deviation
        self.random = numpy.random.default_rng(seed)
        self.width, self.inner = width, inner
        self.spec = ctranslate2.specs.TransformerSpec.from_config(layers, heads, **options)
        self.fill(self.spec.encoder, self.spec.encoder.embeddings[0], len(pieces[0]), encodings)
        self.fill(self.spec.decoder, self.spec.decoder.embeddings, len(pieces[1]), encodings)
        if not separate:
            self.spec.decoder.embeddings.weight = self.spec.encoder.embeddings[0].weight
        self.linear(self.spec.decoder.projection, len(pieces[1]), width)
        self.spec.register_source_vocabulary(pieces[0])
        self.spec.register_target_vocabulary(pieces[1])

    def values(self, *shape, around=0.0):
        return (around + self.random.normal(0, self.deviation, shape)).astype(numpy.float32)

    def linear(self, spec, rows, columns):
        spec.weight, spec.bias = self.values(rows, columns), self.values(rows)

    def norm(self, spec):
        spec.gamma = self.values(self.width, around=1.0)
        if hasattr(spec, "beta"):
            spec.beta = self.values(self.width)

    def fill(self, stack, embeddings, size, encodings):
        embeddings.weight = self.values(size, self.width)
        if encodings is not None:
            stack.position_encodings.encodings = encodings(self)
        for name in ("layer_norm", "layernorm_embedding"):
            if hasattr(stack, name):
                self.norm(getattr(stack, name))
        for layer in stack.layer:
            width, inner = self.width, self.inner
            self.norm(layer.self_attention.layer_norm)
            self.linear(layer.self_attention.linear[0], 3 * width, width)
            self.linear(layer.self_attention.linear[1], width, width)
            if hasattr(layer, "attention"):
                self.norm(layer.attention.layer_norm)
                self.linear(layer.attention.linear[0], width, width)
                self.linear(layer.attention.linear[1], 2 * width, width)
                self.linear(layer.attention.linear[2], width, width)
            self.norm(layer.ffn.layer_norm)
            self.linear(layer.ffn.linear_0, inner, width)
            if hasattr(layer.ffn, "linear_0_noact"):
                self.linear(layer.ffn.linear_0_noact, inner, width)
            self.linear(layer.ffn.linear_1, width, inner)

    def save(self, folder, quantization=None):
        folder.mkdir(parents=True)
        self.spec.validate()
        self.spec.optimize(quantization=quantization)
        self.spec.save(str(folder))
        return folder


def interleaved(specification, length=600):
    """OpenNMT-py's."""
    width = specification.width
    angles = numpy.arange(length)[:, None] * numpy.exp(numpy.arange(0, width, 2) * -(numpy.log(10000.0) / width))
    table = numpy.zeros((length, width), dtype=numpy.float32)
    table[:, 0::2], table[:, 1::2] = numpy.sin(angles), numpy.cos(angles)
    return table


def learned(specification):
    return specification.values(300, specification.width)


def pieces_of(path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(i) for i in range(model.get_piece_size()) if not model.is_control(i) and not model.is_unknown(i)]


def package_of(directory, pieces, folder, name, **metadata):
    """As Argos Translate has them."""
    path = folder / f"{name}.argosmodel"
    content = {"package_version": "1.0", "argos_version": "1.5", "from_code": "en", "from_name": "English", "to_code": "de", "to_name": "German", **metadata}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("en_de/metadata.json", json.dumps(content))
        archive.writestr("en_de/README.md", "# English - German\n")
        archive.writestr("en_de/stanza/en/tokenize/ewt.pt", b"not read")
        archive.write(pieces, "en_de/sentencepiece.model")
        for file in directory.iterdir():
            archive.write(file, f"en_de/model/{file.name}")
    return path


def check_specifications(chosen, folder):
    spm = MODELS / "marian/source.spm"
    own = pieces_of(spm)
    joint, other = SPECIAL + own, SPECIAL + own[: len(own) // 2] + ["▁new"]
    activation = ctranslate2.specs.Activation
    variants = {
        "opennmt": {"encodings": interleaved},
        "opennmt_separate": {"encodings": interleaved, "separate": True, "activation": activation.GELU},
        "computed_positions": {"pre_norm": False, "activation": activation.SWISH},
        "learned_positions": {"encodings": learned, "activation": activation.GELUTanh, "layernorm_embedding": True},
        "rms_gated": {"rms_norm": True, "ffn_glu": True, "activation": activation.GELUSigmoid},
        "not_normalized": {"no_final_norm": True, "deviation": 0.15},
        "eight_heads": {"heads": 8, "width": 32, "layers": (1, 3), "encodings": interleaved},
    }
    for seed, (name, options) in enumerate(variants.items()):
        if not chosen(name):
            continue
        for quantization in (None, "int8", "int16", "float16", "bfloat16"):
            separate = options.get("separate", False)
            place = folder / f"{name}-{quantization}"
            made = Specification((joint, other if separate else joint), seed, **options).save(place, quantization)
            shutil.copy(spm, made / "sentencepiece.model")
            check(f"{name} {quantization or 'float32'}", made, texts_of_sentencepiece(spm), folder)
    if chosen("argos"):
        made = Specification((joint, joint), 7, encodings=interleaved).save(folder / "argos")
        check("argos", (made, package_of(made, spm, folder, "en_de")), texts_of_sentencepiece(spm), folder)


def check_language_model(name, directory, folder):
    model = folder / f"{name}.safetensors"
    import_with_attend(directory, model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / name.split()[0])
    generator = ctranslate2.Generator(str(directory), compute_type="float32", intra_threads=1)
    tokens = [tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids) for text in TEXTS]
    theirs = [result.log_probs for result in generator.score_batch([some if len(some) > 1 else some * 2 for some in tokens])]
    (folder / "text.txt").write_text("\n".join(TEXTS) + "\n")
    lines = attend("score", model, "--text", folder / "text.txt", "--tokens", "--format", "json")
    ours = [json.loads(line)["token_log_probabilities"] for line in lines.splitlines()]
    theirs = [log_probs if len(some) > 1 else [] for some, log_probs in zip(tokens, theirs)]
    largest = compare(f"{name}, scores", theirs, [found[len(found) - len(expected):] for expected, found in zip(theirs, ours)])
    print(f"{name}: {len(TEXTS)} texts, largest difference {largest:.1e}")


def check_encoder(name, directory, folder):
    model = folder / f"{name}.safetensors"
    import_with_attend(directory, model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODELS / name.split()[0])
    encoder = ctranslate2.Encoder(str(directory), compute_type="float32", intra_threads=1)
    texts = "\n".join(TEXTS) + "\n"
    tokens, means = (attend("embed", model, "--pooling", pooling, text=texts).splitlines() for pooling in ("none", "standard"))
    largest = 0.0
    for text, line, mean in zip(TEXTS, tokens, means, strict=True):
        expected = numpy.array(encoder.forward_batch([tokenizer(text).input_ids]).last_hidden_state)[0]
        found = numpy.array(json.loads(line)["vectors"]).reshape(-1, expected.shape[1])  # without the marks around the text
        assert len(expected) == len(found) + 2, f"{name}: {text!r}: {len(found)} vectors instead of {len(expected) - 2}"
        differences = [expected[1:-1] - found, expected.mean(axis=0) - json.loads(mean)["vector"]]
        largest = max([largest, *(float(numpy.abs(some).max(initial=0.0)) for some in differences)])
    assert largest <= TOLERANCE, f"{name}: vectors differ by {largest:.1e}"
    print(f"{name}: {len(TEXTS)} texts, largest difference {largest:.1e}")


# Not those whose vocabularies the converter refuses: Qwen2 and OPT.
LANGUAGE_MODELS = ["gpt2", "llama", "mistral", "qwen3", "bloom"]
HUGGINGFACE = {"marian": (), "bart": (), "bart_widths": (), "pegasus": (), "pegasus_v4": (), "t5": (), "flan_t5": (), "mt5": (), "umt5": (),
               "nllb": ("eng_Latn", "fra_Latn"), "nllb_legacy": ("eng_Latn", "deu_Latn"), "mbart": ("en_XX", "ro_RO"), "mbart50": ("en_XX", "fr_XX"),
               "mbart50_v4": ("en_XX", "fr_XX")}


def main():
    names = sys.argv[3:]

    def chosen(name):
        return not names or name in names

    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        check_specifications(chosen, folder)
        TEXTS[5], TARGETS[5] = TEXTS[5][:38], TARGETS[5][:38]  # these have few positions
        for name, languages in HUGGINGFACE.items():
            if chosen(name):
                for quantization in (None, "int8", "float16"):
                    directory = converted(name, folder, quantization)
                    check(f"{name} {quantization or 'float32'}", directory, texts_of_huggingface(MODELS / name, languages), folder, languages)
        for name in filter(chosen, LANGUAGE_MODELS):
            for quantization in (None, "int8", "float16"):
                check_language_model(f"{name} {quantization or 'float32'}", converted(name, folder, quantization), folder)
        for name in filter(chosen, ENCODERS):
            for quantization in (None, "int8", "float16"):
                check_encoder(f"{name} {quantization or 'float32'}", converted(name, folder, quantization), folder)


if __name__ == "__main__":
    main()
