"""What is changed of fixtures, and VARIANTS, the changes that each of them gets."""

import json

import torch
import transformers
from safetensors.torch import load_file

T5 = ["t5", "flan_t5", "mt5", "umt5", "longt5"]
BART = ["marian", "bart", "bart_widths", "pegasus", "m2m_100", "nllb", "mbart", "mbart50"]
WINDOWS = ["mistral_window", "qwen2_window", "smollm3", "gemma", "gemma2", "gemma3"]
LAYERS = ["phi3", "phi4_mini", "olmo2", "gpt_neox", "stablelm", "granite", "phi", "falcon", "falcon_new", "gptj", "cohere", "mpt"]
MIXTURES = ["mixtral", "qwen2_moe", "qwen3_moe"]
LANGUAGE_MODELS = [*LAYERS, *MIXTURES, "gpt2", "llama", "mistral", "qwen2", "qwen3", "opt", "opt_post_norm", "opt_narrow", "bloom", *WINDOWS]


# An output of its own, whatever the settings say.
def own_output(variant):
    variant.config(tie_word_embeddings=True)
    variant.weights["lm_head.weight"] = variant.table(variant.shared, 1)


def untied_output(variant):
    variant.config(tie_word_embeddings=False)
    own = variant.table(variant.shared, 2)
    table = variant.weights[variant.shared]
    prefix = "model." if variant.shared.startswith("model.") else ""
    if variant.name in BART:
        for side in ("encoder", "decoder"):
            variant.weights[f"{prefix}{side}.embed_tokens.weight"] = table
    variant.weights["lm_head.weight"] = own


def same_output(variant):
    variant.weights["lm_head.weight"] = variant.weights[variant.shared]
    if variant.name not in T5:
        variant.config(tie_word_embeddings=True)


def own_decoder_table(variant):
    prefix = "model." if variant.shared.startswith("model.") else ""
    variant.weights[f"{prefix}decoder.embed_tokens.weight"] = variant.table(variant.shared, 3)


def own_encoder_table(variant):
    prefix = "model." if variant.shared.startswith("model.") else ""
    variant.weights[f"{prefix}encoder.embed_tokens.weight"] = variant.table(variant.shared, 4)


def tables_but_no_shared_one(variant):
    prefix = "model." if variant.shared.startswith("model.") else ""
    table = variant.weights.pop(variant.shared)
    for side in ("encoder", "decoder"):
        variant.weights[f"{prefix}{side}.embed_tokens.weight"] = table


def other_start(variant):
    variant.generation(decoder_start_token_id=7)


def other_start_in_config(variant):
    variant.config(decoder_start_token_id=9)


def forced_first(variant):
    variant.generation(forced_bos_token_id=11)


def forced_first_in_config(variant):
    variant.config(forced_bos_token_id=12)


def ends(*ids):
    def change(variant):
        end = variant.setting("eos_token_id")
        variant.generation(eos_token_id=[end if isinstance(end, int) else end[0], *ids])
    change.__name__ = "ends_" + "_".join(map(str, ids))
    return change


def ends_without_its_own(variant):
    variant.generation(eos_token_id=[20, 21, 22, 23, 24, 25])


def another_end(variant):
    variant.generation(eos_token_id=30)


def no_settings_of_generation(variant):
    (variant.folder / "generation_config.json").unlink(missing_ok=True)


def repetition_penalty(variant):
    variant.generation(repetition_penalty=1.7)


def suppressed(variant):
    variant.generation(suppress_tokens=[5, 6, 7, 8, 9, 10, 11, 12])


def suppressed_first(variant):
    variant.generation(begin_suppress_tokens=[5, 6, 7, 8, 9, 10, 11, 12])


def bad_words(variant):
    variant.generation(bad_words_ids=[[20], [21], [22], [30], [31]])


def no_repeats(variant):
    variant.generation(no_repeat_ngram_size=2)


def min_length(variant):
    variant.generation(min_length=6)


def min_new_tokens(variant):
    variant.generation(min_new_tokens=6)


