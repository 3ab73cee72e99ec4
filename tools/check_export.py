#!/usr/bin/env python3
"""Does transformers compute with an exported model what attend computes, and what it computed with the original?

    python check_export.py ATTEND MODEL FOLDER [ORIGINAL [SOURCE TARGET]]

ATTEND is the program, MODEL a model file of attend, FOLDER an empty folder to work in. The model is exported, transformers loads it and records what it
computes (golden_of_huggingface.py), and `attend import` compares that with attend. With ORIGINAL, the model directory that MODEL was imported from, the
records of both directories are compared, too. SOURCE and TARGET are languages of a model of several. Prints a line; fails when something differs. Needs
what golden_of_huggingface.py needs: without transformers the exit status is 77.
"""

import pathlib
import subprocess
import sys

try:
    import safetensors.torch
    import torch
    from golden_of_huggingface import write_golden
except ImportError as missing:
    print("check_export: skipped:", missing)
    sys.exit(77)

TEXTS = ["A man is walking with his dog.", "Two children play football", "x", "They were happy when the sun came out."]
TOLERANCE = 1e-5


def record(directory, folder, name, languages):
    out = folder / f"{name}.safetensors"
    write_golden(directory, out, TEXTS, 8, languages)
    return out


def compare(a, b):
    ours, theirs = safetensors.torch.load_file(a), safetensors.torch.load_file(b)
    assert set(ours) == set(theirs), set(ours) ^ set(theirs)
    largest = 0.0
    for name, tensor in ours.items():
        assert tensor.shape == theirs[name].shape, name
        if tensor.is_floating_point():
            difference = (tensor - theirs[name]).abs().div(1 + theirs[name].abs())
            largest = max(largest, float(difference.max()))
        else:
            assert torch.equal(tensor, theirs[name]), name
    assert largest <= TOLERANCE, f"{largest} is more than {TOLERANCE}"
    return largest


def main():
    attend, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    languages = sys.argv[5:7]
    folder.mkdir(parents=True, exist_ok=True)
    exported = folder / "exported"
    subprocess.run([attend, "export", model, "--out", exported], check=True, stdout=subprocess.DEVNULL)
    golden = record(exported, folder, "exported_golden", languages)
    subprocess.run([attend, "import", exported, "--out", folder / "again.safetensors", "--golden", golden], check=True, stdout=subprocess.DEVNULL)
    line = "transformers computes with the export what attend computes"
    if len(sys.argv) > 4:
        largest = compare(golden, record(pathlib.Path(sys.argv[4]), folder, "original_golden", languages))
        line += f", and what it computed with the original (largest difference {largest:.1e})"
    print(f"{model}: {line}")


if __name__ == "__main__":
    main()
