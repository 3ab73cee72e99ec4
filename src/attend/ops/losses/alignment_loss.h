// The loss of attention that learns word alignments (Chen et al. 2016, "Guided Alignment Training
// for Topic-Aware Neural Machine Translation"; Garg et al. 2019).
#pragma once

#include <cstdint>
#include <span>

#include "attend/autograd/variable.h"

namespace attend {

// -factor sum_i log weights[places[i]] -> [1].  weights [P]: those of the pairs of a query and a
// key; places: the pairs that are linked. Throws ShapeError for a place outside the weights.
Variable alignment_loss(const Variable& weights, std::span<const std::int64_t> places,
                        float factor);

// y, with a loss [1] whose gradient joins those that reach y in backward(): for what a part of a
// network learns beside the loss of the whole. Throws ShapeError for a loss of another shape.
Variable beside_loss(const Variable& y, const Variable& loss);

}  // namespace attend
