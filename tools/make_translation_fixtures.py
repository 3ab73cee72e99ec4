#!/usr/bin/env python3
"""Small encoder-decoders of several languages and for summaries, as make_import_fixtures.py makes others.

    python tools/make_translation_fixtures.py [FAMILY ...]

Run once with transformers 5 and once with transformers 4, which writes the fixtures *_v4.
"""

import json
import shutil
import subprocess
import sys

import sentencepiece
import tokenizers
import torch
import transformers
from golden_of_huggingface import write_golden
from fixture_parts import DATA, ROOT, SENTENCES, byte_bpe, randomize, spm

SHAPE = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
         "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_position_embeddings": 48}
SMALLER = {**SHAPE, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}  # each tensor takes 300 bytes more in a ZIP archive
FAIRSEQ = ["<s>", "<pad>", "</s>", "<unk>"]


def save(folder, model, seed, container=None, **generation):
    randomize(model, seed)
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias.normal_(0, 0.15, generator=torch.Generator().manual_seed(seed + 1))
    for key, value in generation.items():
        setattr(model.generation_config, key, value)
    model.save_pretrained(folder, **(container or {}))


def pieces_of(folder, size, **options):
    """A SentencePiece model sentencepiece.bpe.model, and its pieces without the special ones."""
    pieces = spm(folder, "sentencepiece.bpe", "en", size, **options)
    (folder / "sentencepiece.bpe.spm").rename(folder / "sentencepiece.bpe.model")
    return pieces[3:]


def m2m_100(folder):
    pieces = pieces_of(folder, 64, model_type="bpe")
    (folder / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate([*FAIRSEQ, *pieces])}, ensure_ascii=False))
    tokenizer = transformers.M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"), src_lang="en", tgt_lang="de")
    tokenizer.save_pretrained(folder)
    size = len(tokenizer.encoder) + len(tokenizer.lang_code_to_id) + tokenizer.num_madeup_words
    save(folder, transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(vocab_size=size, scale_embedding=True, **SHAPE)), 11,
         num_beams=3, max_length=40)


def nllb(folder, **options):
    pieces = pieces_of(folder, 64, model_type="bpe")
    (folder / "sentencepiece.bpe.model").unlink()
    vocabulary = {piece: i for i, piece in enumerate([*FAIRSEQ, *pieces])}
    merges = [(a, piece[len(a):]) for piece in pieces for a in [piece[:k] for k in range(1, len(piece))]
              if a in vocabulary and piece[len(a):] in vocabulary]
    tokenizer = transformers.NllbTokenizer(vocab=vocabulary, merges=merges, src_lang="eng_Latn", tgt_lang="deu_Latn",
                                           extra_special_tokens=["deu_Latn", "eng_Latn", "fra_Latn"], **options)
    tokenizer.save_pretrained(folder)
    save(folder, transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(vocab_size=len(tokenizer), scale_embedding=True, **SHAPE)),
         13, max_length=40)


def scored_pieces(folder, **options):
    """The pieces of a unigram model with their scores, without the special ones."""
    spm(folder, "scores", "en", 64, model_type="unigram", **options)
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "scores.spm"))
    (folder / "scores.spm").unlink()
    return [(model.id_to_piece(i), model.get_score(i)) for i in range(3, model.get_piece_size())]


def mbart(folder, tokenizer_class, **options):
    languages = [] if tokenizer_class is transformers.MBart50Tokenizer else [(language, 0.0) for language in ("de_DE", "en_XX", "ro_RO")]
    vocabulary = [(piece, 0.0) for piece in FAIRSEQ] + scored_pieces(folder) + languages
    if tokenizer_class is transformers.MBart50Tokenizer:
        vocabulary = vocabulary[:0] + [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0)] + vocabulary[4:]
    tokenizer = tokenizer_class(vocab=vocabulary, src_lang="en_XX", tgt_lang="de_DE")
    tokenizer.save_pretrained(folder)
    config = transformers.MBartConfig(vocab_size=len(tokenizer), scale_embedding=True, activation_function="gelu", **SHAPE, **options)
    save(folder, transformers.MBartForConditionalGeneration(config), 17, num_beams=5)