def scale_decoder_outputs(variant):
    variant.config(scale_decoder_outputs=True)


def scales_no_outputs(variant):
    variant.config(scale_decoder_outputs=False)


def scales_no_outputs_and_ties(variant):
    variant.config(scale_decoder_outputs=False, tie_word_embeddings=True)


def window(tokens):
    def change(variant):
        variant.config(sliding_window=tokens)
    change.__name__ = f"window_of_{tokens}"
    return change


def two_kinds(variant):
    variant.config(layer_types=["full_attention", "sliding_attention"])


def all_local(variant):
    variant.config(layer_types=["sliding_attention", "sliding_attention"], use_sliding_window=True)


def layers_by_number(variant):
    variant.config(layer_types=None, max_window_layers=0, sliding_window_pattern=2)


def older_positions(variant):
    variant.config(rope_parameters=None, rope_theta=700.0, rope_local_base_freq=30.0, rope_scaling={"rope_type": "linear", "factor": 2.0})


def usual_positions(variant):
    variant.config(rope_parameters=None)


def caps(variant):
    variant.config(attn_logit_softcapping=2.0, final_logit_softcapping=3.0)


def cap_of_logits(variant):
    variant.config(final_logit_softcapping=3.0)


def sees_both_sides(variant):
    variant.config(use_bidirectional_attention=True)


def other_scale(variant):
    variant.config(query_pre_attn_scalar=30)


def biases(variant):
    variant.config(attention_bias=True)


def all_rotated(variant):
    variant.config(no_rope_layers=[1, 1])


def every_layer_unrotated(variant):
    variant.config(no_rope_layers=None, no_rope_layer_interval=1)


def chunks(variant):
    variant.config(layer_types=["chunked_attention", "full_attention"])


OF_WINDOWS = [window(1), window(2), window(100), two_kinds, all_local, layers_by_number, older_positions, usual_positions, caps, cap_of_logits,
              sees_both_sides, other_scale, biases, all_rotated, every_layer_unrotated,
              chunks]


def setting(key, value):
    def change(variant):
        if value is None and variant.setting(key) is None:
            raise KeyError(key)
        variant.config(**{key: value})
    change.__name__ = f"{key} {json.dumps(value)}"
    return change


def of_stack(stacks, key, value):
    """A setting of the encoder, the decoder or both, where each has an object of settings."""
    def change(variant):
        for stack in stacks:
            variant.config(**{stack: {**variant.setting(stack), key: value}})
    change.__name__ = f"{'+'.join(stacks)} {key} {json.dumps(value)}"
    return change


def decoder_ffn(width):
    """Other feed-forward networks of the decoder than of the encoder."""
    def change(variant):
        variant.config(decoder_ffn_dim=width)
        generator = torch.Generator().manual_seed(width)
        for name, tensor in variant.weights.items():
            inner = {"fc1.weight": 0, "fc1.bias": 0, "fc2.weight": 1}
            for end, dim in inner.items():
                if ".decoder." in name and name.endswith(end):
                    shape = [width if d == dim else size for d, size in enumerate(tensor.shape)]
                    variant.weights[name] = 0.15 * torch.randn(shape, generator=generator)
    change.__name__ = f"decoder_ffn_{width}"
    return change


def own_output_of_t5gemma(variant):
    variant.weights["lm_head.out_proj.weight"] = variant.table("model.decoder.embed_tokens.weight", 5)


def untied_output_of_t5gemma(variant):
    own_output_of_t5gemma(variant)
    variant.config(tie_word_embeddings=False)


def same_output_of_t5gemma(variant):
    variant.weights["lm_head.out_proj.weight"] = variant.weights["model.decoder.embed_tokens.weight"]


