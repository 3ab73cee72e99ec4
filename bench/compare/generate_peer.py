"""The other side of a comparison of generation: transformers, CTranslate2 or llama.cpp.

usage: generate_peer.py PEER MODEL PROMPTS OUT [--tokenizer DIR] --tokens N [--threads 2]

PEER is transformers (MODEL: its directory), ctranslate2 (a converted one) or llama.cpp (a GGUF file, whose own tokenizer reads the prompts
without --tokenizer). Every prompt is continued greedily by exactly N tokens, one prompt after the other. OUT gets their ids. Prints one line of JSON: the medians of
tokens/s and of the time to the first token, peak memory, time to load.
"""

import argparse
import json
import statistics
import time

from sides import peak_bytes


class Transformers:
    def __init__(self, a):
        import torch
        import transformers

        torch.set_num_threads(a.threads)
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(a.model).eval()
        if a.int8:
            self.model = torch.ao.quantization.quantize_dynamic(self.model, {torch.nn.Linear}, dtype=torch.qint8)

    def generate(self, ids, tokens):
        with self.torch.inference_mode():
            prompt = self.torch.tensor([ids])
            out = self.model.generate(prompt, attention_mask=self.torch.ones_like(prompt), do_sample=False, min_new_tokens=tokens,
                                      max_new_tokens=tokens, pad_token_id=0)
        return out[0, len(ids):].tolist()


class CTranslate2:
    def __init__(self, a):
        import ctranslate2

        self.generator = ctranslate2.Generator(a.model, compute_type="int8" if a.int8 else "float32", inter_threads=1, intra_threads=a.threads)
        self.pieces = a.pieces

    def generate(self, ids, tokens):
        result = self.generator.generate_batch([[self.pieces[i] for i in ids]], beam_size=1, sampling_topk=1, min_length=tokens, max_length=tokens,
                                               include_prompt_in_result=False)
        return result[0].sequences_ids[0]


class LlamaCpp:
    def __init__(self, a):
        import llama_cpp

        self.llama = llama_cpp.Llama(a.model, n_ctx=1024, n_threads=a.threads, n_threads_batch=a.threads, verbose=False, logits_all=False)

    def generate(self, ids, tokens):
        self.llama.reset()
        written = []
        for token in self.llama.generate(ids, top_k=1, temp=0.0, repeat_penalty=1.0):
            written.append(token)
            if len(written) == tokens:
                break
        return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["transformers", "ctranslate2", "llama.cpp"])
    parser.add_argument("model")
    parser.add_argument("prompts")
    parser.add_argument("out")
    parser.add_argument("--tokenizer")
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--begin", type=int, help="a token before every prompt, as attend has it")
    a = parser.parse_args()

    with open(a.prompts) as file:
        lines = [line.rstrip("\n") for line in file]
    if a.tokenizer:
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(f"{a.tokenizer}/tokenizer.json")
        a.pieces = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    begun = time.monotonic()
    peer = {"transformers": Transformers, "ctranslate2": CTranslate2, "llama.cpp": LlamaCpp}[a.peer](a)
    result = {"load_seconds": time.monotonic() - begun}
    prompts = [tokenizer.encode(line).ids if a.tokenizer else peer.llama.tokenize(line.encode(), add_bos=True, special=True) for line in lines]
    if a.begin is not None:
        prompts = [[a.begin, *ids] for ids in prompts]
    peer.generate(prompts[0], 1)

    first, rates = [], []
    with open(a.out, "w") as out:
        for ids in prompts:
            started = time.monotonic()
            peer.generate(ids, 1)
            first.append(time.monotonic() - started)
            started = time.monotonic()
            written = peer.generate(ids, a.tokens)
            rates.append(len(written) / (time.monotonic() - started))
            out.write(" ".join(map(str, written)) + "\n")
    result.update(tokens_per_second=statistics.median(rates), first_token_seconds=statistics.median(first),
                  peak_bytes=peak_bytes())
    print(json.dumps(result))


if __name__ == "__main__":
    main()
