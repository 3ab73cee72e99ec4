#!/usr/bin/env python3
"""What transformers answers with the small language models of tests/interchange/data/models: tests/interchange/data/language_goldens.json.

    python tools/make_language_goldens.py

For every model, and for some settings of generation_config.json: the ids of prompts, the log-probabilities of these and the likeliest
ids at their places, what greedy decoding writes after them, and the perplexity of texts by the recipe of transformers' documentation, with several windows and strides. An empty prompt without tokens is
continued as the text-generation pipeline does, from bos_token_id. Needs torch and transformers.
"""

import json
import pathlib
import shutil
import tempfile

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ["gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma3", "opt", "opt_post_norm", "bloom"]
PROMPTS = ["A man is walking", "", " ", " leads", "trails ", "two  blanks", "a line\nanother", "\n", "ends\n", "\n\nA dog\n\nruns", "a\ttab",
           "Äpfel für 3 €", "日本語 🙂", "def f(x):\n    return x", "A <|endoftext|> B", "<|begin|>x <|end|>"]
TEXT = ("A man is walking with his dog.\n\nTwo children play football in the rain!\n    I don't know; do you?\n"
        "The quick brown fox jumps over the lazy dog and runs away.  She reads a book in the garden.\n")
WINDOWS = [(96, 48), (32, 16), (32, 32), (20, 7)]
WRITTEN = 12


def recipe(model, ids, window, stride):
    """Perplexity as in transformers' documentation of fixed-length models."""
    nll_sum, tokens, before = 0.0, 0, 0
    for begin in range(0, len(ids), stride):
        end = min(begin + window, len(ids))
        inputs = torch.tensor([ids[begin:end]])
        targets = inputs.clone()
        targets[:, :-(end - before)] = -100
        counted = (targets != -100).sum().item() - 1
        if counted > 0:
            nll_sum += model(inputs, labels=targets).loss.item() * counted
            tokens += counted
        before = end
        if end == len(ids):
            break
    return float(torch.tensor(nll_sum / tokens, dtype=torch.float64).exp())


def answer(model, tokenizer, prompt, with_scores=False):
    ids = tokenizer(prompt).input_ids
    begun = ids or [model.generation_config.bos_token_id]
    if begun == [None] or max(begun) >= model.config.vocab_size:  # some tokenizers add tokens that the model lacks
        return None
    written = model.generate(torch.tensor([begun]), do_sample=False, max_new_tokens=WRITTEN)[0].tolist()
    before, after = (tokenizer.decode(some, skip_special_tokens=True, clean_up_tokenization_spaces=False) for some in (begun, written))
    found = {"prompt": prompt, "ids": begun, "written": written[len(begun):], "text": after[len(before):]}
    if with_scores:
        logits = torch.log_softmax(model(torch.tensor([begun])).logits[0], dim=-1)
        best = logits.max(dim=-1)
        found["scores"] = [round(logits[place, token].item(), 5) for place, token in enumerate(begun[1:])]
        found["likeliest"] = best.indices[:-1].tolist()
    return found


def golden(name, settings, prompts, texts):
    source = ROOT / "tests/interchange/data/models" / name
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder) / name
        shutil.copytree(source, directory)
        if settings is not None:
            (directory / "generation_config.json").write_text(json.dumps(settings))
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        model = transformers.AutoModelForCausalLM.from_pretrained(directory).float().eval()
        with torch.no_grad():
            answers = [one for one in (answer(model, tokenizer, prompt, settings is None) for prompt in prompts) if one]
            perplexities = [{"text": text, "window": window, "stride": stride,
                             "perplexity": recipe(model, tokenizer(text).input_ids, window, stride)}
                            for text in texts for window, stride in WINDOWS]
    return {"model": name, "settings": settings, "answers": answers, "perplexities": perplexities}


def main():
    goldens = []
    for name in MODELS:
        plain = golden(name, None, PROMPTS, [TEXT])
        goldens.append(plain)
        # Ends that greedy decoding writes, after the first prompt and after the third.
        ends = [plain["answers"][0]["written"][4], plain["answers"][2]["written"][1]]
        few = PROMPTS[:3]
        goldens.append(golden(name, {"bos_token_id": 0, "eos_token_id": ends}, few, []))
        goldens.append(golden(name, {"bos_token_id": 0, "eos_token_id": ends[1]}, few, []))
        goldens.append(golden(name, {"bos_token_id": 0, "repetition_penalty": 1.3}, few, []))
        goldens.append(golden(name, {"bos_token_id": 0, "eos_token_id": ends, "no_repeat_ngram_size": 2, "min_new_tokens": 7,
                                     "suppress_tokens": [ends[0] + 1], "bad_words_ids": [plain["answers"][0]["written"][:2]]}, few, []))
    (ROOT / "tests/interchange/data/language_goldens.json").write_text(json.dumps(goldens, ensure_ascii=False, indent=0) + "\n")


if __name__ == "__main__":
    main()
