"""Model directories of common shapes with random weights, as transformers writes them: for speed alone.

usage: foreign_models.py SHAPE FOLDER TEXT...      SHAPE: gpt2 (124 M), llama (SmolLM2, 135 M), opus-mt (74 M), bert (base, 109 M),
                                                         minilm (23 M), mpnet (base, 109 M), modernbert (base, 149 M)

The tokenizer is learned from the TEXT files (opus-mt: one of the source, one of the target language), and brought to the
size that the shape is known with by words that no text contains.
"""

import json
import pathlib
import sys

import tokenizers
import torch
import transformers


def lines_of(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from file


def byte_bpe(folder, texts, size, eos):
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(lines_of(texts), vocab_size=size, min_frequency=1, special_tokens=[eos], show_progress=False)
    if tokenizer.get_vocab_size() != size:
        sys.exit(f"the texts give {tokenizer.get_vocab_size()} tokens, {size} are needed")
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, eos_token=eos, bos_token=eos).save_pretrained(folder)


def causal(folder, config):
    torch.manual_seed(1)
    transformers.AutoModelForCausalLM.from_config(config).float().save_pretrained(folder)


def gpt2(folder, texts):
    byte_bpe(folder, texts, 50257, "<|endoftext|>")
    causal(folder, transformers.GPT2Config(bos_token_id=0, eos_token_id=0))


def llama(folder, texts):
    byte_bpe(folder, texts, 49152, "<|endoftext|>")
    causal(folder, transformers.LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
        max_position_embeddings=2048, rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 100000.0},
        tie_word_embeddings=True, bos_token_id=0, eos_token_id=0))


def opus_mt(folder, texts):
    import sentencepiece

    pieces = []
    for side, text in zip(("source", "target"), texts):
        sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=str(folder / side), vocab_size=13000, minloglevel=2, bos_id=-1,
                                                 eos_id=0, unk_id=1, character_coverage=1.0)
        (folder / f"{side}.vocab").unlink()
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
        pieces += [model.id_to_piece(i) for i in range(model.get_piece_size())]
    special = ["</s>", "<unk>"]
    known = sorted(set(pieces) - set(special))
    unused = [f"<unused{i}>" for i in range(58100 - len(known) - 2)]
    vocabulary = [*special, *known, *unused, "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate(vocabulary)}, ensure_ascii=False))
    pad = len(vocabulary) - 1
    torch.manual_seed(1)
    model = transformers.MarianMTModel(transformers.MarianConfig(
        vocab_size=len(vocabulary), decoder_vocab_size=len(vocabulary), d_model=512, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, max_position_embeddings=512,
        activation_function="swish", scale_embedding=True, pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=0))
    with torch.no_grad():
        model.get_input_embeddings().weight[pad] = 0
    model.generation_config = transformers.GenerationConfig(
        bad_words_ids=[[pad]], num_beams=4, max_length=512, pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=0)
    model.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "model_max_length": 512, "separate_vocabs": False}))


def bert(folder, texts, **shape):
    tokenizer = tokenizers.BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(lines_of(texts), vocab_size=30522, min_frequency=1, show_progress=False)
    transformers.BertTokenizer(vocab=tokenizer.get_vocab()).save_pretrained(folder)
    torch.manual_seed(1)
    labels = {0: "negative", 1: "positive"}
    config = transformers.BertConfig(vocab_size=tokenizer.get_vocab_size(), id2label=labels, label2id={v: k for k, v in labels.items()},
                                     **shape)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)


def minilm(folder, texts):
    bert(folder, texts, hidden_size=384, num_attention_heads=12, num_hidden_layers=6, intermediate_size=1536)


CLASSES = dict(id2label={0: "negative", 1: "positive"}, label2id={"negative": 0, "positive": 1})


def mpnet(folder, texts):
    special = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]
    tokenizer = tokenizers.BertWordPieceTokenizer(lowercase=True, unk_token="[UNK]")
    tokenizer.train_from_iterator(lines_of(texts), vocab_size=30527, min_frequency=1, special_tokens=special, show_progress=False)
    transformers.MPNetTokenizer(vocab=tokenizer.get_vocab()).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.MPNetConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=514, layer_norm_eps=1e-5, **CLASSES)
    transformers.MPNetForSequenceClassification(config).save_pretrained(folder)


def modernbert(folder, texts):
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(lines_of(texts), vocab_size=50368, min_frequency=1, special_tokens=special, show_progress=False)
    tokenizer._tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]",
                                         unk_token="[UNK]", mask_token="[MASK]").save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.ModernBertConfig(vocab_size=tokenizer.get_vocab_size(), pad_token_id=3, cls_token_id=1, sep_token_id=2, bos_token_id=1,
                                           eos_token_id=2, **CLASSES)
    transformers.ModernBertForSequenceClassification(config).save_pretrained(folder)


SHAPES = {"gpt2": gpt2, "llama": llama, "opus-mt": opus_mt, "bert": bert, "minilm": minilm, "mpnet": mpnet, "modernbert": modernbert}


def main():
    shape, folder, *texts = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    SHAPES[shape](folder, texts)


if __name__ == "__main__":
    main()
