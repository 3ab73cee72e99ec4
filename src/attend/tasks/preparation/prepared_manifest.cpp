#include "attend/tasks/preparation/prepared_manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/input_file.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/core/json/json_text.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::int64_t kManifestVersion = 1;
constexpr std::uint64_t kLongestManifest = std::uint64_t{64} << 20;

template <class Options>
nlohmann::ordered_json json_of(Options options) {
  return options_json(option_fields(options));
}

// The options under `name`.
template <class Options>
Options options_at(JsonObject& object, const char* name) {
  Options options;
  options_from_json(object.at(name).dump(), options, object.where() + ": " + name);
  return options;
}

std::map<std::string, TextKind> read_kinds(JsonObject& object, const std::string& where) {
  std::map<std::string, TextKind> kinds;
  for (const auto& [side, json] : object.at("text_kinds").items()) {
    if (side != "src" && side != "tgt" && side != "text")
      object.refuse("text_kinds", "kinds of src and tgt, or of text");
    options_from_json(json.dump(), kinds[side], where + ": text_kinds: " + side);
  }
  return kinds;
}

std::vector<ShardEntry> read_shards(JsonObject& object, const std::string& where) {
  std::vector<ShardEntry> shards;
  for (const nlohmann::json& json : object.list("shards")) {
    ShardEntry entry;
    options_from_json(json.dump(), entry, fmt::format("{}: shard {}", where, shards.size()));
    if (entry.samples < 1) object.refuse("shards", "samples in each");
    shards.push_back(entry);
  }
  return shards;
}

}  // namespace

std::int64_t PreparedManifest::samples() const {
  return std::accumulate(
      shards.begin(), shards.end(), std::int64_t{0},
      [](std::int64_t sum, const ShardEntry& entry) { return sum + entry.samples; });
}

std::string manifest_json(const PreparedManifest& m) {
  nlohmann::ordered_json json{{"attend_prepared", kManifestVersion},
                              {"task", m.task},
                              {"vocabulary", json_of(m.vocabulary)},
                              {"length", json_of(m.length)},
                              {"pairs", json_of(m.pairs)},
                              {"lines", json_of(m.lines)},
                              {"text_kinds", nlohmann::ordered_json::object()},
                              {"format", json_of(m.format)},
                              {"shards", nlohmann::ordered_json::array()}};
  for (const auto& [side, kind] : m.text_kinds) json["text_kinds"][side] = json_of(kind);
  for (const ShardEntry& shard : m.shards) json["shards"].push_back(json_of(shard));
  return json_text(json, 1) + "\n";
}

PreparedManifest read_manifest(std::string_view text, const std::string& where) {
  const nlohmann::json json = parse_sorted_json(text, where);
  JsonObject object(json, where);
  object.integer("attend_prepared", kManifestVersion, kManifestVersion);
  PreparedManifest m;
  m.task = object.text("task");
  m.vocabulary = options_at<PreparedVocabulary>(object, "vocabulary");
  m.length = options_at<LengthOptions>(object, "length");
  m.pairs = options_at<ReadReport>(object, "pairs");
  m.lines = options_at<LanguageCounts>(object, "lines");
  m.text_kinds = read_kinds(object, where);
  m.format = options_at<ShardFormat>(object, "format");
  if (m.format.id_bytes == 3) object.refuse("format", "ids of 2 or 4 bytes");
  m.shards = read_shards(object, where);
  if (m.shards.empty()) object.refuse("shards", "at least one");
  object.finish();
  return m;
}

std::filesystem::path manifest_file(const std::filesystem::path& folder) {
  return folder / "manifest.json";
}

PreparedManifest load_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = manifest_file(folder);
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("{}: expected a folder that attend prepare has written, found no {}",
                              folder.string(), path.filename().string()));
  const InputFile file(path);
  if (file.size() > kLongestManifest)
    throw DataError(fmt::format("{}: expected at most {} bytes, found {}", file.path(),
                                kLongestManifest, file.size()));
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return read_manifest(text, file.path());
}

}  // namespace attend
