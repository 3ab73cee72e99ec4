"""Directories of CTranslate2 that attend exports: CTranslate2 computes with them what attend computes with its model.

    python ctranslate2_export_test.py SOURCE ATTEND [NAME...]

Prints a line for each model. Needs what ctranslate2_test.py needs, which is beside it.
"""

import json
import pathlib
import random
import sys
import tempfile

import ctranslate2
import transformers

import ctranslate2_test as imports
from ctranslate2_test import HUGGINGFACE, MODELS, TEXTS, TARGETS, attend, compare

# Not those with rotations that are scaled in other ways than linearly: the fixtures of Llama and Qwen3.
LANGUAGE_MODELS = ["gpt2", "gemma", "mistral", "qwen2", "opt", "bloom"]


def exported(name, model, folder):
    out = folder / f"{name}-ctranslate2"
    attend("export", model, "--format", "ctranslate2", "--out", out)
    return out


def texts_of_two_vocabularies(directory):
    """transformers numbers the pieces of each side, but names those of one alone."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    source, target = (json.loads((directory / f"{side}_vocabulary.json").read_text()) for side in ("source", "target"))
    return imports.Texts(lambda text: [source[i] for i in tokenizer(text).input_ids],
                         lambda text: [target[i] for i in tokenizer(text_target=text).input_ids[:-1]])


def check_translator(name, languages, folder):
    original = folder / f"{name}-original.safetensors"
    imports.import_with_attend(MODELS / name, original)
    directory = exported(name, original, folder)
    # CTranslate2 beside what attend imports again, and that beside the original.
    texts = imports.texts_of_huggingface(MODELS / name, languages)
    if (directory / "source_vocabulary.json").exists():
        texts = texts_of_two_vocabularies(directory)
    first = json.loads((directory / "generation_config.json").read_text()).get("forced_bos_token_id")
    if first is not None and not languages:  # as transformers forces it
        texts.prefix = [transformers.AutoTokenizer.from_pretrained(MODELS / name).convert_ids_to_tokens(first)]
    imports.check(f"{name} exported", directory, texts, folder, languages)
    again = imports.scores_of_attend(folder / f"{name} exported.safetensors", folder, languages)
    before = imports.scores_of_attend(original, folder, languages)
    if not name.startswith("marian"):  # where the padding has no share any more
        compare(f"{name}, original", before, again)


def check_language_model(name, folder):
    model = folder / f"{name}.safetensors"
    imports.import_with_attend(MODELS / name, model)
    directory = exported(name, model, folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODELS / name)
    generator = ctranslate2.Generator(str(directory), compute_type="float32", intra_threads=1)
    tokens = [tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids) for text in TEXTS]
    theirs = [result.log_probs for result in generator.score_batch([some if len(some) > 1 else some * 2 for some in tokens])]
    theirs = [log_probs if len(some) > 1 else [] for some, log_probs in zip(tokens, theirs)]
    (folder / "text.txt").write_text("\n".join(TEXTS) + "\n")
    lines = attend("score", model, "--text", folder / "text.txt", "--tokens", "--format", "json")
    ours = [json.loads(line)["token_log_probabilities"] for line in lines.splitlines()]
    largest = compare(f"{name} exported", theirs, [found[len(found) - len(expected):] for expected, found in zip(theirs, ours)])
    print(f"{name} exported: {len(TEXTS)} texts, largest difference {largest:.1e}")


def check_trained(folder):
    """A translator that attend has trained, with positions in the order of the paper."""
    words = random.Random(5)
    lines = [" ".join(words.choice("the a old dog cat sleeps sees house red new".split()) for _ in range(words.randint(2, 8))) for _ in range(300)]
    (folder / "train.src").write_text("\n".join(lines) + "\n")
    (folder / "train.tgt").write_text("\n".join(line[::-1] for line in lines) + "\n")
    run = folder / "run"
    attend("train", "translation", "--src-train", folder / "train.src", "--tgt-train", folder / "train.tgt", "--out", run, "--max-steps", 30,
           "--vocab-size", 80, "--d-model", 16, "--n-heads", 2, "--d-ff", 32, "--n-encoder-layers", 1, "--n-decoder-layers", 1)
    directory = exported("trained", run, folder)
    texts = imports.texts_of_huggingface(directory, ())
    imports.check("trained exported", directory, texts, folder)
    translator = ctranslate2.Translator(str(directory), compute_type="float32", intra_threads=1)
    some = lines[:8]
    found = translator.translate_batch([texts.source(line) for line in some], beam_size=1, min_decoding_length=0, max_decoding_length=20)
    written = attend("translate", run, "--beam-size", 1, "--min-length", 0, "--max-length", 20, "--format", "json", text="\n".join(some) + "\n")
    for line, theirs, mine in zip(some, found, map(json.loads, written.splitlines()), strict=True):
        tokens = mine["translations"][0]["tokens"]
        assert theirs.hypotheses[0] == tokens, f"trained: {line!r}: {tokens} instead of {theirs.hypotheses[0]}"


def main():
    names = sys.argv[3:]

    def chosen(name):
        return not names or name in names

    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if chosen("trained"):
            check_trained(folder)
        TEXTS[5], TARGETS[5] = TEXTS[5][:38], TARGETS[5][:38]  # these have few positions
        for name, languages in {**HUGGINGFACE, "marian_separate": ()}.items():
            if chosen(name):
                check_translator(name, languages, folder)
        for name in filter(chosen, LANGUAGE_MODELS):
            check_language_model(name, folder)


if __name__ == "__main__":
    main()
