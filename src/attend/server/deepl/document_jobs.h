// Documents that are translated while their clients ask again and again whether they are ready.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

struct DocumentJob {
  std::string id, key;  // 32 digits each, which cannot be guessed
  std::string name;     // of the file
  std::int64_t characters = 0;
  enum class State { translating, done, failed } state = State::translating;
  std::string download = {};  // the name of the translated file among the downloads
  std::string error = {};     // why it failed
};

// In memory; the oldest that are not in progress make room. All functions may be called from any
// thread.
class DocumentJobs {
 public:
  static constexpr std::size_t kMost = 1024;

  // Returns a new document with its id and key. Throws HttpError 503 if too many are in progress.
  DocumentJob add(std::string name, std::int64_t characters);
  // nullopt: there is none with this id and this key.
  std::optional<DocumentJob> find(std::string_view id, std::string_view key) const;
  void finish(std::string_view id, std::string download);
  void fail(std::string_view id, std::string error);

 private:
  void end(std::string_view id, DocumentJob::State state, std::string download, std::string error);

  mutable std::mutex mutex_;
  std::deque<DocumentJob> jobs_;
};

}  // namespace attend