BOTH = ["encoder", "decoder"]
OF_T5GEMMA = [own_output_of_t5gemma, untied_output_of_t5gemma, same_output_of_t5gemma] + [
    of_stack(stacks, key, value) for stacks in ([*BOTH], ["encoder"], ["decoder"]) for key, value in (
        ("attn_logit_softcapping", None), ("attn_logit_softcapping", 0.5), ("final_logit_softcapping", None), ("final_logit_softcapping", 0.7),
        ("query_pre_attn_scalar", 3), ("sliding_window", 1), ("sliding_window", 2), ("sliding_window", 100), ("sliding_window", None),
        ("layer_types", ["full_attention"] * 2), ("layer_types", ["sliding_attention"] * 2), ("layer_types", ["full_attention", "sliding_attention"]),
        ("layer_types", None), ("rms_norm_eps", 0.01), ("attention_bias", True), ("hidden_activation", "silu"), ("head_dim", 4),
        ("num_key_value_heads", 2), ("num_attention_heads", 2), ("rope_parameters", None), ("vocab_size", 300), ("bos_token_id", 7),
        ("dropout_rate", 0.5), ("rope_parameters", {"rope_type": "linear", "rope_theta": 50.0, "factor": 4.0}))]
# Settings of encoder-decoders whose stacks may differ, and of windows and widths of others.
OF_WIDTHS = [("decoder_attention_heads", 4), ("encoder_attention_heads", 1), ("decoder_attention_heads", 3), ("decoder_attention_heads", None),
             ("decoder_ffn_dim", None)]
OF_LONGT5 = [("local_radius", 0), ("local_radius", 1), ("local_radius", 5), ("local_radius", 127), ("local_radius", None), ("global_block_size", 3),
             ("encoder_attention_type", "transient-global"), ("encoder_attention_type", None), ("relative_attention_max_distance", 20),
             ("relative_attention_num_buckets", 4), ("num_heads", 2), ("is_decoder", True)]
OF_OPT = [("_remove_final_layer_norm", True), ("_remove_final_layer_norm", False), ("do_layer_norm_before", True), ("do_layer_norm_before", False),
          ("activation_function", "gelu"), ("enable_bias", False), ("layer_norm_elementwise_affine", False), ("word_embed_proj_dim", None),
          ("num_attention_heads", 4), ("max_position_embeddings", None)]

LONG = {"rope_type": "longrope", "rope_theta": 50.0, "short_factor": [1.0, 1.5, 2.0], "long_factor": [1.5, 4.0, 9.0],
        "partial_rotary_factor": 0.75}
LINEAR = {"rope_type": "linear", "rope_theta": 50.0, "factor": 4.0}
# Settings of decoders; those that a family does not have are refused, or transformers does not heed them.
OF_DECODERS = [setting("hidden_act", name) for name in ("relu", "gelu", "gelu_new", "sigmoid")] + [
    setting("rms_norm_eps", 0.01), setting("layer_norm_eps", 0.01), setting("layer_norm_epsilon", 0.01), setting("rope_parameters", None),
    setting("rope_parameters", LINEAR), setting("rope_parameters", {**LINEAR, "partial_rotary_factor": 0.5}),
    setting("rope_parameters", {**LINEAR, "rope_type": "dynamic"}), setting("rope_parameters", LONG), setting("partial_rotary_factor", 0.25),
    setting("rope_theta", 33.0), setting("rope_scaling", {"type": "su", **LONG}), setting("attention_bias", True), setting("mlp_bias", True),
    setting("num_key_value_heads", 4), setting("use_parallel_residual", False), setting("use_parallel_residual", True)]
