// What a server keeps for the clients of DeepL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "attend/server/deepl/document_jobs.h"
#include "attend/server/deepl/glossaries.h"

namespace attend {

// The characters that the requests of each key had translated, by the names of the keys. All
// functions may be called from any thread.
class CharacterCounts {
 public:
  void add(const std::string& name, std::int64_t characters) {
    const std::lock_guard lock(mutex_);
    counts_[name] += characters;
  }
  std::int64_t of(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> counts_;
};

struct DeeplState {
  // `folder`: of the glossaries; empty: they are in memory. Throws IoError.
  explicit DeeplState(const std::filesystem::path& folder) : glossaries(folder) {}

  Glossaries glossaries;
  DocumentJobs documents;
  CharacterCounts characters;
};

}  // namespace attend
