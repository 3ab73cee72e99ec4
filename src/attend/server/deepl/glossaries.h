// Glossaries that clients keep at a server, as those of DeepL: some dictionaries under one name.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

struct GlossaryDictionary {
  std::string source, target;  // languages, in small letters: "en", "de"
  std::vector<std::pair<std::string, std::string>> entries;  // terms and their translations

  // Whether it is for these languages, of any region: "en" for "EN-GB".
  bool is_for(std::string_view other_source, std::string_view other_target) const;
};

struct StoredGlossary {
  std::string id;  // as "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"; empty: not stored yet
  std::string name;
  std::string owner;  // the name of a key; only its requests find the glossary
  std::chrono::sys_time<std::chrono::milliseconds> created = {};
  std::vector<GlossaryDictionary> dictionaries;

  // nullptr: there is none for these languages.
  const GlossaryDictionary* find(std::string_view source, std::string_view target) const;
};

// In memory; or in a folder, which several servers may share. All functions may be called from any
// thread. They throw IoError for a file that cannot be read or written.
class Glossaries {
 public:
  // Bytes of the terms of one glossary, and of all; number of glossaries.
  struct Limits {
    std::size_t bytes = 1 << 20;
    std::size_t all_bytes = 32 << 20;
    std::size_t number = 1000;
  };

  Glossaries() : Glossaries(std::filesystem::path(), Limits()) {}
  explicit Glossaries(std::filesystem::path folder) : Glossaries(std::move(folder), Limits()) {}
  // `folder`: made if it is missing; empty: none.
  Glossaries(std::filesystem::path folder, Limits limits);

  // Stores a glossary, and one with an id in place of the old one; returns it with its id and the
  // time. Throws HttpError 456, as DeepL does, if that is more than the limits.
  StoredGlossary put(StoredGlossary glossary);
  std::optional<StoredGlossary> find(std::string_view id, std::string_view owner) const;
  // Returns those of one owner, the oldest first.
  std::vector<StoredGlossary> all(std::string_view owner) const;
  // Returns whether there was one.
  bool remove(std::string_view id, std::string_view owner);

 private:
  // With the mutex locked.
  std::optional<StoredGlossary> found(std::string_view id) const;
  std::vector<std::pair<std::string, std::size_t>> ids_and_bytes() const;

  const std::filesystem::path folder_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, StoredGlossary, std::less<>> kept_;
};

}  // namespace attend
