// What is in the folder that `attend prepare` writes:
//
//   FOLDER/manifest.json                this, as JSON
//   FOLDER/tokenizer                    the joint vocabulary, or that of a language model
//   FOLDER/tokenizer.src, tokenizer.tgt  two vocabularies
//   FOLDER/00000.shard, ...             the ids (data/stored/shard.h)
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/corpus.h"
#include "attend/data/language.h"
#include "attend/data/stored/shard.h"
#include "attend/text/text_kind.h"

namespace attend {

// The vocabulary of the ids.
struct PreparedVocabulary {
  bool joint = true;
  bool pretokenized = false;       // as in TokenizerOptions
  std::uint64_t checksum = 0;      // CRC-32 of the tokenizer, or that of the source
  std::uint64_t tgt_checksum = 0;  // of the target's; 0 if it is joint
};

inline constexpr NumberRange kChecksums = between(0, 0xFFFFFFFFp0);

template <class Visitor>
void fields(PreparedVocabulary& o, Visitor&& visit) {
  visit("joint", o.joint, "one vocabulary for all text");
  visit("pretokenized", o.pretokenized, "the text was split into words by spaces");
  visit("checksum", o.checksum, kChecksums, "of the vocabulary, or of the one of the source");
  visit("tgt-checksum", o.tgt_checksum, kChecksums, "of the vocabulary of the target");
}

template <class Visitor>
void fields(ShardFormat& o, Visitor&& visit) {
  visit("sequences", o.sequences, between(1, 2), "sequences of a sample");
  visit("id-bytes", o.id_bytes, between(2, 4), "bytes of an id");
}

template <class Visitor>
void fields(ShardEntry& o, Visitor&& visit) {
  visit("samples", o.samples, kShardSamples, "samples of the shard");
  visit("ids", o.ids, between(0, static_cast<double>(kMostShardIds)), "ids of the shard");
  visit("checksum", o.checksum, kChecksums, "of its index");
}

struct PreparedManifest {
  std::string task;  // that the text is for, as in `attend train`
  PreparedVocabulary vocabulary;
  LengthOptions length;                        // of pairs
  ReadReport pairs;                            // of pairs
  LanguageCounts lines;                        // of a text for a language model
  std::map<std::string, TextKind> text_kinds;  // as in SavedModel
  ShardFormat format;
  std::vector<ShardEntry> shards;

  std::int64_t samples() const;
};

std::string manifest_json(const PreparedManifest& manifest);
// Throws DataError "<where>: ..." for text that is no manifest of this version.
PreparedManifest read_manifest(std::string_view json, const std::string& where);

std::filesystem::path manifest_file(const std::filesystem::path& folder);
// Reads that of a folder. Throws IoError, or DataError if it is not one that `attend prepare` has
// written.
PreparedManifest load_manifest(const std::filesystem::path& folder);

}  // namespace attend
