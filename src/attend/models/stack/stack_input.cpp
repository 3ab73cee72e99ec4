#include "attend/models/stack/stack_input.h"

#include <fmt/format.h>

#include <vector>

#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"

namespace attend {

namespace {

// Returns the width of all that is added before the projection.
int width_of(const StackConfig& config, const StackInput::TokenOptions& tokens) {
  const bool narrow = tokens.width > 0 && tokens.projects == StackInput::Projects::sum;
  return narrow ? tokens.width : config.d_model;
}

}  // namespace

StackInput::StackInput(ParameterSet& parameters, const Names& names, const StackConfig& config,
                       const TokenOptions& tokens)
    : stack_(names.stack),
      scale_(config.scale_of_embeddings()),
      dropout_(config.dropout),
      positions_(parameters, names.prefix + "positions",
                 {config.positions, width_of(config, tokens), config.max_positions,
                  config.first_position, tokens.uncounted}),
      projects_(tokens.projects) {
  const std::string& prefix = names.prefix;
  const int width = width_of(config, tokens);
  if (config.norm_embedding) norm_.emplace(parameters, prefix + "norm", width, config.norm);
  if (tokens.types > 0)
    types_ = parameters.add(prefix + "token_types.weight", {tokens.types, width},
                            {Init::Kind::normal, 0.02f});
  if (tokens.width > 0)
    projection_.emplace(parameters, prefix + "embedding_projection", tokens.width, config.d_model,
                        projects_ == Projects::sum);
}

Variable StackInput::of_types(const Tokens& tokens) const {
  const auto count = static_cast<std::size_t>(tokens.ids.size());
  const Ids types = tokens.types ? tokens.types : Ids(std::vector<std::int32_t>(count, 0));
  if (types.size() != tokens.ids.size())
    throw ShapeError(
        fmt::format("expected a type for each of {} tokens, got {}", count, types.size()));
  return gather_rows(*types_, types);
}

Variable StackInput::of_tokens(const Parameter& table, const Tokens& tokens,
                               const Pass& pass) const {
  const Variable x = embedding(*table, tokens.ids, scale_);
  return projection_ && projects_ == Projects::tokens ? projection_->forward(x, pass) : x;
}

Variable StackInput::sum(const Parameter& table, const Tokens& tokens, const Dropout& drop,
                         const Pass& pass) const {
  if (projection_ && projects_ == Projects::tokens) {
    const Variable x = of_tokens(table, tokens, pass);
    const auto& [rows, position] = tokens.positions;
    return dropout(rows.defined() ? add(x, gather_rows(rows, position)) : x, drop);
  }
  if (!types_) return embedding(*table, tokens.ids, scale_, tokens.positions, drop);
  return dropout(add(embedding(*table, tokens.ids, scale_, tokens.positions), of_types(tokens)),
                 drop);
}

void StackInput::keep_parts(const Parameter& table, const Tokens& tokens, const Pass& pass) const {
  if (!pass.keeps(stack_)) return;
  pass.keep(stack_, "tokens", of_tokens(table, tokens, pass));
  if (tokens.positions.table.defined())
    pass.keep(stack_, "positions", gather_rows(tokens.positions.table, tokens.positions.position));
  if (types_) pass.keep(stack_, "types", of_types(tokens));
}

Variable StackInput::embed(const Parameter& table, const Tokens& tokens, Pass& pass) const {
  const Variable x = dropped(table, tokens, pass);
  return projection_ && projects_ == Projects::sum ? projection_->forward(x, pass) : x;
}

Variable StackInput::dropped(const Parameter& table, const Tokens& tokens, Pass& pass) const {
  const Dropout drop = pass.dropout(dropout_);
  if (!norm_) return sum(table, tokens, drop, pass);
  return dropout(norm_->forward(sum(table, tokens, {}, pass)), drop);
}

Variable StackInput::whole(const Parameter& table, const Ragged& text, Pass& pass,
                           const Ids& types) const {
  const Tokens tokens{text.ids, positions_.of(text), types};
  keep_parts(table, tokens, pass);
  return embed(table, tokens, pass);
}

Variable StackInput::step(const Parameter& table, const Ids& ids, const Ids& positions,
                          Pass& pass) const {
  return embed(table, {ids, positions_.at(positions)}, pass);
}

}  // namespace attend
