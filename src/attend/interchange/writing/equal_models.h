// The same model in other words, for families that have no word for one of our settings. Each
// function changes the settings and the parameters of a model file together; what the model
// computes stays the same up to rounding.
#pragma once

#include <cstdint>
#include <span>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// Moves the columns of the model dimension of a translation model with interleaved sinusoids, so
// that all sines come before all cosines (sinusoidal_halves).
void separate_sines_from_cosines(Checkpoint& model);

// Gives a translation model without a bias on its logits a bias of `vocabulary` zeros.
void add_output_bias(Checkpoint& model, std::int64_t vocabulary);

// Gives tokens of the target of a translation model logits that have no share in a sum of
// exponentials; a model without a bias on its logits gets one of `vocabulary` elements.
void silence_tokens(Checkpoint& model, std::span<const std::int32_t> tokens,
                    std::int64_t vocabulary);

// Gives a translation model with sinusoids tables of the first `length` positions, as if they were
// learned.
void tabulate_positions_of_pairs(Checkpoint& model, std::int64_t length);

// Gives a translation model whose normalization has the epsilon of Marian, 1e-6, that of MarianMT,
// 1e-5. Outputs change by about 5e-6, far more than by rounding.
void use_usual_epsilon(Checkpoint& model);

// Makes the decoder of a translation model, which has tables of positions and a bias on its logits,
// begin with zeros for an embedding. The embedding of `start` becomes part of the first position of
// the target, which always holds this piece; then it moves to the id `place` of the target's
// vocabulary, and its logit has no share in a sum of exponentials. The pieces between change their
// ids.
void begin_with_zeros(Checkpoint& model, std::int64_t start, std::int64_t place);

// Gives a translation model with two vocabularies one more piece of the source, which is in no
// text.
void add_source_piece(Checkpoint& model);

// Gives a language model embeddings that need no factor. A table that is the output projection,
// too, becomes two.
void multiply_embeddings(Checkpoint& model);

// Gives a language model with sinusoids or without positions a table of the first `length`
// positions, as if they were learned.
void tabulate_positions(Checkpoint& model, std::int64_t length);

// Gives a language model, all of whose layers have experts, the width of these as d-ff.
void use_one_width(Checkpoint& model);
// Gives a language model with experts as wide as d-ff a width of experts.
void use_width_of_experts(Checkpoint& model);

}  // namespace attend
