#!/usr/bin/env python3
"""Small models of other makers with random weights, for the tests of import: tests/interchange/data/models/*.

    python tools/make_import_fixtures.py [FAMILY ...]

Each is a model directory as transformers writes it, with golden.safetensors (tools/golden_of_huggingface.py) and training.safetensors
(tools/golden_of_training.py) beside it. Weights have a
standard deviation of 0.15, biases and normalizations are random, too: a small error shows. Needs torch, transformers, sentencepiece.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import jina_bert as jina_bert_reference
import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file

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


def marian(folder, separate=False, **options):
    src = spm(folder, "source", "en", 70, bos_id=-1, eos_id=0, unk_id=1)
    tgt = spm(folder, "target", "de", 70, bos_id=-1, eos_id=0, unk_id=1)
    special = ["</s>", "<unk>"]

    def ids(pieces):
        return {piece: i for i, piece in enumerate([*special, *sorted(set(pieces) - set(special)), "<pad>"])}

    vocabularies = [ids(src), ids(tgt)] if separate else [ids(src + tgt)]
    (folder / "vocab.json").write_text(json.dumps(vocabularies[0], ensure_ascii=False))
    if separate:
        (folder / "target_vocab.json").write_text(json.dumps(vocabularies[1], ensure_ascii=False))
    pad = vocabularies[-1]["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=len(vocabularies[0]), decoder_vocab_size=len(vocabularies[-1]), d_model=16, encoder_layers=2, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24, max_position_embeddings=64,
        activation_function="swish", scale_embedding=True, share_encoder_decoder_embeddings=not separate, pad_token_id=pad, eos_token_id=0,
        bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, **options)
    model = randomize(transformers.MarianMTModel(config), 1)
    with torch.no_grad():
        model.final_logits_bias.normal_(0, 0.15, generator=torch.Generator().manual_seed(2))
        model.final_logits_bias[0, pad] = 0
        for table in {model.get_input_embeddings(), model.model.decoder.embed_tokens}:
            table.weight[pad if table is model.model.decoder.embed_tokens or not separate else vocabularies[0]["<pad>"]] = 0
    model.generation_config = transformers.GenerationConfig(
        bad_words_ids=[[pad]], num_beams=4, max_length=64, pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=0)
    model.save_pretrained(folder)
    tokenizer = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "model_max_length": 64,
                 "separate_vocabs": separate}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))


def embedding_gemma(folder):
    """Windows that look to both sides, and two linear layers."""
    gemma(folder, transformers.Gemma3TextConfig, use_bidirectional_attention=True, sliding_window=4, query_pre_attn_scalar=8,
          layer_types=["sliding_attention", "full_attention"])
    ends_with(folder, "<bos>", "<eos>")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": "PreTrainedTokenizerFast"}, indent=2) + "\n")
    transformers.AutoModel.from_pretrained(folder).save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    sentence_modules(folder, 40, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)
    names = ["Transformer", "Pooling", "Dense", "Dense", "Normalize"]
    (folder / "modules.json").write_text(json.dumps([
        {"idx": i, "name": str(i), "path": f"{i}_{name}" if i else "", "type": f"sentence_transformers.models.{name}"} for i, name in enumerate(names)]))
    generator = torch.Generator().manual_seed(14)
    for place, (rows, columns) in (("2_Dense", (24, 16)), ("3_Dense", (10, 24))):
        (folder / place).mkdir()
        (folder / place / "config.json").write_text(json.dumps(
            {"in_features": columns, "out_features": rows, "bias": False, "activation_function": "torch.nn.modules.linear.Identity"}))
        save_file({"linear.weight": 0.2 * torch.randn((rows, columns), generator=generator)}, folder / place / "model.safetensors",
                  metadata={"format": "pt"})


def byte_bpe(folder, size, special, begins=False):
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(SENTENCES["en"], vocab_size=size, min_frequency=1, special_tokens=special, show_progress=False)
    if begins:
        tokenizer._tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single=f"{special[0]} $A", special_tokens=[(special[0], 0)])
    wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, eos_token=special[-1], bos_token=special[0])
    wrapped.save_pretrained(folder)
    return tokenizer.get_vocab_size()


def gpt2(folder):
    size = byte_bpe(folder, 262, ["<|endoftext|>"])
    config = transformers.GPT2Config(vocab_size=size, n_positions=96, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    model = randomize(transformers.GPT2LMHeadModel(config), 3)
    model.save_pretrained(folder)


def llama(folder, config, pad_token=None, **options):
    size = byte_bpe(folder, 262, ["<|begin|>", "<|end|>"], begins=True)
    if pad_token:
        transformers.AutoTokenizer.from_pretrained(folder, pad_token=pad_token).save_pretrained(folder)
    config = config(vocab_size=size, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                    max_position_embeddings=96, bos_token_id=0, eos_token_id=1, pad_token_id=None, **options)
    randomize(transformers.AutoModelForCausalLM.from_config(config), 4).save_pretrained(folder)


def ends_with(folder, before, after):
    """The tokens that the tokenizer puts around a text."""
    path = folder / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    marks = [piece for piece in (before, after) if piece]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=" ".join([*([before] if before else []), "$A", after]), special_tokens=[(piece, tokenizer.token_to_id(piece)) for piece in marks])
    tokenizer.save(str(path))


def decoder_sentences(folder, kind, before, after, prefix, **options):
    """The last token of a text, which is another one than the language model ends with. Names of weights begin with `prefix`."""
    llama(folder, kind, pad_token="<|end|>", **options)
    ends_with(folder, before, after)
    model = transformers.AutoModel.from_pretrained(folder)
    model.save_pretrained(folder)
    if prefix:
        tensors = load_file(folder / "model.safetensors")
        save_file({prefix + name: tensor for name, tensor in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    sentence_modules(folder, 24, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=False, pooling_mode_lasttoken=True, include_prompt=True)
    (folder / "config_sentence_transformers.json").write_text(json.dumps(
        {"__version__": {"sentence_transformers": "2.7.0"}, "prompts": {"query": "Instruct: find\nQuery:", "document": ""}, "default_prompt_name": None,
         "similarity_fn_name": "cosine"}))


def decoder(folder, config, **options):
    """One whose class has other names of settings, or heads wide enough to be rotated in part."""
    size = byte_bpe(folder, 262, ["<|begin|>", "<|end|>"], begins=True)
    config = config(vocab_size=size, bos_token_id=0, eos_token_id=1, **options)
    randomize(transformers.AutoModelForCausalLM.from_config(config), 7).save_pretrained(folder)


SIZES = dict(hidden_size=32, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=96, pad_token_id=None)


FALCON = {key: value for key, value in SIZES.items() if key != "intermediate_size"}


def rotated(share, theta=500.0, **scaling):
    return {"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": share, **scaling}


def gemma_tokenizer(folder):
    spm(folder, "tokenizer", "en", 350, model_type="bpe", pad_id=0, eos_id=1, bos_id=2, unk_id=3, byte_fallback=True, split_digits=True,
        bos_piece="<bos>", eos_piece="<eos>", user_defined_symbols=["<start_of_turn>", "<end_of_turn>", "\n", "\n\n", "▁▁", "▁▁▁"], add_dummy_prefix=False,
        allow_whitespace_only_pieces=True, remove_extra_whitespaces=False)
    (folder / "tokenizer.spm").rename(folder / "tokenizer.model")
    tokenizer = transformers.GemmaTokenizer.from_pretrained(folder, add_bos_token=True)
    tokenizer.chat_template = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}{% set role = 'model' %}"
                               "{% else %}{% set role = message['role'] %}{% endif %}"
                               "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
                               "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}")
    tokenizer.save_pretrained(folder)
    (folder / "tokenizer.model").unlink()
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    for place in ("vocab_file", "is_local", "local_files_only", "extra_special_tokens"):
        settings.pop(place, None)
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    return len(tokenizer)


def without_one(model):
    """Gains as Gemma stores them."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "norm" in name:
                p -= 1
    return model


