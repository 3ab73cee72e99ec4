#!/usr/bin/env python3
"""Compares the tokens that `attend serve` gives a model for conversations with those of transformers' chat templates.

    python check_chats.py ATTEND [COUNT [SEED]]

ATTEND is the program. COUNT tokenizers (16) of several kinds, with random special tokens, and one of several templates: the ids that
/v1/chat/completions returns for random messages have to be those of apply_chat_template(sanitize_control_tokens=True), which also
takes special tokens in messages for text; where transformers encodes such a message apart from the text around it, the text that the
ids decode to has to be the same, without a special token more. Fails if one is not. Needs torch, transformers and tokenizers.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import transformers
from check_language_models import TEXTS, byte_level, with_fallback
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

MARKS = ["<s>", "</s>", "<unk>", "<|user|>", "<|assistant|>", "<|system|>", "<|end|>", "[INST]", "[/INST]"]
PIECES = ["A man", " is", " ", "  ", "\n", "\n\n", "\t", "dog", "Äpfel", "日本", "🙂", ".", "!?", "x", "é", "e\u0301", "\u00a0", "\u2581", "return", "<", "</", "\r\n",
          "\u3000", "[", "|>", "it's"]
TEMPLATES = {
    "chatml": "{% for m in messages %}{{ '<|' + m['role'] + '|>\\n' + m['content'] + '<|end|>\\n' }}{% endfor %}"
              "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
    "llama2": "{% for m in messages %}{% if m['role'] == 'user' %}{{ bos_token + '[INST] ' + m['content'] + ' [/INST]' }}"
              "{% elif m['role'] == 'assistant' %}{{ ' ' + m['content'] + ' ' + eos_token }}{% endif %}{% endfor %}",
    "llama3": "{{ bos_token }}{% for m in messages %}{{ '<|' + m['role'] + '|>\\n\\n' + m['content'] | trim + '<|end|>' }}{% endfor %}"
              "{% if add_generation_prompt %}<|assistant|>\n\n{% endif %}",
    "plain": "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}",
    "tight": "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token }}{% endfor %}"
             "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "spaced": "{{ bos_token }} {% for m in messages %} <|{{ m.role }}|> {{ m.content }} {{ eos_token }} {% endfor %}"
              "{% if add_generation_prompt %} <|assistant|> {% endif %}"}


def metaspace(rng, special):
    unigram = rng.random() < 0.3
    scheme, split = rng.choice(["always", "first", "never"]), rng.random() < 0.5
    tokenizer = Tokenizer(models.Unigram() if unigram else models.BPE(unk_token=special[0], fuse_unk=True, byte_fallback=rng.random() < 0.7))
    if rng.random() < 0.3:
        tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    lines = [line for text in TEXTS * 3 for line in text.split("\n")]
    if unigram:
        trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token=special[0], show_progress=False)
    else:
        trainer = trainers.BpeTrainer(vocab_size=rng.choice([420, 500]), special_tokens=[*special, *bytes_], show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] not in bytes_]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return tokenizer


def random_tokenizer(rng, folder):
    marks = [MARKS[0], MARKS[1], MARKS[2], *rng.sample(MARKS[3:], rng.randrange(len(MARKS) - 2))]
    marks[0], marks[2] = marks[2], marks[0]  # the unknown token comes first
    make = rng.choice([byte_level, with_fallback, metaspace, metaspace])
    tokenizer = make(rng, marks)
    flags = [AddedToken(mark, special=True, normalized=False, lstrip=rng.random() < 0.2, rstrip=rng.random() < 0.2) for mark in marks]
    tokenizer.add_special_tokens(flags)
    if rng.random() < 0.6:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    own = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=flags[2], eos_token=flags[1], unk_token=flags[0],
                                               clean_up_tokenization_spaces=False)
    kind = rng.choice(sorted(TEMPLATES))
    own.chat_template = TEMPLATES[kind]
    own.save_pretrained(folder)
    return f"{make.__name__} {kind} {json.loads(tokenizer.to_str())['pre_tokenizer']}", marks


def random_model(rng, folder):
    kind, marks = random_tokenizer(rng, folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    config = transformers.LlamaConfig(vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                                      max_position_embeddings=2048, eos_token_id=tokenizer.eos_token_id, bos_token_id=tokenizer.bos_token_id)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return kind, marks, tokenizer


def random_messages(rng, marks):
    pieces = PIECES + (marks if rng.random() < 0.3 else [])
    roles = ["user", "assistant"] * 3
    if rng.random() < 0.3:
        roles.insert(0, "system")
    return [{"role": role, "content": "".join(rng.choice(pieces) for _ in range(rng.randrange(0, 7)))} for role in roles[:rng.randrange(1, 6)]]


class Served:
    def __init__(self, program, file):
        self.process = subprocess.Popen([program, "serve", file, "--listen", "127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        encoding="utf-8")
        for line in self.process.stderr:
            if "listening on" in line:
                self.port = int(line.rsplit(":", 1)[1])
                break

    def ids(self, messages, **more):
        body = {"messages": messages, "max_tokens": 1, "return_token_ids": True, **more}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["prompt_token_ids"]
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def close(self):
        self.process.terminate()
        self.process.wait()


def expected_ids(tokenizer, messages, **more):
    try:
        return tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False, sanitize_control_tokens=True, **more)
    except ValueError as error:
        return str(error)


def is_equal(tokenizer, messages, found, expected, marks):
    if isinstance(expected, str) and "Can't sanitize" in expected:
        return True
    if isinstance(found, str) or isinstance(expected, str) or not expected:
        return isinstance(found, str) == (isinstance(expected, str) or not expected)
    if found == expected:
        return True
    # How many unknown tokens are fused, and whether a part begins with a space, depends on the cut.
    known = lambda ids: [one for one in ids if one != tokenizer.unk_token_id]
    special = set(known(tokenizer.convert_tokens_to_ids(marks)))
    return (any(mark in message["content"] for message in messages for mark in marks) and
            [one for one in found if one in special] == [one for one in expected if one in special] and
            tokenizer.decode(known(found)).replace(" ", "") == tokenizer.decode(known(expected)).replace(" ", ""))


def compare(tokenizer, served, rng, marks):
    wrong = 0
    for _ in range(25):
        messages = random_messages(rng, marks)
        continues = rng.random() < 0.3
        options = {"continue_final_message": True} if continues else {"add_generation_prompt": rng.random() < 0.8}
        found, expected = served.ids(messages, **options), expected_ids(tokenizer, messages, **options)
        if not is_equal(tokenizer, messages, found, expected, marks):
            wrong += 1
            if wrong <= 2:
                show = lambda ids: ids if isinstance(ids, str) else tokenizer.convert_ids_to_tokens(ids)
                print(f"  {messages} {options}\n  expected {show(expected)}\n  found    {show(found)}")
    return wrong


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    transformers.logging.set_verbosity_error()
    wrong = 0
    for number in range(count):
        rng = random.Random(seed * 100000 + number)
        with tempfile.TemporaryDirectory() as name:
            folder, file = pathlib.Path(name) / "model", pathlib.Path(name) / "model.safetensors"
            kind, marks, tokenizer = random_model(rng, folder)
            imported = subprocess.run([program, "import", folder, "--out", file], capture_output=True, encoding="utf-8", check=False)
            if imported.returncode != 0:
                print(f"{number} {kind}: {imported.stderr}")
                wrong += "not supported" not in imported.stderr
                continue
            served = Served(program, file)
            mine = compare(tokenizer, served, rng, marks)
            served.close()
            print(f"{number} {kind}: {mine} differences")
            wrong += mine
    print(f"{count} tokenizers, {wrong} differences")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