OF_DECODER_FAMILIES = {
    "phi3": [setting("sliding_window", None), setting("sliding_window", 3), setting("resid_pdrop", 0.5)],
    "phi4_mini": [setting("original_max_position_embeddings", 5), setting("original_max_position_embeddings", None), setting("max_position_embeddings", 32),
                  setting("rope_parameters", {**LONG, "attention_factor": 2.0}), setting("rope_parameters", {**LONG, "factor": 3.0}),
                  setting("rope_parameters", {**LONG, "short_factor": [1.0, 2.0]}), setting("rope_parameters", {**LONG, "rope_type": "yarn"})],
    "gpt_neox": [setting("rotary_pct", 0.25), setting("rotary_emb_base", 30), setting("attention_bias", False)],
    "stablelm": [setting("qk_layernorm", True), setting("use_qkv_bias", False)],
    "granite": [setting(key, 0.7) for key in ("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier")],
    "phi": [setting("qk_layernorm", False)],
    "falcon": [setting("multi_query", False), setting("parallel_attn", False), setting("alibi", True), setting("num_ln_in_parallel_attn", 2),
               setting("new_decoder_architecture", True), setting("activation", "relu"), setting("bias", True)],
    "falcon_new": [setting("num_ln_in_parallel_attn", 1), setting("multi_query", False), setting("parallel_attn", False), setting("alibi", True),
                   setting("new_decoder_architecture", False)],
    "gptj": [setting("rotary_dim", size) for size in (2, 8, 3, 10)] + [setting("n_positions", 5), setting("scale_attn_weights", False)],
    "cohere": [setting("logit_scale", 2.0), setting("use_qk_norm", True)],
    "mpt": [setting("attn_config", {key: value}) for key, value in
            (("softmax_scale", 0.5), ("clip_qkv", 1.0), ("alibi", False), ("alibi_bias_max", 4), ("qk_ln", True), ("prefix_lm", True),
             ("attn_type", "multiquery_attention"))] + [
                 setting("no_bias", False), setting("logit_scale", 2.0), setting("expansion_ratio", 2), setting("learned_pos_emb", False)],
}

def stacked_experts(variant):
    """The names and tensors that transformers has in memory."""
    model = transformers.AutoModelForCausalLM.from_pretrained(variant.folder)
    variant.weights = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    if model.config.tie_word_embeddings:
        del variant.weights["lm_head.weight"]


def made_again(experts=None, **settings):
    """A model with other sizes, whose weights are random again."""
    def change(variant):
        before = transformers.AutoConfig.from_pretrained(variant.folder).to_dict()
        count = {"num_experts" if "num_experts" in before else "num_local_experts": experts} if experts else {}
        kind = type(transformers.AutoConfig.from_pretrained(variant.folder))
        config = kind(**{**before, "layer_types": None, "output_router_logits": False, **count, **settings})
        torch.manual_seed(3)
        model = transformers.AutoModelForCausalLM.from_config(config)
        with torch.no_grad():
            for p in model.parameters():
                p.copy_(0.2 * torch.randn(p.shape) + (1 if p.dim() == 1 else 0))
        model.save_pretrained(variant.folder)
        variant.weights = load_file(variant.folder / "model.safetensors")
    change.__name__ = "made_again " + json.dumps({"experts": experts, **settings})
    return change


# Not experts of exactly equal probability: torch.topk takes any of them, others for another number of experts.
OF_MIXTURES = [stacked_experts] + [setting("num_experts_per_tok", count) for count in (1, 2, 3, 4, 5, 6)] + [
    setting("norm_topk_prob", True), setting("norm_topk_prob", False), setting("router_jitter_noise", 0.1), setting("router_aux_loss_coef", 0.7),
    setting("decoder_sparse_step", 2), setting("mlp_only_layers", [0]), setting("num_experts", 4), setting("num_local_experts", 4),
    setting("num_local_experts", 3), setting("moe_intermediate_size", 24), setting("shared_expert_intermediate_size", 24), setting("qkv_bias", False),
    setting("sliding_window", 3), setting("use_sliding_window", True), setting("max_window_layers", 1), setting("layer_types", None),
    setting("layer_types", ["sliding_attention", "full_attention"]), setting("attention_bias", True), setting("hidden_act", "gelu"),
    setting("rope_parameters", None), setting("head_dim", None), setting("num_key_value_heads", None), setting("mlp_bias", True)] + [
    made_again(**sizes) for sizes in (
        {"decoder_sparse_step": 2, "num_hidden_layers": 5}, {"decoder_sparse_step": 3, "num_hidden_layers": 4, "mlp_only_layers": [2]},
        {"mlp_only_layers": [0, 2], "num_hidden_layers": 4}, {"mlp_only_layers": [0, 1]}, {"experts": 7, "num_experts_per_tok": 7},
        {"experts": 9, "num_experts_per_tok": 3}, {"experts": 1, "num_experts_per_tok": 1}, {"experts": 12, "num_experts_per_tok": 5},
        {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1}, {"sliding_window": 2},
        {"use_sliding_window": True, "sliding_window": 3, "layer_types": ["full_attention", "sliding_attention"]},
        {"moe_intermediate_size": 40, "shared_expert_intermediate_size": 8}, {"norm_topk_prob": True, "num_experts_per_tok": 1},
        {"qkv_bias": False, "attention_bias": True}, {"hidden_act": "relu", "num_experts_per_tok": 4})]
