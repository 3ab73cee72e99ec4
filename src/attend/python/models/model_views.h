// Views of models for the classes of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "attend/api/views.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/python/keywords.h"
#include "attend/python/released.h"

namespace attend {

// Needs the GIL.
inline AttentionChangeOptions attention_changes_of(const nanobind::dict& keywords) {
  AttentionChangeOptions changes;
  set_keywords(option_fields(changes), keywords);
  return changes;
}

// keywords: AttentionChangeOptions. Throws IoError or DataError, ConfigError for a wrong number of
// threads (0: the default runtime) and for changes that do not fit the model. Needs the GIL.
template <class Engine>
ModelView<Engine> load_view(const std::filesystem::path& path, int threads,
                            const nanobind::dict& keywords) {
  const AttentionChanges changes = attention_changes(attention_changes_of(keywords));
  const Released released;
  const std::shared_ptr<const LoadedModel> loaded = LoadedModel::load(path, runtime_of(threads));
  if (changes.empty()) return ModelView<Engine>(*loaded);
  return ModelView<Engine>(*loaded->with_attention(changes), loaded->runtime());
}

// A model in memory with an adapter or with changes of its attention. It shares the weights that
// these leave as they are. adapter: a file or the folder of a run; empty: none. Throws like
// load_view(), and ConfigError for both. Needs the GIL.
template <class Engine>
ModelView<Engine> view_of(const BaseModel& base, const std::filesystem::path& adapter,
                          const nanobind::dict& keywords) {
  const AttentionChanges changes = attention_changes(attention_changes_of(keywords));
  const Released released;
  const LoadedModel& loaded = *ModelAccess::loaded(base);
  if (!adapter.empty() && !changes.empty())
    throw ConfigError("changes of attention: expected no adapter beside them");
  if (!changes.empty()) return ModelView<Engine>(*loaded.with_attention(changes), loaded.runtime());
  return ModelView<Engine>(adapter.empty() ? loaded : *loaded.with_adapter(adapter));
}

}  // namespace attend
