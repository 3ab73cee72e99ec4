// Encoding text for training that reads it from disk (`attend prepare`): the part common to all
// tasks.
#pragma once

#include <cstdint>
#include <string>

#include "attend/core/advance.h"
#include "attend/core/files/atomic_folder.h"
#include "attend/core/options/options.h"
#include "attend/data/stored/shard.h"
#include "attend/tasks/model_file/vocabularies.h"
#include "attend/tasks/preparation/prepared_manifest.h"

namespace attend {

struct PreparedFolderOptions {
  std::string out;
  std::string tokenizer_from;
  std::int64_t sample_lines = 1000000;
  std::int64_t shard_samples = 1000000;
  std::uint64_t seed = 1;
};

template <class Visitor>
void fields(PreparedFolderOptions& o, Visitor&& visit) {
  visit("out", o.out, "folder to write");
  visit("tokenizer-from", o.tokenizer_from,
        "take the vocabulary of a model file, the folder of a run, a prepared folder or a "
        "SentencePiece .model file, instead of learning one");
  visit("sample-lines", o.sample_lines, between(1, 1e9),
        "lines or pairs to learn the vocabulary from: all, or at most this many drawn at random");
  visit("shard-samples", o.shard_samples, kShardSamples,
        "pairs per file of the prepared folder; for language models, blocks of 1,024 tokens");
  visit("seed", o.seed, any_seed(), "random seed for drawing the lines of --sample-lines");
}

struct PreparationResult {
  PreparedManifest manifest;
  std::int64_t learned_from = 0;  // lines or pairs; 0: the vocabulary was given
};

// Text is read twice: once to count and sample it, once to encode it.
inline constexpr std::int64_t kPreparedAtOnce = 1 << 16;  // lines encoded together

// Throws ConfigError without a folder to write, IoError if one of that name is there. `files`: all
// of them, which are read twice; ConfigError if one is standard input, IoError if one cannot be
// read.
void require_preparable(const PreparedFolderOptions& options, std::span<const std::string> files);

// A prepared folder that is being written. It appears with commit(), whole, or not at all.
class PreparedFolder {
 public:
  // `manifest`: with the task and the format. Throws IoError.
  PreparedFolder(const PreparedFolderOptions& options, const Vocabularies& vocabularies,
                 PreparedManifest manifest);

  ShardWriter& shards() { return shards_; }
  PreparedManifest& manifest() { return manifest_; }
  const Vocabularies& vocabularies() const { return vocabularies_; }
  // Writes the vocabularies and the manifest. Returns what was written. Throws IoError.
  PreparedManifest commit();

 private:
  AtomicFolder folder_;
  Vocabularies vocabularies_;
  PreparedManifest manifest_;
  ShardWriter shards_;
};

}  // namespace attend
