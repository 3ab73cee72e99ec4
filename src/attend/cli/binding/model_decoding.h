// Options that are not given take the model's defaults, not the library's.
#pragma once

#include <fmt/format.h>

#include "attend/cli/binding/options_binding.h"
#include "attend/error.h"
#include "attend/tasks/language/model.h"

namespace attend {

// The cache of a language model. Throws ConfigError for cache options without a cache.
inline void use_model_cache(const LanguageModel& model, const OptionBinding& binding,
                            ContinuousCacheOptions& cache) {
  binding.use_defaults(model.cache, cache);
  for (const char* name : {"cache-weight", "cache-beta"})
    if (!cache.used() && binding.is_set(name))
      throw ConfigError(fmt::format(
          "--{}: expected --cache-tokens, as the model was made without a cache; got none", name));
}

}  // namespace attend
