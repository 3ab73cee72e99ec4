// A prepared text that somebody else has written: its manifest, and a shard whose description is at
// its end. All of it is read, or there is an error of attend/error.h.
#include <array>
#include <cstring>
#include <stdexcept>

#include "attend/backend/bytes.h"
#include "attend/data/stored/stored_pairs.h"
#include "attend/error.h"
#include "attend/tasks/preparation/prepared_manifest.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::prepared_fuzz {
namespace {

constexpr std::int32_t kVocabulary = 50;

// The first byte says what follows: a manifest, or a shard with these numbers before it.
struct Description {
  std::int32_t samples = 0;
  std::int32_t ids = 0;
};

std::string sealed(const Description& description, const std::string& shard) {
  std::string input(1, 's');
  input.append(reinterpret_cast<const char*>(&description), sizeof description);
  return input + shard;
}

// Two pairs: {1 2 | 3} and {4 | 5 6}, with right checksums.
std::string small_shard() {
  const std::array<std::uint16_t, 6> ids{1, 2, 3, 4, 5, 6};
  const auto bytes = std::as_bytes(std::span(ids));
  const std::array<std::uint32_t, 6> index{2, 3, crc32_of(bytes.first(6)),
                                           4, 6, crc32_of(bytes.last(6))};
  std::string shard(reinterpret_cast<const char*>(ids.data()), sizeof ids);
  return shard.append(reinterpret_cast<const char*>(index.data()), sizeof index);
}

void use_manifest(const std::string& text) {
  const PreparedManifest manifest = read_manifest(text, "fuzz");
  const std::string written = manifest_json(manifest);
  if (manifest_json(read_manifest(written, "again")) != written)
    throw std::logic_error("a manifest that is not read as it was written");
  if (manifest.samples() < 1) throw std::logic_error("a manifest of nothing");
}

void use_shard(std::string_view input) {
  static const FuzzFile file;
  Description description;
  if (input.size() < sizeof description) return;
  std::memcpy(&description, input.data(), sizeof description);
  input.remove_prefix(sizeof description);
  file.write(input);
  if (description.samples < 1 || description.ids < 0 || description.samples > kShardSamples.most)
    return;  // the manifest refuses it
  const std::size_t index = static_cast<std::size_t>(description.ids) * 2;
  const std::uint32_t checksum =
      index <= input.size() ? crc32_of(std::as_bytes(std::span(input.substr(index)))) : 0;
  const auto shard = std::make_shared<const ShardReader>(
      file.path(), ShardFormat{.sequences = 2, .id_bytes = 2},
      ShardEntry{description.samples, description.ids, checksum},
      std::vector<std::int32_t>{kVocabulary, kVocabulary});
  const StoredPairs pairs({shard});
  pairs.costs(0, {{}, {3}, {2}});
  for (std::int32_t i = 0; i < std::min(description.samples, 100); ++i) {
    const EncodedPairs pair = pairs.read(0, std::array{i});
    for (const Ragged* side : {&pair.src, &pair.tgt})
      for (const std::int32_t id : *side->ids)
        if (id < 0 || id >= kVocabulary) throw std::logic_error("an id outside of the vocabulary");
  }
}

void use(std::string_view input) {
  if (input.empty()) return;
  try {
    if (input.front() == 's')
      use_shard(input.substr(1));
    else
      use_manifest(std::string(input));
  } catch (const Error&) {
  }
}

std::vector<std::string> corpus() {
  PreparedManifest manifest;
  manifest.task = "translation";
  manifest.text_kinds = {{"src", {.language = "en"}}, {"tgt", {}}};
  manifest.format = {.sequences = 2, .id_bytes = 2};
  manifest.shards = {{2, 6, 123}, {1, 3, 4294967295}};
  return {manifest_json(manifest), sealed({2, 6}, small_shard())};
}

std::vector<std::string> dictionary() {
  return {"\"shards\"",
          "\"samples\"",
          "\"ids\"",
          "\"checksum\"",
          "4194304",
          "4194305",
          "2147483647",
          "2147483648",
          "4294967296",
          "-1",
          "null",
          "{",
          "}",
          "[",
          "]",
          ",",
          "1.5",
          std::string(4, '\xff'),
          std::string(4, '\0')};
}

const RegisteredFuzzTarget registered{{"prepared", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::prepared_fuzz
