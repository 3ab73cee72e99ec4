#include "attend/models/stack_input.h"

#include <vector>

#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"

namespace attend {

StackInput::StackInput(ParameterSet& parameters, const std::string& prefix,
                       const StackConfig& config, int token_types)
    : scale_(config.scale_of_embeddings()),
      dropout_(config.dropout),
      positions_(parameters, prefix + "positions",
                 {config.positions, config.d_model, config.max_positions, config.first_position}) {
  if (config.norm_embedding)
    norm_.emplace(parameters, prefix + "norm", config.d_model, config.norm);
  if (token_types > 0)
    types_ = parameters.add(prefix + "token_types.weight", {token_types, config.d_model},
                            {Init::Kind::normal, 0.02f});
}

Variable StackInput::sum(const Parameter& table, const Ids& ids, const Positions& positions,
                         const Dropout& drop) const {
  if (!types_) return embedding(*table, ids, scale_, positions, drop);
  const Ids first_type = std::vector<std::int32_t>(static_cast<std::size_t>(ids.size()), 0);
  return dropout(add(embedding(*table, ids, scale_, positions), gather_rows(*types_, first_type)),
                 drop);
}

Variable StackInput::embed(const Parameter& table, const Ids& ids, const Positions& positions,
                           Pass& pass) const {
  const Dropout drop = pass.dropout(dropout_);
  if (!norm_) return sum(table, ids, positions, drop);
  return dropout(norm_->forward(sum(table, ids, positions, {})), drop);
}

Variable StackInput::whole(const Parameter& table, const Ragged& text, Pass& pass) const {
  return embed(table, text.ids, positions_.of(*text.offsets), pass);
}

Variable StackInput::step(const Parameter& table, const Ids& ids, const Ids& positions,
                          Pass& pass) const {
  return embed(table, ids, positions_.at(positions), pass);
}

}  // namespace attend
