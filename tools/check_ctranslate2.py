#!/usr/bin/env python3
"""Does CTranslate2 compute with a directory of Hugging Face what transformers computed with it?

    python check_ctranslate2.py DIR GOLDEN FOLDER

DIR is a directory that `attend export` has written, GOLDEN what golden_of_huggingface.py has recorded of it, FOLDER an empty folder for the
converted model. Compares what greedy decoding writes, or the vectors of an encoder. Prints a line; fails when something differs. Needs
ctranslate2 and transformers: without them the exit status is 77.
"""

import json
import pathlib
import sys

try:
    import ctranslate2
    import numpy
    import safetensors.numpy
    import torch  # noqa: F401: the converter needs it
    import transformers
except ImportError as missing:
    print("check_ctranslate2: skipped:", missing)
    sys.exit(77)

TOLERANCE = 1e-4


def sequences(golden, name):
    offsets = golden[name + ".offsets"]
    return [golden[name][begin:end].tolist() for begin, end in zip(offsets, offsets[1:])]


def complete(folder):
    """The converter leaves out what a vocabulary without an unknown token lacks; its loader insists."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    if "unk_token" in config:
        config["unk_token"] = config["unk_token"] or config["eos_token"]
    path.write_text(json.dumps(config))


def agrees(found, written, end):
    """Whether both are the same up to the end, or to where the record was cut."""
    if end in written:
        return found == written[:written.index(end)]
    return found[:len(written)] == written


def translations(folder, tokenizer, golden, config, languages):
    translator = ctranslate2.Translator(str(folder))
    search = transformers.GenerationConfig.from_pretrained(config.name_or_path)
    equal = 0
    for ids, written in zip(sequences(golden, "ids"), sequences(golden, "written")):
        # The decoder begins with its first token; a language or another forced token follows, unless the language is the first.
        starts = bool(languages) and type(tokenizer).__name__.startswith("MBartTokenizer")
        forced = written[0] if starts else written[1] if languages else search.forced_bos_token_id
        written = written[1:] if starts or forced is None else written[2:]
        prefix = None if forced is None else [tokenizer.convert_ids_to_tokens([forced])]
        result = translator.translate_batch([tokenizer.convert_ids_to_tokens(ids)], target_prefix=prefix, beam_size=1,
                                            min_decoding_length=max((search.min_length or 0) - 2, 0),  # without what the decoder begins with
                                            no_repeat_ngram_size=search.no_repeat_ngram_size or 0, max_decoding_length=len(written) + 2)[0].hypotheses[0]
        equal += agrees(tokenizer.convert_tokens_to_ids(result)[0 if starts or forced is None else 1:], written, config.eos_token_id)
    return equal


def continuations(folder, tokenizer, golden, config):
    generator = ctranslate2.Generator(str(folder))
    suppressed = transformers.GenerationConfig.from_pretrained(config.name_or_path).suppress_tokens or []  # which the converter does not read
    equal = 0
    for ids, written in zip(sequences(golden, "ids"), sequences(golden, "written")):
        new = written[len(ids):]
        result = generator.generate_batch([tokenizer.convert_ids_to_tokens(ids)], beam_size=1, sampling_topk=1, max_length=max(len(new), 1),
                                          suppress_sequences=[tokenizer.convert_ids_to_tokens([token]) for token in suppressed],
                                          include_prompt_in_result=False)[0].sequences_ids[0]
        equal += agrees(result, new, config.eos_token_id)
    return equal


def largest_difference(folder, tokenizer, golden):
    """Of the last layer, in the texts whose states are recorded."""
    encoder = ctranslate2.Encoder(str(folder))
    last = golden[max((name for name in golden if name.startswith("encoder.")), key=lambda name: int(name.split(".")[1]))]
    rows = [numpy.array(encoder.forward_batch([tokenizer.convert_ids_to_tokens(ids)]).last_hidden_state)[0] for ids in sequences(golden, "ids")]
    found = numpy.concatenate(rows)[:len(last)]
    return float((numpy.abs(found - last) / (1 + numpy.abs(last))).max())


def main():
    directory, golden_file, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    ctranslate2.converters.TransformersConverter(directory).convert(str(folder), force=True)
    complete(folder)
    golden = safetensors.numpy.load_file(golden_file)
    with safetensors.safe_open(golden_file, "np") as file:
        languages = json.loads(file.metadata().get("languages", "[]"))
    config = transformers.AutoConfig.from_pretrained(directory)
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory, **dict(zip(["src_lang", "tgt_lang"], languages)))
    texts = len(sequences(golden, "ids"))
    if "written" not in golden:
        difference = largest_difference(folder, tokenizer, golden)
        assert difference <= TOLERANCE, f"{directory}: the last layer differs by {difference:.1e}"
        print(f"{directory}: CTranslate2 computes the same (largest difference {difference:.1e})")
        return
    equal = translations(folder, tokenizer, golden, config, languages) if config.is_encoder_decoder else continuations(folder, tokenizer, golden, config)
    assert equal == texts, f"{directory}: CTranslate2 writes {equal} of {texts} alike"
    print(f"{directory}: CTranslate2 writes the same")


if __name__ == "__main__":
    main()