def gemma(folder, config, **options):
    config = config(vocab_size=gemma_tokenizer(folder), hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
                    num_key_value_heads=2, head_dim=8, max_position_embeddings=96, **options)
    without_one(randomize(transformers.AutoModelForCausalLM.from_config(config), 6)).save_pretrained(folder)


def pretrained(tokenizer, folder, **special):
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return tokenizer.get_vocab_size()


def around(tokenizer, cls, sep, pairs=False):
    pair = {"pair": f"{cls} $A {sep} $B:1 {sep}:1"} if pairs else {}
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{cls} $A {sep}", special_tokens=[(piece, tokenizer.token_to_id(piece)) for piece in (cls, sep)], **pair)
    return tokenizer


def wordpiece(folder, pairs=False, **options):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = tokenizers.BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(SENTENCES["en"], vocab_size=140, min_frequency=1, special_tokens=special, show_progress=False)
    return pretrained(around(tokenizer._tokenizer, "[CLS]", "[SEP]", pairs), folder, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
                      sep_token="[SEP]", mask_token="[MASK]", **options)


def roberta_bpe(folder, **options):
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(SENTENCES["en"], vocab_size=266, min_frequency=1, special_tokens=special, show_progress=False)
    tokenizer._tokenizer.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    if options.get("add_prefix_space"):
        tokenizer._tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    return pretrained(tokenizer._tokenizer, folder, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", cls_token="<s>",
                      sep_token="</s>", mask_token="<mask>", **options)


