"""Small encoders with random weights, which make_import_fixtures.py writes: embedders, classifiers and taggers."""

import json
import shutil

import jina_bert as jina_bert_reference
import sentencepiece
import tokenizers
import transformers
from fixture_parts import SENTENCES, pretrained, randomize, sentence_modules, spm
from safetensors.torch import load_file, save_file

LABELS = {0: "negative", 1: "neutral", 2: "positive"}
TAGS = {0: "O", 1: "B-WHO", 2: "I-WHO", 3: "B-WHERE"}


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


def jina_bert(folder):
    """With six heads, whose slopes are no powers of one number."""
    size = typed_wordpiece(folder)
    jina_bert_reference.write_random(folder, {
        "architectures": ["JinaBertModel"], "model_type": "bert", "auto_map": {"AutoModel": "a/b--modeling_bert.JinaBertModel"},
        "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 6, "intermediate_size": 32, "feed_forward_type": "geglu", "hidden_act": "gelu",
        "position_embedding_type": "alibi", "emb_pooler": "mean", "attn_implementation": None, "max_position_embeddings": 64, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0, "vocab_size": size}, 47)


ENCODERS = {
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
}
PAIRS = ["bert_regression", "roberta_multi_label"]  # whose texts are pairs