# Settings of encoders that leave the weights as they are.
OF_ENCODERS = [setting("hidden_act", name) for name in ("relu", "gelu_new", "silu", "sigmoid")] + [
    setting("layer_norm_eps", 0.01), setting("layer_norm_eps", None), setting("num_attention_heads", 4), setting("pad_token_id", 3),
    setting("hidden_dropout_prob", 0.5)]
OF_FAMILIES = {
    "mpnet": [setting("relative_attention_num_buckets", 16), setting("position_embedding_type", "relative_key")],
    "electra": [setting("embedding_size", 8), setting("summary_type", "last"), setting("summary_use_proj", False)],
    "albert": [setting("num_hidden_layers", 5), setting("inner_group_num", 2), setting("num_hidden_groups", 2), setting("net_structure_type", 1)],
    "camembert": [setting("use_cache", False)],
    "nomic_bert": [setting("rope_parameters", {"rope_type": "default", "rope_theta": 50.0}), setting("rope_parameters", None),
                   setting("rope_parameters", {"rope_type": "linear", "rope_theta": 50.0, "factor": 4.0}), setting("rope_parameters", {
                       "rope_type": "dynamic", "rope_theta": 50.0, "factor": 4.0}), setting("head_dim", 4)],
    "gte": [setting("rope_parameters", {"rope_type": "default", "rope_theta": 50.0}), setting("rope_parameters", None), setting("rope_theta", 33.0),
            setting("rope_parameters", {"rope_type": "dynamic", "rope_theta": 50.0, "factor": 4.0}), setting("rope_scaling", {"type": "ntk", "factor": 2.0}),
            setting("type_vocab_size", 0), setting("type_vocab_size", None), setting("position_embedding_type", "absolute"),
            setting("classifier_dropout", 0.5)],
    "modernbert": [setting("hidden_activation", name) for name in ("relu", "gelu_pytorch_tanh", "silu", "sigmoid", None)] + [
        setting("local_attention", tokens) for tokens in (0, 1, 5, 200, None)] + [
        setting("norm_eps", 0.01), setting("norm_eps", None), setting("layer_types", None), setting("layer_types", ["full_attention"] * 3),
        setting("layer_types", ["sliding_attention"] * 3), setting("layer_types", ["full_attention"]), setting("rope_parameters", None),
        setting("rope_parameters", {"full_attention": {"rope_type": "default", "rope_theta": 50.0}, "sliding_attention": None}),
        setting("rope_parameters", {"full_attention": {"rope_type": "linear", "rope_theta": 50.0, "factor": 4.0},
                                    "sliding_attention": {"rope_type": "default", "rope_theta": 30.0}}),
        setting("rope_parameters", {"full_attention": {"rope_type": "default", "rope_theta": 50.0},
                                    "sliding_attention": {"rope_type": "linear", "rope_theta": 30.0, "factor": 2.0}}),
        setting("norm_bias", True), setting("attention_bias", True), setting("mlp_bias", True), setting("classifier_bias", True),
        setting("classifier_bias", False), setting("classifier_pooling", "cls"), setting("classifier_pooling", "mean"),
        setting("classifier_pooling", "max"), setting("classifier_activation", "tanh"), setting("classifier_dropout", 0.5),
        setting("embedding_dropout", 0.5), setting("mlp_dropout", 0.5), setting("attention_dropout", 0.5), setting("decoder_bias", False)],
    "deberta": [setting("pos_att_type", "c2p"), setting("pos_att_type", ["c2p", "p2c"]), setting("pos_att_type", None), setting("share_att_key", False),
                setting("norm_rel_ebd", "none"), setting("position_biased_input", False), setting("relative_attention", False),
                setting("max_relative_positions", 9), setting("max_relative_positions", 4), setting("position_buckets", 4),
                setting("position_buckets", -1), setting("conv_kernel_size", 3), setting("pooler_hidden_act", "tanh"),
                setting("pooler_dropout", 0.5), setting("embedding_size", 8), setting("attention_head_size", 4), setting("type_vocab_size", None)],
}
ENCODERS = [f"{family}_{kind}" for family in OF_FAMILIES for kind in ("sentences", "classifier", "tagger")]
ENCODERS[ENCODERS.index("electra_sentences")] = "electra_encoder"
EMBEDDERS = ["qwen3_sentences", "mistral_sentences", "embedding_gemma_sentences"]
OF_EMBEDDERS = [setting("hidden_act", "relu"), setting("hidden_activation", "relu"), setting("rms_norm_eps", 0.01), setting("num_attention_heads", 2),
                setting("num_key_value_heads", 1), setting("tie_word_embeddings", False), setting("rope_parameters", None), setting("rope_theta", 33.0),
                setting("sliding_window", None), setting("sliding_window", 7), setting("layer_types", ["full_attention"] * 2),
                setting("use_bidirectional_attention", True), setting("use_bidirectional_attention", False), setting("attn_logit_softcapping", 1.0),
                setting("final_logit_softcapping", 2.0), setting("query_pre_attn_scalar", 3), setting("attention_bias", True),
                setting("eos_token_id", 5), setting("pad_token_id", 4), setting("use_sliding_window", True)]