def bart(folder, **sizes):
    byte_bpe(folder, 270, FAIRSEQ)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    for file in folder.iterdir():
        file.unlink()
    wrapped = transformers.BartTokenizer(tokenizer_object=tokenizer)
    wrapped.save_pretrained(folder)
    config = transformers.BartConfig(vocab_size=len(wrapped), forced_bos_token_id=0, **{**SHAPE, **sizes})
    save(folder, transformers.BartForConditionalGeneration(config), 19, num_beams=4, min_length=5, max_length=40, no_repeat_ngram_size=2,
         length_penalty=2.0, early_stopping=True, forced_bos_token_id=0)


def pegasus(folder):
    special = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{i}>" for i in range(2, 103)), "<unk>"]
    tokenizer = transformers.PegasusTokenizer(vocab=[(piece, 0.0) for piece in special] + scored_pieces(folder))
    tokenizer.save_pretrained(folder)
    config = transformers.PegasusConfig(vocab_size=len(tokenizer), scale_embedding=True, activation_function="relu", **SHAPE)
    save(folder, transformers.PegasusForConditionalGeneration(config), 23, num_beams=8, length_penalty=0.6)


# Of transformers 4, which keeps the SentencePiece models, in other containers.
def mbart50_v4(folder):
    pieces_of(folder, 52, model_type="unigram")
    tokenizer = transformers.MBart50Tokenizer(str(folder / "sentencepiece.bpe.model"), src_lang="en_XX", tgt_lang="de_DE")
    tokenizer.save_pretrained(folder)
    config = transformers.MBartConfig(vocab_size=len(tokenizer), scale_embedding=True, decoder_start_token_id=2, **SMALLER)
    save(folder, transformers.MBartForConditionalGeneration(config), 29, {"safe_serialization": False}, num_beams=5)


def pegasus_v4(folder):
    spm(folder, "spiece", "en", 64, model_type="unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    (folder / "spiece.spm").rename(folder / "spiece.model")
    tokenizer = transformers.PegasusTokenizer(str(folder / "spiece.model"))
    tokenizer.save_pretrained(folder)
    config = transformers.PegasusConfig(vocab_size=len(tokenizer), scale_embedding=True, activation_function="relu", **SHAPE)
    save(folder, transformers.PegasusForConditionalGeneration(config), 31, {"max_shard_size": "20KB"}, num_beams=8)


OLDER = {
    "mbart50_v4": (mbart50_v4, ["en_XX", "fr_XX"]),
    "pegasus_v4": (pegasus_v4, []),
}
FAMILIES = {
    "m2m_100": (m2m_100, ["en", "de"]),
    "nllb": (nllb, ["eng_Latn", "fra_Latn"]),
    "nllb_legacy": (lambda folder: nllb(folder, legacy_behaviour=True), ["eng_Latn", "deu_Latn"]),
    "mbart": (lambda folder: mbart(folder, transformers.MBartTokenizer), ["en_XX", "ro_RO"]),
    "mbart50": (lambda folder: mbart(folder, transformers.MBart50Tokenizer, decoder_start_token_id=2), ["en_XX", "fr_XX"]),
    "bart": (bart, []),
    "bart_widths": (lambda folder: bart(folder, decoder_layers=2, decoder_attention_heads=4, decoder_ffn_dim=10), []),
    "pegasus": (pegasus, []),
}


def main():
    families = OLDER if transformers.__version__.startswith("4.") else FAMILIES
    for name in sys.argv[1:] or families:
        make, languages = families[name]
        folder = DATA / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        texts = [*(s[:12].strip() for s in SENTENCES["en"]), "Où est la bibliothèque ?", "x"]
        write_golden(folder, folder / "golden.safetensors", texts, 8, languages)
        if families is FAMILIES:
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", folder, folder / "training.safetensors", *languages], check=True)
        print(name, sum(f.stat().st_size for f in folder.iterdir()), "bytes")


if __name__ == "__main__":
    main()
