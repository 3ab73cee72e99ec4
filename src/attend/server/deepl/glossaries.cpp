#include "attend/server/deepl/glossaries.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "attend/core/files/atomic_file.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/server/http/message.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using GlossaryJson = nlohmann::ordered_json;

constexpr std::string_view kGlossaryExtension = ".json";

std::string random_id() {
  std::random_device random;
  const auto bits = [&] { return random() & 0xffffU; };
  return fmt::format("{:04x}{:04x}-{:04x}-4{:03x}-8{:03x}-{:04x}{:04x}{:04x}", bits(), bits(),
                     bits(), bits() & 0xfffU, bits() & 0xfffU, bits(), bits(), bits());
}

// As random_id() makes them: nothing that leads out of a folder.
bool is_id(std::string_view id) {
  if (id.size() != 36) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool is_digit = (id[i] >= '0' && id[i] <= '9') || (id[i] >= 'a' && id[i] <= 'f');
    if (is_dash ? id[i] != '-' : !is_digit) return false;
  }
  return true;
}

std::size_t bytes_of(const StoredGlossary& glossary) {
  std::size_t bytes = glossary.name.size();
  for (const GlossaryDictionary& dictionary : glossary.dictionaries)
    for (const auto& [source, target] : dictionary.entries) bytes += source.size() + target.size();
  return bytes;
}

std::string file_of(const StoredGlossary& glossary) {
  GlossaryJson dictionaries = GlossaryJson::array();
  for (const GlossaryDictionary& one : glossary.dictionaries)
    dictionaries.push_back(
        {{"source", one.source}, {"target", one.target}, {"entries", one.entries}});
  return json_text(GlossaryJson{{"name", glossary.name},
                                {"owner", glossary.owner},
                                {"created", glossary.created.time_since_epoch().count()},
                                {"dictionaries", std::move(dictionaries)}});
}

// nullopt if there is no such file. Throws IoError for one that is no glossary.
std::optional<StoredGlossary> read_glossary(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  try {
    const GlossaryJson json = parse_json(content, path.string());
    StoredGlossary glossary{path.stem().string(), json.at("name"), json.at("owner"), {}, {}};
    glossary.created += std::chrono::milliseconds(json.at("created").get<std::int64_t>());
    for (const GlossaryJson& one : json.at("dictionaries"))
      glossary.dictionaries.push_back({one.at("source"), one.at("target"), one.at("entries")});
    return glossary;
  } catch (const DataError& error) {
    throw IoError(error.what());
  } catch (const nlohmann::json::exception& error) {
    throw IoError(fmt::format("{}: expected a glossary: {}", path.string(), error.what()));
  }
}

}  // namespace

bool GlossaryDictionary::is_for(std::string_view other_source,
                                std::string_view other_target) const {
  return language_tag(source).language == language_tag(other_source).language &&
         language_tag(target).language == language_tag(other_target).language;
}

const GlossaryDictionary* StoredGlossary::find(std::string_view source,
                                               std::string_view target) const {
  for (const GlossaryDictionary& one : dictionaries)
    if (one.is_for(source, target)) return &one;
  return nullptr;
}

Glossaries::Glossaries(std::filesystem::path folder, Limits limits)
    : folder_(std::move(folder)), limits_(limits) {
  if (folder_.empty()) return;
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    throw OptionError<IoError>("{}: expected a folder that can be written, got {}",
                               as_flag("glossary-dir"), folder_.string());
}

StoredGlossary Glossaries::put(StoredGlossary glossary) {
  const std::size_t bytes = bytes_of(glossary);
  if (bytes > limits_.bytes)
    throw HttpError{456,
                    fmt::format("the glossary has {} bytes; it may have {}", bytes, limits_.bytes)};
  const std::lock_guard lock(mutex_);
  if (glossary.id.empty()) {
    glossary.id = random_id();
    glossary.created =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  std::size_t others = 0, bytes_of_others = 0;
  for (const auto& [id, own] : ids_and_bytes()) {
    if (id == glossary.id) continue;
    ++others;
    bytes_of_others += own;
  }
  if (others >= limits_.number || bytes_of_others + bytes > limits_.all_bytes)
    throw HttpError{456, fmt::format("there are {} glossaries with {} bytes; delete some", others,
                                     bytes_of_others)};
  if (folder_.empty()) {
    kept_[glossary.id] = glossary;
  } else {
    write_file_atomically(folder_ / (glossary.id + std::string(kGlossaryExtension)),
                          file_of(glossary));
  }
  return glossary;
}

std::optional<StoredGlossary> Glossaries::found(std::string_view id) const {
  if (!is_id(id)) return std::nullopt;
  if (!folder_.empty())
    return read_glossary(folder_ / (std::string(id) + std::string(kGlossaryExtension)));
  const auto place = kept_.find(id);
  return place == kept_.end() ? std::nullopt : std::optional(place->second);
}

std::optional<StoredGlossary> Glossaries::find(std::string_view id, std::string_view owner) const {
  const std::lock_guard lock(mutex_);
  std::optional<StoredGlossary> glossary = found(id);
  return glossary && glossary->owner == owner ? glossary : std::nullopt;
}

std::vector<std::pair<std::string, std::size_t>> Glossaries::ids_and_bytes() const {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& [id, glossary] : kept_) all.emplace_back(id, bytes_of(glossary));
  if (folder_.empty()) return all;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code gone;
    const fs::path& path = entry->path();
    if (is_id(path.stem().string()) && path.extension() == kGlossaryExtension)
      if (const std::uintmax_t bytes = fs::file_size(path, gone); !gone)
        all.emplace_back(path.stem().string(), bytes);
  }
  return all;
}

std::vector<StoredGlossary> Glossaries::all(std::string_view owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<StoredGlossary> all;
  for (const auto& [id, bytes] : ids_and_bytes())
    if (auto glossary = found(id); glossary && glossary->owner == owner)
      all.push_back(*std::move(glossary));
  std::stable_sort(all.begin(), all.end(), [](const StoredGlossary& a, const StoredGlossary& b) {
    return a.created < b.created;
  });
  return all;
}

bool Glossaries::remove(std::string_view id, std::string_view owner) {
  const std::lock_guard lock(mutex_);
  const std::optional<StoredGlossary> glossary = found(id);
  if (!glossary || glossary->owner != owner) return false;
  if (folder_.empty()) {
    kept_.erase(glossary->id);
  } else {
    std::error_code failure;
    fs::remove(folder_ / (glossary->id + std::string(kGlossaryExtension)), failure);
    if (failure) throw IoError(fmt::format("{}: {}", folder_.string(), failure.message()));
  }
  return true;
}

}  // namespace attend
