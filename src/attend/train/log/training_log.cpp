#include "attend/train/log/training_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

// The first version counted epochs from 0. Such a log goes on as it began.
constexpr int kEpochsFromZero = 1;

// Returns the version.
int check_header(const Json& header, const std::filesystem::path& path) {
  const auto version = header.find("attend_log");
  if (version == header.end() || !version->is_number_integer()) {
    throw DataError(
        fmt::format("{}:1: expected the first line of a training log, {{\"attend_log\":{},...}}; "
                    "move the file away to resume without it",
                    path.string(), TrainingLog::kVersion));
  }
  if (*version != TrainingLog::kVersion && *version != kEpochsFromZero) {
    throw DataError(
        fmt::format("{}:1: a log of version {}, this program writes version {}; move the file away "
                    "to resume without it",
                    path.string(), version->dump(), TrainingLog::kVersion));
  }
  return version->get<int>();
}

// Whether the line belongs to the run up to the resumed step. The end, and the averaging before it,
// are repeated.
bool belongs(const Json& line, const TrainingStart& start) {
  const auto event = line.find("event"), of_step = line.find("step");
  const auto is = [&](const char* name) { return event != line.end() && *event == name; };
  if (is("end") || line.contains("averaged")) return false;
  if (of_step == line.end()) return true;
  if (is("validation") && *of_step == start.resumed_step && start.validates_again) return false;
  return *of_step <= start.resumed_step;
}

// What of a log stays on resuming: whole lines only.
struct KeptLog {
  std::uintmax_t bytes = 0;
  int version = TrainingLog::kVersion;
};

// nullopt when there is no log.
std::optional<KeptLog> kept_log(const std::filesystem::path& path, const TrainingStart& start) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  KeptLog kept;
  std::string text;
  for (std::int64_t number = 1; std::getline(file, text); ++number) {
    if (file.eof()) break;  // no newline: the line was truncated
    const Json line = try_parse_json(text).value_or(nullptr);
    if (!line.is_object()) {
      if (file.peek() == std::ifstream::traits_type::eof()) break;
      throw DataError(
          fmt::format("{}:{}: expected a JSON object, found {}; the log is damaged: repair it, or "
                      "move it away to resume without it",
                      path.string(), number, quote(text, 40)));
    }
    if (number == 1) {
      kept.version = check_header(line, path);
    } else if (!belongs(line, start)) {
      break;
    }
    kept.bytes += text.size() + 1;
  }
  if (file.bad())
    throw IoError(fmt::format("cannot read {}; move it away to resume without it", path.string()));
  return kept.bytes == 0 ? std::nullopt : std::optional(kept);
}

}  // namespace

double logged_seconds(const std::filesystem::path& path, std::int64_t step) {
  double seconds = 0;
  std::ifstream file(path, std::ios::binary);
  for (std::string text; std::getline(file, text);) {
    const Json line = try_parse_json(text).value_or(nullptr);
    const Json of_step = line.is_object() ? line.value("step", Json()) : Json();
    if (!of_step.is_number_integer() || of_step.get<std::int64_t>() > step) continue;
    const Json time = line.value("time", Json::object());
    const Json so_far = time.is_object() ? time.value("seconds", Json()) : Json();
    if (so_far.is_number()) seconds = so_far.get<double>();
  }
  return seconds;
}

TrainingLog::TrainingLog(std::filesystem::path path, TrainingLogOptions options)
    : path_(std::move(path)), options_(options) {
  check_options(options_);
}

void TrainingLog::on_start(const TrainingStart& start) {
  if (start.resumed_step > 0) {
    if (const auto kept = kept_log(path_, start)) {
      first_epoch_ = kept->version == kEpochsFromZero ? 0 : 1;
      std::error_code error;
      std::filesystem::resize_file(path_, kept->bytes, error);
      if (error)
        throw IoError(fmt::format("cannot shorten {}: {}", path_.string(), error.message()));
      return open("ab");
    }
  }
  open("wb");
  write(Json{{"attend_log", kVersion},
             {"seed", start.seed},
             {"parameters", start.parameters},
             {"total_steps", start.total_steps},
             {"time", {{"started", utc_now()}}}}
            .dump());
}

void TrainingLog::on_step(const StepEvent& e) {
  if (e.step % options_.every != 0) return;
  write(Json{{"event", "step"},
             {"step", e.step},
             {"epoch", e.epoch - 1 + first_epoch_},
             {"loss", double{e.loss}},
             {"nll", double{e.nll}},
             {"perplexity", perplexity(e.nll)},
             {"learning_rate", e.learning_rate},
             {"gradient_norm", double{e.gradient_norm}},
             {"tokens", e.tokens},
             {"source_tokens", e.source_tokens},
             {"time", {{"seconds", e.seconds}, {"tokens_per_second", e.tokens_per_second}}}}
            .dump());
}

void TrainingLog::on_validation(const ValidationEvent& e) {
  Json line{{"event", "validation"}, {"step", e.step}, {"epoch", e.epoch - 1 + first_epoch_},
            {"loss", e.loss},        {"nll", e.nll},   {"perplexity", perplexity(e.nll)}};
  for (const auto& [name, value] : e.metrics) line[name] = value;
  if (e.averaged > 0) line["averaged"] = e.averaged;
  line["best"] = e.best;
  line["time"] = {{"seconds", e.seconds}};
  write(line.dump());
}

void TrainingLog::on_end(const EndEvent& e) {
  write(Json{{"event", "end"},
             {"step", e.step},
             {"reason", name_of(e.reason)},
             {"time", {{"seconds", e.seconds}}}}
            .dump());
  file_.reset();
}

void TrainingLog::open(const char* mode) {
  file_.reset(std::fopen(path_.c_str(), mode));
  if (!file_)
    throw IoError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

void TrainingLog::write(const std::string& line) {
  if (!file_) return;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fputc('\n', file_.get()) == EOF || std::fflush(file_.get()) != 0) {
    throw IoError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

}  // namespace attend