def fairseq_spm(folder):
    """The SentencePiece model of XLM-R, and the tokenizer that transformers makes of it."""
    pieces = spm(folder, "sentencepiece.bpe", "en", 80, unk_id=0, bos_id=1, eos_id=2)
    (folder / "sentencepiece.bpe.spm").rename(folder / "sentencepiece.bpe.model")
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    scores = [(piece, model.get_score(i)) for i, piece in enumerate(pieces)][3:]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(
        [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scores, ("<mask>", 0.0)], unk_id=3))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.WhitespaceSplit(), tokenizers.pre_tokenizers.Metaspace()])
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    return pretrained(around(tokenizer, "<s>", "</s>"), folder, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
                      cls_token="<s>", sep_token="</s>", mask_token="<mask>")


def encoder(folder, kind, config, size, seed, **options):
    """A model of one of the classes that transformers has for an encoder."""
    if config is transformers.DistilBertConfig:
        shape = dict(dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=40)
    else:
        shape = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, max_position_embeddings=40)
    model = randomize(getattr(transformers, kind)(config(vocab_size=size, **{**shape, **options})), seed)
    model.save_pretrained(folder)


LABELS = {0: "negative", 1: "neutral", 2: "positive"}
TAGS = {0: "O", 1: "B-WHO", 2: "I-WHO", 3: "B-WHERE"}


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


def bert_sentences(folder):
    encoder(folder, "BertModel", transformers.BertConfig, wordpiece(folder), 5)
    sentence_modules(folder, 10, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True, pooling_mode_max_tokens=False,
                     pooling_mode_mean_sqrt_len_tokens=False)
    (folder / "config_sentence_transformers.json").write_text(json.dumps(
        {"__version__": {"sentence_transformers": "2.0.0"}, "prompts": {"query": "man: ", "passage": ""}, "default_prompt_name": None}))


