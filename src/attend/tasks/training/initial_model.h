// Training that starts from another model instead of random weights (--init-from): the vocabulary
// and the architecture are that model's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/option_fields.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/text/tokenizer.h"

namespace attend {

// Whether the user has set an option, by its name in kebab-case.
using IsSet = std::function<bool(const std::string& name)>;

// Models that another one learns from.
using Teachers = std::vector<std::shared_ptr<const Checkpoint>>;

// Options of the architecture that a model leaves open, by name: those of a part that it does not
// have.
using OpenOptions = std::vector<std::string_view>;

// Throws DataError for a model in fewer than 32 bits.
void require_trainable(const Checkpoint& model);

// `adopted`: the options of a task with those that a model has settled; `given`: the same before.
// Of those that differ, what only training knows (data, dropout, ...) and what is `open` stays as
// the user has set it. Throws ConfigError for the first other option of the vocabulary or the
// architecture that the user has set to something else. `source` names the model.
void settle_options(const std::vector<OptionGroup>& adopted, const std::vector<OptionGroup>& given,
                    const IsSet& is_set, const OpenOptions& open, std::string_view source);

// Makes the options of the vocabulary those of a model; what they say of texts stays.
void adopt_vocabulary(TokenizerOptions& options, const Tokenizer& tokenizer);

// The parameters of `model`, except those whose names begin with one of `fresh`, which keep their
// values. Throws DataError if one is missing or has another shape.
void copy_parameters(const Checkpoint& model, const ParameterSet& parameters,
                     const std::vector<std::string_view>& fresh = {});

}  // namespace attend
