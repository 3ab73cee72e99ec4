#include "attend/server/deepl/document_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "attend/server/http/message.h"

namespace attend {
namespace {

std::string random_digits() {
  std::random_device random;
  return fmt::format("{:08X}{:08X}{:08X}{:08X}", random(), random(), random(), random());
}

}  // namespace

DocumentJob DocumentJobs::add(std::string name, std::int64_t characters) {
  DocumentJob job{random_digits(), random_digits(), std::move(name), characters};
  const std::lock_guard lock(mutex_);
  if (jobs_.size() >= kMost) {
    const auto oldest = std::find_if(jobs_.begin(), jobs_.end(), [](const DocumentJob& one) {
      return one.state != DocumentJob::State::translating;
    });
    if (oldest == jobs_.end())
      throw HttpError{503, "too many documents are being translated; try again", 1};
    jobs_.erase(oldest);
  }
  jobs_.push_back(job);
  return job;
}

std::optional<DocumentJob> DocumentJobs::find(std::string_view id, std::string_view key) const {
  const std::lock_guard lock(mutex_);
  for (const DocumentJob& job : jobs_)
    if (job.id == id && job.key == key) return job;
  return std::nullopt;
}

void DocumentJobs::finish(std::string_view id, std::string download) {
  end(id, DocumentJob::State::done, std::move(download), {});
}

void DocumentJobs::fail(std::string_view id, std::string error) {
  end(id, DocumentJob::State::failed, {}, std::move(error));
}

void DocumentJobs::end(std::string_view id, DocumentJob::State state, std::string download,
                       std::string error) {
  const std::lock_guard lock(mutex_);
  for (DocumentJob& job : jobs_) {
    if (job.id != id) continue;
    job.state = state;
    job.download = std::move(download);
    job.error = std::move(error);
  }
}

}  // namespace attend