MANY_ENDS = ends(*range(5, 40, 2))
OF_ALL = [own_output, untied_output, same_output, no_settings_of_generation, MANY_ENDS, ends_without_its_own, another_end, repetition_penalty,
          suppressed, suppressed_first, bad_words, no_repeats, min_length, min_new_tokens]
OF_PAIRS = [own_decoder_table, own_encoder_table, tables_but_no_shared_one, other_start, other_start_in_config, forced_first, forced_first_in_config]
VARIANTS = ([(name, change) for name in T5 + BART + ["marian_separate"] for change in OF_ALL + OF_PAIRS if name != "marian_separate" or "table" not in change.__name__
             and "output" not in change.__name__] +
            [(name, change) for name in T5 for change in (scale_decoder_outputs, scales_no_outputs, scales_no_outputs_and_ties)] +
            [(name, setting(*pair)) for name in BART for pair in OF_WIDTHS] +
            [(name, decoder_ffn(width)) for name in BART for width in (8, 40)] +
            [("longt5", setting(*pair)) for pair in OF_LONGT5] +
            [("t5gemma", change) for change in OF_T5GEMMA + OF_PAIRS + OF_ALL if change not in (own_output, untied_output, same_output)] +
            [(name, setting(*pair)) for name in ("opt", "opt_post_norm", "opt_narrow") for pair in OF_OPT] +
            [(name, change) for name in LANGUAGE_MODELS for change in OF_ALL] +
             [(name, change) for name in MIXTURES for change in OF_MIXTURES] +
             [(name, change) for name in WINDOWS for change in OF_WINDOWS] +
             [(name, change) for name in LAYERS for change in OF_DECODERS + OF_DECODER_FAMILIES.get(name, [])] +
             [(name, change) for name in EMBEDDERS for change in OF_EMBEDDERS] +
             [(name, change) for name in ENCODERS for change in OF_ENCODERS + OF_FAMILIES[name.rsplit("_", 1)[0]]])
