#!/usr/bin/env python3
"""Writes tests/golden/*.safetensors: what PyTorch computes for small cases, for the C++ tests to compare with.

    pip install torch==2.13.0 safetensors numpy
    python tools/make_goldens.py [--out tests/golden] [--only NAME]

The files are committed; the tests need neither Python nor this script. Every case draws from a generator seeded by its own name, so a new
case changes no other file. Parameters and inputs are float32 numbers; PyTorch computes in float64 and the results are rounded once: a
difference seen by a test is the rounding of the code under test alone.

Tensor names
  in.X          an input; ids, targets, lengths and offsets are i32, everything else is f32
  out.X         an output
  dout.X        the gradient given for the output X (without one, the gradients are those of out.loss)
  din.X         the gradient of the input X
  param.PATH    a parameter under the path that attend gives it, weights as [out, in]
  dparam.PATH   its gradient
Settings (heads, norm_first, activation, ...) are a JSON object in the file's metadata, under the one key "settings".

Batches are padded, [B, T, ...], with in.lengths [B] (or in.src_lengths, ...). What lies beyond a length in an input is arbitrary and must
not matter; outputs and gradients are zero there. The gradient of a k_proj.bias is zero but for rounding: adding the same number to all
scores of a query changes no softmax.

Shape letters: B sequences, T and S lengths, D width, H heads, V vocabulary.

mha_self                     in.query [B,T,D], in.lengths; out.y [B,T,D], out.weights [B,H,T,T];
                             q_proj, k_proj, v_proj, out_proj {weight, bias}
mha_self_padded              the same with unequal lengths
mha_self_causal              the same, causal
mha_self_mask                the same, plus in.mask [B,T,T], added to the scores of every head, -infinity in places (equal lengths)
mha_cross                    in.query [B,T,D], in.query_lengths, in.memory [B,S,D], in.memory_lengths
mha_cross_memory_width       the same, memory narrower than D
mha_dk_dv                    as mha_self_padded; queries and keys d_k wide per head, values d_v (composed by hand: PyTorch has no such
                             module)
mha_beta                     as mha_self_padded; scores multiplied by beta in place of 1/sqrt(d_k)
mha_grouped                  as mha_self_causal; k_proj and v_proj have key_heads heads, each for several of queries
mha_rotary_{linear,llama3}   as mha_self_causal; queries and keys turned by their positions, with stretched angles
mha_relative                 as mha_self_padded; biases by distance in T5's buckets: relative_positions.weight [buckets,H];
                             out.buckets.32 and out.buckets.8, those of the distances from -distance-3 to distance+3 of 32 buckets up to
                             128 and of the case's own
mha_relative_causal          the same, causal
mha_alibi, mha_alibi_causal  the same with ALiBi's slopes; out.slopes.4, out.slopes.12
encoder_layer_{post,pre}_{relu,gelu}
                             in.x [B,T,D], in.lengths; out.y; self_attn.*, feed_forward.linear1.*, feed_forward.linear2.*, norm1, norm2
decoder_layer_{post,pre}_{relu,gelu}
                             in.x, in.lengths, in.memory, in.memory_lengths; out.y; also cross_attn.* and norm3; causal
transformer_{post,pre}_tied  in.src [B,S], in.src_lengths, in.tgt_in, in.tgt_out [B,T], in.tgt_lengths; out.logits [B,T,V], out.loss [1];
                             embedding.weight [V,D], encoder.layers.N.*, decoder.layers.N.*, encoder.norm.* and decoder.norm.* when
                             pre-norm. Inputs are embedding * sqrt(D) + sinusoids; logits = y embedding^T; loss: label-smoothed,
                             mean over real tokens
transformer_post_untied      the same with src_embedding.weight, tgt_embedding.weight, output_proj.weight and two vocabularies
forced_prefix                transformer_pre_tied's shape; in.src, in.src_lengths, in.prefix [B,P], in.prefix_lengths; of all outputs that
                             begin with the prefix and have at most `most` more tokens, the 5 with the greatest log-probability, given
                             the prefix, by token, the prefix and the end counted: out.ids [B,5,T], out.lengths [B,5],
                             out.log_probabilities [B,5]
adam_ten_steps               transformer_post_tied's shape; one batch per step: in.src [10,B,S], in.src_lengths [10,B], ...;
                             out.losses [10], the loss before each step; param.*: before the first; Adam's settings in the metadata
muon_ten_steps               the same with Muon for the matrices inside the layers, each projection for itself, in full precision
language_model_{post,pre}    in.ids, in.targets [B,T], in.lengths; out.logits, out.loss; embedding.weight (tied), decoder.layers.N.*
                             (self_attn, feed_forward, norm1, norm2), decoder.norm.* when pre-norm
language_model_previous      the same, pre-norm, with output_proj.weight of its own, learned positions.weight [8,D] in place of sinusoids,
                             and previous.J.weight [D,D]: the scaled embedding of the token J + 1 places back, through it, is added; id 0
                             stands before the first token
inside_{pre,post}            in.src [S], in.tgt [T] of one pair, transformer_{pre,post}_tied's shape; out.logits [T,V]; of row `row`, the
                             difference of the logits `token` and `other`: out.difference [1] and its parts out.parts [P], in the order
                             of the decoder (embedding; of attention each head, then the bias; post-norm after each sublayer the bias
                             of the norm; pre-norm that of the last norm); out.parts_of_one, of the logit `token`; out.lens
                             [layers+1,V], logits if the model ended there; out.lengths, out.cosines of what each sublayer adds to
                             the stream; out.{encoder,decoder,cross}_{off,beta} [T,V], logits with heads off or sharper scores, see
                             goldens/inside.py
inside_language              the same of a decoder-only model: in.ids [T], language_model_pre's shape; no changed heads
output_temperature           in.src [S], in.tgt [T] of one pair, inside_pre's shape; words are ids from 4 on, the source ends with `end`, the
                             target begins with `begin`; out.temperatures [K], out.probabilities [K,layers+1,V] of the token after in.tgt,
                             softmax(logits / t), if the model ended after the embedding, and after each layer
sinusoids                    out.table [T,D]: sin in even columns, cos in odd ones
label_smoothing              in.logits [N,V], in.targets [N], in.smoothing [3]; out.losses.I [N] and din.logits.I (of the mean) for
                             smoothing I; in.class_weights [V], out.losses.weighted [N], din.logits.weighted
layer_norm                   in.x [N,D], weight, bias; out.y
rms_norm                     in.x [N,D], weight; out.y
gelu                         in.x [N]; out.y; exact, x * Phi(x)
gelu_tanh, swish, quick_gelu the same of these
gated_feed_forward_{swish,gelu_tanh}
                             in.x [N,D]; out.y; feed_forward.linear1, feed_forward.linear_gate, feed_forward.linear2 {weight, bias}
gru                          in.x [B,T,I], in.lengths; out.y [B,T,H]; weight_ih [3H,I], weight_hh [3H,H], bias_ih, bias_hh [3H]: gates
                             reset, update, new
gru_bidirectional            the same, out.y [B,T,2H]; forward.*, backward.*
additive_attention           in.query [B,T,D], in.memory [B,S,M], in.query_lengths, in.memory_lengths; out.y [B,T,M], out.weights [B,T,S];
                             score = v tanh(W q + U k + b): query_proj.weight, key_proj.weight, key_proj.bias, score.weight [1,A]
embedding_pooling            in.ids [N], in.offsets [B+1]; out.mean, out.max, out.first [B,D], dout.* of the same; table [V,D],
                             dparam.table.mean, dparam.table.max, dparam.table.first
"""

import argparse
import json
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

from goldens import attention, functions, inside, layers, models  # noqa: F401 (each registers its cases)
from goldens.golden import CASES, Golden


def main():
    parser = argparse.ArgumentParser(description="Write the golden files of the tests.")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "tests" / "golden")
    parser.add_argument("--only", help="a single case")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for name, function in CASES.items():
        if arguments.only in (None, name):
            golden = Golden(name)
            function(golden)
            for key, tensor in golden.tensors.items():
                assert key == "in.mask" or np.isfinite(tensor.numpy()).all(), f"{name}: {key} is not finite"
            settings = json.dumps({"source": f"PyTorch {torch.__version__}", **golden.settings}, sort_keys=True)
            save_file(golden.tensors, arguments.out / f"{name}.safetensors", {"settings": settings})


if __name__ == "__main__":
    main()