// The input of a stack of Transformer layers.
#pragma once

#include <optional>
#include <string>

#include "attend/models/stack/stack_config.h"
#include "attend/nn/layers.h"
#include "attend/nn/positional_encoding.h"
#include "attend/nn/ragged.h"

namespace attend {

// dropout(norm(scale * table[ids] + positions + type)) (Vaswani et al. 2017, sections 3.4 and 3.5).
// The normalization and the types of the tokens are optional (Devlin et al. 2019), and so is a
// linear layer behind it all, from narrower embeddings to the width of the stack (Lan et al. 2020),
// or one without a bias behind the embeddings alone (Zhang et al. 2022).
class StackInput {
 public:
  enum class Projects { sum, tokens };
  // What some encoders know of tokens.
  struct TokenOptions {
    int types = 0;
    std::int32_t uncounted = -1;  // see PositionOptions
    int width = 0;                // of the embeddings, if a linear layer makes D of them
    Projects projects = Projects::sum;
  };
  struct Names {
    std::string stack;   // that it is the input of: "encoder"
    std::string prefix;  // of its parameters
  };
  // Parameters <prefix>positions.weight of learned positions, <prefix>norm of the normalization,
  // <prefix>token_types.weight [types, D] unless that is 0, <prefix>embedding_projection of
  // embeddings of another width E, which all of these then have in place of D if it projects sums.
  StackInput(ParameterSet& parameters, const Names& names, const StackConfig& config,
             const TokenOptions& tokens);
  StackInput(ParameterSet& parameters, const Names& names, const StackConfig& config)
      : StackInput(parameters, names, config, TokenOptions{}) {}

  // All tokens of a ragged batch -> [N, D]. `types`: their rows in the table of types, N or none:
  // the first for all. Throws ShapeError for another number of them.
  Variable whole(const Parameter& table, const Ragged& text, Pass& pass,
                 const Ids& types = {}) const;
  // One token of each of N sequences, at these positions -> [N, D]. Throws DataError past learned
  // ones.
  Variable step(const Parameter& table, const Ids& ids, const Ids& positions, Pass& pass) const;

 private:
  struct Tokens {
    Ids ids;
    Positions positions;
    Ids types = {};
  };
  Variable of_types(const Tokens& tokens) const;
  // The embeddings alone, as wide as what is added to them.
  Variable of_tokens(const Parameter& table, const Tokens& tokens, const Pass& pass) const;
  Variable sum(const Parameter& table, const Tokens& tokens, const Dropout& drop,
               const Pass& pass) const;
  Variable embed(const Parameter& table, const Tokens& tokens, Pass& pass) const;
  // Keeps the parts of the sum.
  void keep_parts(const Parameter& table, const Tokens& tokens, const Pass& pass) const;
  Variable dropped(const Parameter& table, const Tokens& tokens, Pass& pass) const;

  std::string stack_;
  float scale_;
  float dropout_;
  PositionalEncoding positions_;
  std::optional<Norm> norm_;
  Parameter types_;                   // [token types, D], or undefined
  std::optional<Linear> projection_;  // [D, E]
  Projects projects_;
};

}  // namespace attend
