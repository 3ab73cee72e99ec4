#include "attend/models/stack_input.h"

#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"

namespace attend {

StackInput::StackInput(ParameterSet& parameters, const std::string& prefix,
                       const StackConfig& config)
    : scale_(config.scale_of_embeddings()),
      dropout_(config.dropout),
      positions_(parameters, prefix + "positions",
                 {config.positions, config.d_model, config.max_positions, config.first_position}) {
  if (config.norm_embedding)
    norm_.emplace(parameters, prefix + "norm", config.d_model, config.norm);
}

Variable StackInput::embed(const Parameter& table, const Ids& ids, const Positions& positions,
                           Pass& pass) const {
  const Dropout drop = pass.dropout(dropout_);
  if (!norm_) return embedding(*table, ids, scale_, positions, drop);
  return dropout(norm_->forward(embedding(*table, ids, scale_, positions)), drop);
}

Variable StackInput::whole(const Parameter& table, const Ragged& text, Pass& pass) const {
  return embed(table, text.ids, positions_.of(*text.offsets), pass);
}

Variable StackInput::step(const Parameter& table, const Ids& ids, const Ids& positions,
                          Pass& pass) const {
  return embed(table, ids, positions_.at(positions), pass);
}

}  // namespace attend