def bert_dense(folder):
    """All kinds of pooling side by side, and a linear layer."""
    encoder(folder, "BertModel", transformers.BertConfig, wordpiece(folder), 13)
    kinds = ["cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]
    sentence_modules(folder, 12, True, (10, 6 * 16), **{f"pooling_mode_{kind}": True for kind in kinds})


def bert_older(folder):
    """As the first models of BERT are kept: a masked language model, with other names for the normalizations."""
    encoder(folder, "BertForMaskedLM", transformers.BertConfig, wordpiece(folder), 6)
    tensors = load_file(folder / "model.safetensors")
    save_file({name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
               for name, tensor in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})


def xlm_roberta_sentences(folder):
    """As sentence-transformers 6 writes it, with more embeddings than tokens."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    plain = folder / "plain"
    plain.mkdir()
    size = fairseq_spm(plain)
    encoder(plain, "XLMRobertaModel", transformers.XLMRobertaConfig, size + 5, 7, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1)
    model = SentenceTransformer(modules=[Transformer(str(plain)), Pooling(16, "cls")])
    model.max_seq_length = 14
    model.save_pretrained(str(folder), create_model_card=False)
    shutil.rmtree(plain)


def xlm_roberta_classifier(folder):
    size = fairseq_spm(folder)
    encoder(folder, "XLMRobertaForSequenceClassification", transformers.XLMRobertaConfig, size, 8, type_vocab_size=1, pad_token_id=1,
            id2label={0: "yes", 1: "no"})


def xlm_roberta_tagger(folder):
    size = fairseq_spm(folder)
    encoder(folder, "XLMRobertaForTokenClassification", transformers.XLMRobertaConfig, size, 17, type_vocab_size=1, pad_token_id=1, id2label=TAGS)


def without_tokenizer_json(folder, tokenizer_class, **settings):
    """Older directories have the vocabulary alone, and the settings of its class."""
    (folder / "tokenizer.json").unlink(missing_ok=True)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_class, **settings}))


def mpnet_wordpiece(folder, bare=False):
    special = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]
    trained = tokenizers.BertWordPieceTokenizer(lowercase=True, unk_token="[UNK]")
    trained.train_from_iterator(SENTENCES["en"], vocab_size=140, min_frequency=1, special_tokens=special, show_progress=False)
    vocabulary = trained.get_vocab()
    transformers.MPNetTokenizer(vocab=vocabulary).save_pretrained(folder)
    if bare:
        (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in sorted(vocabulary, key=vocabulary.get)))
        without_tokenizer_json(folder, "MPNetTokenizer", do_lower_case=True, strip_accents=None)
    return len(vocabulary)


def mpnet(folder, kind, seed, bare=False, **options):
    encoder(folder, kind, transformers.MPNetConfig, mpnet_wordpiece(folder, bare), seed, layer_norm_eps=1e-5, **options)


def mpnet_sentences(folder):
    mpnet(folder, "MPNetModel", 20)
    sentence_modules(folder, 12, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True, pooling_mode_max_tokens=False,
                     pooling_mode_mean_sqrt_len_tokens=False)


def typed_wordpiece(folder):
    return wordpiece(folder, pairs=True, model_input_names=["input_ids", "token_type_ids", "attention_mask"])


def electra(folder, kind, seed, **options):
    encoder(folder, kind, transformers.ElectraConfig, typed_wordpiece(folder), seed, **{"embedding_size": 12, **options})


def camembert_spm(folder):
    """The SentencePiece model of CamemBERT; its tokenizer has four pieces before those of the model, the last of which is another <unk>."""
    spm(folder, "sentencepiece.bpe", "en", 80, unk_id=0, bos_id=1, eos_id=2)
    (folder / "sentencepiece.bpe.spm").rename(folder / "sentencepiece.bpe.model")
    without_tokenizer_json(folder, "CamembertTokenizer")
    return len(transformers.AutoTokenizer.from_pretrained(folder))


def camembert(folder, kind, seed, **options):
    (folder / "config.json").write_text(json.dumps({"model_type": "camembert"}))
    encoder(folder, kind, transformers.CamembertConfig, camembert_spm(folder), seed, pad_token_id=1, type_vocab_size=1, **options)


def albert(folder, kind, seed, with_json=False, settings=None, **options):
    """A SentencePiece model, or the tokenizer.json that transformers makes of it."""
    spm(folder, "spiece", "en", 80, pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]"], user_defined_symbols=["[MASK]"])
    (folder / "spiece.spm").rename(folder / "spiece.model")
    (folder / "config.json").write_text(json.dumps({"model_type": "albert"}))
    without_tokenizer_json(folder, "AlbertTokenizer", **(settings or {}))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if with_json:
        (folder / "spiece.model").unlink()
        tokenizer.save_pretrained(folder)
    encoder(folder, kind, transformers.AlbertConfig, len(tokenizer), seed, **{"embedding_size": 8, "num_hidden_layers": 3, "num_hidden_groups": 1,
                                                                             **options})


def camembert_sentences(folder):
    camembert(folder, "CamembertModel", 26)
    sentence_modules(folder, 14, False, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)


def albert_sentences(folder):
    """Two groups of layers."""
    albert(folder, "AlbertModel", 29, with_json=True, num_hidden_layers=3, num_hidden_groups=2)
    sentence_modules(folder, 13, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)


def nomic_bert(folder, kind, seed, **options):
    encoder(folder, kind, transformers.NomicBertConfig, typed_wordpiece(folder), seed, **options)


def nomic_bert_sentences(folder):
    nomic_bert(folder, "NomicBertModel", 32)
    sentence_modules(folder, 64, False, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)


def deberta(folder, kind, seed, **options):
    """Few buckets, so that the texts have distances in all of them."""
    spm(folder, "spm", "en", 80, pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]",
        unk_piece="[UNK]")
    (folder / "spm.spm").rename(folder / "spm.model")
    (folder / "config.json").write_text(json.dumps({"model_type": "deberta-v2"}))
    without_tokenizer_json(folder, "DebertaV2Tokenizer", do_lower_case=False)
    size = len(transformers.AutoTokenizer.from_pretrained(folder))
    encoder(folder, kind, transformers.DebertaV2Config, size, seed, **{
        "relative_attention": True, "position_buckets": 6, "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p",
        "position_biased_input": False, "type_vocab_size": 0, "max_position_embeddings": 60, **options})


def deberta_sentences(folder):
    deberta(folder, "DebertaV2Model", 35, position_biased_input=True, type_vocab_size=2)
    sentence_modules(folder, 50, False, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)


def modernbert(folder, kind, seed, add_prefix_space=False, **options):
    """Windows that are shorter than the texts, and as many global layers as local ones."""
    tokenizer = tokenizers.ByteLevelBPETokenizer(add_prefix_space=add_prefix_space)
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    tokenizer.train_from_iterator(SENTENCES["en"], vocab_size=280, min_frequency=1, special_tokens=special, show_progress=False)
    tokenizer._tokenizer.normalizer = tokenizers.normalizers.NFC()
    pretrained(around(tokenizer._tokenizer, "[CLS]", "[SEP]", pairs=True), folder, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]",
               unk_token="[UNK]", mask_token="[MASK]")
    encoder(folder, kind, transformers.ModernBertConfig, tokenizer.get_vocab_size(), seed, **{
        "num_hidden_layers": 3, "local_attention": 6, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "pad_token_id": 3, "cls_token_id": 1, "sep_token_id": 2, "bos_token_id": 1, "eos_token_id": 2, **options})


def modernbert_sentences(folder):
    modernbert(folder, "ModernBertModel", 41)
    sentence_modules(folder, 40, False, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)


def gte(folder, kind, seed, **options):
    encoder(folder, kind, transformers.GteConfig, typed_wordpiece(folder), seed, pad_token_id=0, **options)


def gte_sentences(folder):
    gte(folder, "GteModel", 44)
    sentence_modules(folder, 40, True, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)


def jina_bert(folder):
    """With six heads, whose slopes are no powers of one number."""
    size = typed_wordpiece(folder)
    jina_bert_reference.write_random(folder, {
        "architectures": ["JinaBertModel"], "model_type": "bert", "auto_map": {"AutoModel": "a/b--modeling_bert.JinaBertModel"},
        "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6, "intermediate_size": 32, "feed_forward_type": "geglu", "hidden_act": "gelu",
        "position_embedding_type": "alibi", "emb_pooler": "mean", "attn_implementation": None, "max_position_embeddings": 64, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0, "vocab_size": size}, 47)


FAMILIES = {
    "gte_sentences": gte_sentences,
    "gte_classifier": lambda folder: gte(folder, "GteForSequenceClassification", 45, id2label=LABELS, type_vocab_size=2),
    "gte_tagger": lambda folder: gte(folder, "GteForTokenClassification", 46, id2label=TAGS, rope_parameters={
        "rope_type": "linear", "rope_theta": 50.0, "factor": 2.0}),
    "gte_authors": lambda folder: gte(folder, "GteForSequenceClassification", 48, id2label=LABELS),
    "jina_bert": jina_bert,
    "modernbert_sentences": modernbert_sentences,
    "modernbert_classifier": lambda folder: modernbert(folder, "ModernBertForSequenceClassification", 42, id2label=LABELS, layer_types=None,
                                                       classifier_pooling="mean", norm_bias=True, attention_bias=True, mlp_bias=True),
    "modernbert_tagger": lambda folder: modernbert(folder, "ModernBertForTokenClassification", 43, add_prefix_space=True, id2label=TAGS, classifier_bias=True),
    "nomic_bert_sentences": nomic_bert_sentences,
    "nomic_bert_classifier": lambda folder: nomic_bert(folder, "NomicBertForSequenceClassification", 33, id2label=LABELS, head_dim=6),
    "nomic_bert_tagger": lambda folder: nomic_bert(folder, "NomicBertForTokenClassification", 34, id2label=TAGS),
    "deberta_sentences": deberta_sentences,
    "deberta_classifier": lambda folder: deberta(folder, "DebertaV2ForSequenceClassification", 36, id2label=LABELS),
    "deberta_tagger": lambda folder: deberta(folder, "DebertaV2ForTokenClassification", 37, id2label=TAGS, num_hidden_layers=3),
    "mpnet_sentences": mpnet_sentences,
    "mpnet_classifier": lambda folder: mpnet(folder, "MPNetForSequenceClassification", 21, bare=True, id2label=LABELS),
    "mpnet_tagger": lambda folder: mpnet(folder, "MPNetForTokenClassification", 22, id2label=TAGS, max_position_embeddings=64),
    "electra_encoder": lambda folder: electra(folder, "ElectraForPreTraining", 23),
    "electra_classifier": lambda folder: electra(folder, "ElectraForSequenceClassification", 24, id2label=LABELS),
    "electra_tagger": lambda folder: electra(folder, "ElectraForTokenClassification", 25, embedding_size=16, id2label=TAGS),
    "camembert_sentences": camembert_sentences,
    "camembert_classifier": lambda folder: camembert(folder, "CamembertForSequenceClassification", 27, id2label=LABELS),
    "camembert_tagger": lambda folder: camembert(folder, "CamembertForTokenClassification", 28, id2label=TAGS),
    "albert_sentences": albert_sentences,
    "albert_classifier": lambda folder: albert(folder, "AlbertForSequenceClassification", 30, id2label=LABELS),
    "albert_tagger": lambda folder: albert(folder, "AlbertForTokenClassification", 31, settings={"do_lower_case": False, "keep_accents": True},
                                           id2label=TAGS),
    "bert_sentences": bert_sentences,
    "bert_dense": bert_dense,
    "bert_older": bert_older,
    "bert_classifier": lambda folder: encoder(folder, "BertForSequenceClassification", transformers.BertConfig, wordpiece(folder), 9,
                                              id2label=LABELS),
    "distilbert_classifier": lambda folder: encoder(folder, "DistilBertForSequenceClassification", transformers.DistilBertConfig,
                                                    wordpiece(folder), 10, id2label=LABELS),
    "roberta_classifier": lambda folder: encoder(folder, "RobertaForSequenceClassification", transformers.RobertaConfig, roberta_bpe(folder),
                                                 11, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5, id2label=LABELS),
    "bert_regression": lambda folder: encoder(folder, "BertForSequenceClassification", transformers.BertConfig,
                                              wordpiece(folder, pairs=True, model_input_names=["input_ids", "token_type_ids", "attention_mask"]), 12, id2label={0: "similarity"}, problem_type="regression", max_position_embeddings=64),
    "roberta_multi_label": lambda folder: encoder(folder, "RobertaForSequenceClassification", transformers.RobertaConfig, roberta_bpe(folder), 13,
                                                  type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5, id2label=LABELS,
                                                  problem_type="multi_label_classification", max_position_embeddings=130),
    "bert_tagger": lambda folder: encoder(folder, "BertForTokenClassification", transformers.BertConfig, wordpiece(folder), 14, id2label=TAGS),
    "distilbert_tagger": lambda folder: encoder(folder, "DistilBertForTokenClassification", transformers.DistilBertConfig, wordpiece(folder), 15,
                                                id2label=TAGS),
    "roberta_tagger": lambda folder: encoder(folder, "RobertaForTokenClassification", transformers.RobertaConfig,
                                             roberta_bpe(folder, add_prefix_space=True), 16, type_vocab_size=1, pad_token_id=1,
                                             max_position_embeddings=64, layer_norm_eps=1e-5, id2label=TAGS),
    "xlm_roberta_sentences": xlm_roberta_sentences,
    "xlm_roberta_classifier": xlm_roberta_classifier,
    "xlm_roberta_tagger": xlm_roberta_tagger,
    "llama": lambda folder: llama(folder, transformers.LlamaConfig, rope_parameters={
        "rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 24}),
    "qwen2": lambda folder: llama(folder, transformers.Qwen2Config, tie_word_embeddings=True),
    "mistral": lambda folder: llama(folder, transformers.MistralConfig, head_dim=6, sliding_window=None, tie_word_embeddings=True),
    "mistral_window": lambda folder: llama(folder, transformers.MistralConfig, sliding_window=5),
    "qwen2_window": lambda folder: llama(folder, transformers.Qwen2Config, tie_word_embeddings=True, use_sliding_window=True, sliding_window=4,
                                         max_window_layers=1),
    "smollm3": lambda folder: llama(folder, transformers.SmolLM3Config, tie_word_embeddings=True, no_rope_layer_interval=2),
    "gemma": lambda folder: gemma(folder, transformers.GemmaConfig),
    "gemma2": lambda folder: gemma(folder, transformers.Gemma2Config, sliding_window=4, query_pre_attn_scalar=9, attn_logit_softcapping=1.5,
                                   final_logit_softcapping=2.0),
    "gemma3": lambda folder: gemma(folder, transformers.Gemma3TextConfig, sliding_window=4, query_pre_attn_scalar=8,
                                   layer_types=["sliding_attention", "full_attention"], rope_parameters={
                                       "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0},
                                       "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}),
    "qwen3": lambda folder: llama(folder, transformers.Qwen3Config, head_dim=8, tie_word_embeddings=True, rope_parameters={
        "rope_type": "yarn", "rope_theta": 100.0, "factor": 4.0, "original_max_position_embeddings": 24, "beta_slow": 0.25}),
    "mixtral": lambda folder: llama(folder, transformers.MixtralConfig, num_local_experts=4, router_aux_loss_coef=0.0),
    "qwen2_moe": lambda folder: llama(folder, transformers.Qwen2MoeConfig, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=12,
                                      shared_expert_intermediate_size=20, decoder_sparse_step=2, tie_word_embeddings=True,
                                      output_router_logits=True, router_aux_loss_coef=0.5),
    "qwen3_moe": lambda folder: llama(folder, transformers.Qwen3MoeConfig, head_dim=8, num_experts=4, num_experts_per_tok=2,
                                      moe_intermediate_size=12, norm_topk_prob=True, router_aux_loss_coef=0.0),
    "qwen3_sentences": lambda folder: decoder_sentences(folder, transformers.Qwen3Config, "", "<|begin|>", "", head_dim=8, tie_word_embeddings=True),
    "mistral_sentences": lambda folder: decoder_sentences(folder, transformers.MistralConfig, "<|begin|>", "<|end|>", "model.", sliding_window=5),
    "embedding_gemma_sentences": embedding_gemma,
    "phi3": lambda folder: decoder(folder, transformers.Phi3Config, **SIZES, num_key_value_heads=2, sliding_window=9),
    "phi4_mini": lambda folder: decoder(
        folder, transformers.Phi3Config, **SIZES, num_key_value_heads=1, tie_word_embeddings=True, original_max_position_embeddings=64,
        rope_parameters=rotated(0.75, rope_type="longrope", short_factor=[1.0, 1.25, 1.5], long_factor=[1.5, 4.0, 9.0])),
    "olmo2": lambda folder: llama(folder, transformers.Olmo2Config, rope_parameters={"rope_type": "default", "rope_theta": 500.0}),
    "gpt_neox": lambda folder: decoder(folder, transformers.GPTNeoXConfig, **SIZES, rope_parameters=rotated(0.5)),
    "stablelm": lambda folder: decoder(folder, transformers.StableLmConfig, **SIZES, num_key_value_heads=2, use_qkv_bias=True,
                                       rope_parameters=rotated(0.25)),
    "granite": lambda folder: llama(folder, transformers.GraniteConfig, tie_word_embeddings=True, embedding_multiplier=3.0, logits_scaling=4.0,
                                    residual_multiplier=0.375, attention_multiplier=0.25),
    "phi": lambda folder: decoder(folder, transformers.PhiConfig, **SIZES, num_key_value_heads=2, qk_layernorm=True, rope_parameters=rotated(0.5)),
    "falcon": lambda folder: decoder(folder, transformers.FalconConfig, **FALCON, ffn_hidden_size=24),
    "falcon_new": lambda folder: decoder(folder, transformers.FalconConfig, **FALCON, new_decoder_architecture=True, num_kv_heads=2, bias=True),
    "gptj": lambda folder: decoder(folder, transformers.GPTJConfig, n_positions=96, n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_inner=24),
    "cohere": lambda folder: decoder(folder, transformers.CohereConfig, **SIZES, num_key_value_heads=2, logit_scale=0.5),
    "mpt": lambda folder: decoder(folder, transformers.MptConfig, d_model=24, n_heads=3, n_layers=2, max_seq_len=96),
    "gpt2": gpt2,
    "marian": lambda folder: marian(folder),
    "marian_separate": lambda folder: marian(folder, separate=True, tie_word_embeddings=False),
}


PAIRS = ["bert_regression", "roberta_multi_label"]  # whose texts are pairs
NOT_TRAINED = ["jina_bert", "gte_authors", "bert_older", "electra_encoder", "camembert_classifier", "camembert_tagger", "xlm_roberta_classifier", "xlm_roberta_tagger"]  # whose gradients are not recorded, since others have the same layers


def as_authors_have_it(folder):
    """GTE by the names of the program that came with it."""
    tensors = load_file(folder / "model.safetensors")
    save_file({name.replace("gte.", "new."): tensor for name, tensor in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    rotary = config.pop("rope_parameters")
    config.update(model_type="new", architectures=["NewForSequenceClassification"], rope_theta=rotary["rope_theta"], position_embedding_type="rope",
                  layer_norm_type="layer_norm", logn_attention_scale=False, logn_attention_clip1=False, pack_qkv=True, rope_scaling=None,
                  unpad_inputs=False, use_memory_efficient_attention=False, auto_map={"AutoModel": "a/b--modeling.NewModel"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def main():
    for name in sys.argv[1:] or FAMILIES:
        folder = DATA / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        FAMILIES[name](folder)
        # Texts whose unknown characters are in no vocabulary: transformers looks those of a joint one up although the source's model lacks them.
        texts = folder / "texts"
        lines = [*(s[:12] for s in SENTENCES["en"]), "Où est la bibliothèque ?", "x"]
        if name in PAIRS:
            lines = [f"{line}\t{other}" for line, other in zip(lines, reversed(lines))]
        texts.write_text("\n".join(lines) + "\n")
        subprocess.run([sys.executable, ROOT / "tools/golden_of_huggingface.py", folder, folder / "golden.safetensors", texts, "8"], check=True)
        texts.unlink()
        if (folder / "sentencepiece.bpe.model").exists() and (folder / "tokenizer.json").exists():  # older directories have no tokenizer.json
            (folder / "tokenizer.json").unlink()
            settings = json.loads((folder / "tokenizer_config.json").read_text())
            del settings["backend"]
            (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": "XLMRobertaTokenizer"}, indent=2))
        if name not in NOT_TRAINED:
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", folder, folder / "training.safetensors"], check=True)
        if name == "gte_authors":
            as_authors_have_it(folder)
        if name == "bert_classifier":
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", "--lora=2", folder, folder / "adapters.safetensors"], check=True)
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", "--steps=10", folder, folder / "steps.safetensors"], check=True)
        print(name, sum(f.stat().st_size for f in folder.rglob("*")), "bytes")


if __name__ == "__main__":
    main()
