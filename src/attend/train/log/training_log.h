// log.jsonl: all measurements of a run, one JSON object per line, appended and flushed as they
// happen.
//
//   {"attend_log":2,"seed":1,"parameters":2612736,"total_steps":5000,
//    "time":{"started":"2025-01-31T12:00:00Z"}}
//   {"event":"step","step":1,"epoch":1,"loss":9.2,"nll":9.2,"perplexity":9897.1,
//    "learning_rate":1e-7,"gradient_norm":2.4,"tokens":1780,"source_tokens":1699,"time":{"seconds":0.4,"tokens_per_second":4450}}
//   {"event":"validation","step":500,"epoch":1,"loss":3.1,"nll":3.0,"perplexity":20.1,"bleu":12.4,
//    "best":true,"time":{"seconds":203.1}}
//   {"event":"end","step":5000,"reason":"finished","time":{"seconds":2040.5}}
//
// Only values under "time" depend on the clock; its seconds include those before resuming. Resuming
// from step s removes the end and everything after s and writes it again, so that the log of a
// resumed run equals that of an uninterrupted one, except for "time". Checkpoints are not logged
// for that reason. Steps and epochs count from 1. Numbers have all their digits; NaN and infinity
// are null.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "attend/core/options/options.h"
#include "attend/train/listener.h"

namespace attend {

struct TrainingLogOptions {
  int every = 1;
};

template <class Visitor>
void fields(TrainingLogOptions& o, Visitor&& visit) {
  visit("log-every", o.every, between(1, 1e9), "steps between lines of log.jsonl");
}

class TrainingLog : public TrainingListener {
 public:
  inline static constexpr int kVersion = 2;

  // Opens nothing before on_start. Throws ConfigError unless every >= 1.
  explicit TrainingLog(std::filesystem::path path, TrainingLogOptions options = {});

  // Starts a new file, or continues it when resuming. Throws IoError; DataError if the existing
  // file is not such a log or is damaged before its last line.
  void on_start(const TrainingStart& start) override;
  // These throw IoError if the line cannot be written.
  void on_step(const StepEvent& event) override;
  void on_validation(const ValidationEvent& event) override;
  void on_end(const EndEvent& event) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open(const char* mode);
  void write(const std::string& line);

  std::filesystem::path path_;
  TrainingLogOptions options_;
  std::int64_t first_epoch_ = 1;  // 0 in a log that an older version began
  std::unique_ptr<std::FILE, Close> file_;
};

// The seconds that a run had taken up to a step, according to its log; 0 if unknown.
double logged_seconds(const std::filesystem::path& path, std::int64_t step);

}  // namespace attend
