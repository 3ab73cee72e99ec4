"""What the makers of small models share: texts, tokenizers of these, random weights, the modules of sentence-transformers."""

import json
import pathlib

import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/interchange/data/models"
SENTENCES = {
    "en": ["A man is walking with his dog.", "Two children play football in the rain!", "I don't know; do you?", "It costs 3.50 €, which is 20 % less.",
           "The quick brown fox jumps over the lazy dog and runs away.", "She reads a book in the garden.", "They were happy when the sun came out."],
    "de": ["Ein Mann geht mit seinem Hund spazieren.", "Zwei Kinder spielen im Regen Fußball!", "Ich weiß es nicht; weißt du es?",
           "Ein alter Mann kauft drei Äpfel.", "Der schnelle braune Fuchs springt über den faulen Hund.", "Sie liest im Garten ein Buch."]}


def randomize(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1 and "norm" in name.lower() and name.endswith("weight"):
                p.copy_(1 + 0.2 * torch.randn(p.shape, generator=generator))
            elif "embed_positions" not in name or p.requires_grad:
                p.copy_(0.15 * torch.randn(p.shape, generator=generator))
    return model


def spm(folder, name, language, size, **options):
    (folder / "text").write_text("\n".join(SENTENCES[language]) + "\n")
    sentencepiece.SentencePieceTrainer.train(input=str(folder / "text"), model_prefix=str(folder / name), vocab_size=size, minloglevel=2,
                                             character_coverage=1.0, hard_vocab_limit=False, num_threads=1, normalization_rule_name="identity",
                                             **options)
    (folder / "text").unlink()
    (folder / f"{name}.vocab").unlink()
    (folder / f"{name}.model").rename(folder / f"{name}.spm")
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def byte_bpe(folder, size, special, begins=False):
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(SENTENCES["en"], vocab_size=size, min_frequency=1, special_tokens=special, show_progress=False)
    if begins:
        tokenizer._tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single=f"{special[0]} $A", special_tokens=[(special[0], 0)])
    wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, eos_token=special[-1], bos_token=special[0])
    wrapped.save_pretrained(folder)
    return tokenizer.get_vocab_size()


def pretrained(tokenizer, folder, **special):
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return tokenizer.get_vocab_size()


def sentence_modules(folder, length, normalize, dense=None, **pooling):
    """The files of sentence-transformers 2, which most models on the hub have. `dense`: the shape of a linear layer."""
    modules = ["Transformer", "Pooling", *(["Dense"] if dense else []), *(["Normalize"] if normalize else [])]
    (folder / "modules.json").write_text(json.dumps([
        {"idx": i, "name": str(i), "path": f"{i}_{name}" if i else "", "type": f"sentence_transformers.models.{name}"}
        for i, name in enumerate(modules)]))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"word_embedding_dimension": 16, **pooling}))
    if dense:
        (folder / "2_Dense").mkdir()
        (folder / "2_Dense/config.json").write_text(json.dumps({"in_features": dense[1], "out_features": dense[0], "bias": True,
                                                                "activation_function": "torch.nn.modules.activation.Tanh"}))
        generator = torch.Generator().manual_seed(12)
        save_file({"linear.weight": 0.15 * torch.randn(dense, generator=generator), "linear.bias": 0.15 * torch.randn(dense[0], generator=generator)},
                  folder / "2_Dense/model.safetensors", metadata={"format": "pt"})
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length, "do_lower_case": False}))
