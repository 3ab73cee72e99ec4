"""Fixtures with other settings and tensors than their makers wrote: attend computes with each what transformers computes, or refuses it by name.

    python variants_test.py SOURCE ATTEND [NAME...]

Prints a line for each fixture and variant. Needs what tools/golden_of_huggingface.py needs.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import transformers
from safetensors import safe_open

SOURCE, ATTEND = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(SOURCE / "tools"))
from golden_of_huggingface import write_golden  # noqa: E402
from variant import Variant  # noqa: E402
from variant_changes import EMBEDDERS, ENCODERS, LANGUAGE_MODELS, VARIANTS  # noqa: E402

TEXTS = ["A man is walking with his dog.", "Two children play football", "x", "They were happy when the sun came out."]
WRITTEN = 12
LANGUAGES = {"m2m_100": ("en", "de"), "nllb": ("eng_Latn", "fra_Latn"), "mbart": ("en_XX", "ro_RO"), "mbart50": ("en_XX", "fr_XX")}


def one_line(text):
    return " ".join(text.split())


def written_texts(variant, golden):
    """What transformers wrote, without the tokens that attend never shows: those that start and end a text, and those of languages."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(variant.folder)
    config = transformers.AutoConfig.from_pretrained(variant.folder)
    settings = variant.folder / ("generation_config.json" if (variant.folder / "generation_config.json").exists() else "config.json")
    ends = json.loads(settings.read_text()).get("eos_token_id", config.eos_token_id)
    hidden = {*(ends if isinstance(ends, list) else [ends]), config.pad_token_id}
    hidden.update(getattr(tokenizer, "lang_token_to_id", {}).values())
    with safe_open(golden, "pt") as file:
        ids, offsets = file.get_tensor("written").tolist(), file.get_tensor("written.offsets").tolist()
    rows = [ids[begin + 1:end] for begin, end in zip(offsets, offsets[1:])]
    return [one_line(tokenizer.decode([id for id in row if id not in hidden], skip_special_tokens=True)) for row in rows]


def are_equal(ours, theirs):
    """Whether texts are equal. Bytes that are no text are shown in different ways; --golden compares their ids."""
    return len(ours) == len(theirs) and all(a == b or "\ufffd" in b for a, b in zip(ours, theirs))


def translated(variant, golden, model):
    """Whether the program writes what transformers writes, which heeds all settings of generation."""
    if variant.name in [*LANGUAGE_MODELS, *EMBEDDERS, *ENCODERS]:
        return "equal"
    answers = written_texts(variant, golden)
    # A token that is forced counts as written there.
    for length in (WRITTEN, WRITTEN - 1):
        run = subprocess.run([ATTEND, "translate", model, "--beam-size", "1", "--max-length", str(length)], input="\n".join(TEXTS) + "\n",
                             capture_output=True, text=True, check=True)
        lines = [one_line(line) for line in run.stdout.split("\n")[:-1]]
        if are_equal(lines, answers):
            return "equal"
    return f"DIFFERENT: {lines} for {answers}"


def check(name, change, folder):
    variant = Variant(name, folder / "model")
    try:
        change(variant)
    except KeyError:
        return "no such setting"
    variant.save()
    golden = folder / "golden.safetensors"
    languages = LANGUAGES.get(name, ())
    try:
        write_golden(variant.folder, golden, TEXTS, WRITTEN, languages)
    except Exception as error:  # transformers cannot load it, either
        return "no reference: " + str(error).splitlines()[0][:80]
    options = ["--src-lang", languages[0], "--tgt-lang", languages[1]] if languages else []
    run = subprocess.run([ATTEND, "import", variant.folder, "--out", folder / "out.safetensors", "--golden", golden, *options],
                         capture_output=True, text=True)
    message = run.stderr.strip().splitlines()
    if run.returncode == 0:
        return translated(variant, golden, folder / "out.safetensors")
    if any("differ" in line for line in message):
        return "DIFFERENT: " + " ".join(message)[:220]
    return "refused: " + message[-1].replace(str(variant.folder), "")[:160] if message else "FAILED"


def main():
    failed = 0
    for name, change in VARIANTS:
        label = f"{name} {change.__name__}"
        if sys.argv[3:] and not any(re.fullmatch(pattern, label) for pattern in sys.argv[3:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = check(name, change, pathlib.Path(folder))
        print(f"{label}: {result}", flush=True)
        failed += result.startswith(("DIFFERENT", "FAILED"))
    print(f"{failed} of the variants differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    main()
