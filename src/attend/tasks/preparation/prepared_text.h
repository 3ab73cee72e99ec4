// Text that `attend prepare` has encoded, for training: folders whose ids are read when a batch
// needs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/data/stored/shard.h"
#include "attend/tasks/model_file/vocabularies.h"
#include "attend/tasks/preparation/prepared_manifest.h"
#include "attend/tasks/training/initial_model.h"

namespace attend {

struct PreparedText {
  std::vector<std::string> folders;
  // It describes all folders: the counts are sums, and so are the shards.
  PreparedManifest manifest;
  Vocabularies vocabularies;
  std::vector<std::shared_ptr<const ShardReader>> shards;
  std::vector<std::int64_t> samples;  // of each folder
};

// Opens the shards of all folders. Throws IoError or DataError for a folder that is missing or
// damaged; ConfigError if it is for another task, and unless all have the same vocabularies and
// lengths.
PreparedText open_prepared(const std::vector<std::string>& folders, std::string_view task);

// The vocabularies of one folder, checked. Throws IoError or DataError.
Vocabularies load_vocabularies(const std::filesystem::path& folder,
                               const PreparedManifest& manifest);
// Reads a prepared folder, a model file or the folder of a run, or a SentencePiece .model file.
// Throws IoError or DataError.
Vocabularies vocabularies_from(const std::filesystem::path& path);
// Writes what load_vocabularies() reads, and the checksums into `manifest`.
void save_vocabularies(const Vocabularies& vocabularies, const std::filesystem::path& folder,
                       PreparedManifest& manifest);

// The vocabulary options that its vocabularies stand for.
TokenizerOptions tokenizer_options_of(const PreparedManifest& manifest,
                                      const Vocabularies& vocabularies);

// Throws ConfigError unless the ids are those of these vocabularies, which are of `model`.
void require_vocabularies(const PreparedText& text, const Tokenizer& src, const Tokenizer& tgt,
                          std::string_view model);

// `adopted`: the options of a task with those that a prepared text has settled; `given`: the same
// before. Throws ConfigError for the first of those that differ which the user has set. `source`
// names the text.
void require_adopted(const std::vector<OptionGroup>& adopted, const std::vector<OptionGroup>& given,
                     const IsSet& is_set, std::string_view source);

}  // namespace attend
