#include "attend/train/log/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/strings/counted.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/parallel.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

// What a listener writes, kept in memory.
class Output {
 public:
  Output() : file_(open_memstream(&data_, &size_)) {}
  ~Output() {
    std::fclose(file_);
    std::free(data_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {data_, size_};
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// One training step per second.
StepEvent step_event(std::int64_t step) {
  StepEvent event;
  event.step = step;
  event.epoch = 3;
  event.loss = 2.5;
  event.nll = 1.0;
  event.learning_rate = 7e-4;
  event.tokens_per_second = 12345;
  event.seconds = static_cast<double>(step);
  return event;
}

TrainingStart start_of(std::int64_t total) {
  TrainingStart start;
  start.total_steps = total;
  start.parameters = 2612736;
  start.seed = 3;
  return start;
}

TEST(Progress, WritesPlainLinesToAFile) {
  Output out;
  Progress progress(out.file(), {.terminal = false, .unicode = false});
  progress.on_start(start_of(1000));
  for (int step = 1; step <= 31; ++step) progress.on_step(step_event(step));
  const std::vector<std::string> lines = split(out.text(), '\n');
  ASSERT_EQ(lines.size(), 6u);  // start, steps 1, 11, 21, 31, and what is after the last newline
  EXPECT_EQ(lines[0],
            "training 2,612,736 parameters, 1,000 steps, seed 3, " + counted(threads(), "thread"));
  EXPECT_EQ(
      lines[1],
      "step 1/1,000  loss 2.500  ETA -:--  12.3k tokens/s  perplexity 2.718  lr 7.00e-04  epoch 3");
  EXPECT_EQ(lines[2],
            "step 11/1,000  loss 2.500  ETA 16:29  12.3k tokens/s  perplexity 2.718  lr 7.00e-04  "
            "epoch 3");
  EXPECT_EQ(out.text().find_first_of("\r\x1b"), std::string::npos);
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  Output out;
  Progress progress(out.file(), {.terminal = true, .unicode = false, .columns = 120});
  progress.on_start(start_of(100));
  for (int step = 1; step <= 100; ++step) progress.on_step(step_event(step));
  progress.on_end({100, TrainingEnd::finished, 100});
  const std::string text = out.text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);  // the start and the end
  EXPECT_EQ(std::ranges::count(text, '\r'), 101);
  EXPECT_NE(text.find("[############.............]  step  50/100  loss 2.500  ETA 0:50"),
            std::string::npos)
      << text.substr(text.size() / 2, 200);
  EXPECT_TRUE(text.ends_with("\r\x1b[Kfinished at step 100 after 1:40\n"));
}

TEST(Progress, SaysWhereAFailedRunGoesOn) {
  const auto last_line = [](const EndEvent& event) {
    Output out;
    Progress progress(out.file(), {.terminal = false, .unicode = false});
    progress.on_end(event);
    return out.text();
  };
  EXPECT_EQ(last_line({1234, TrainingEnd::failed, 60, 1200}),
            "failed at step 1,234 after 1:00; the checkpoint of step 1,200 is kept: continue "
            "with --resume\n");
  EXPECT_EQ(last_line({1234, TrainingEnd::failed, 60, 0}), "failed at step 1,234 after 1:00\n");
  EXPECT_EQ(last_line({1234, TrainingEnd::finished, 60, 1234}),
            "finished at step 1,234 after 1:00\n");
}

TEST(Progress, RedrawsNoMoreOftenThanAsked) {
  Output out;
  Progress progress(out.file(),
                    {.terminal = true, .unicode = false, .columns = 80, .redraw_seconds = 10});
  progress.on_start(start_of(100));
  for (int step = 1; step <= 100; ++step) progress.on_step(step_event(step));
  EXPECT_EQ(std::ranges::count(out.text(), '\r'), 11);  // 1, 11, ..., 91 and always the last
}

TEST(Progress, FitsEveryWidth) {
  for (const bool unicode : {false, true}) {
    for (int columns = 1; columns <= 200; ++columns) {
      Output out;
      Progress progress(out.file(), {.terminal = true, .unicode = unicode, .columns = columns});
      progress.on_start(start_of(1234567));
      const std::size_t before = out.text().size();
      progress.on_step(step_event(654321));
      std::string line = out.text().substr(before);
      EXPECT_EQ(line.front(), '\r');
      EXPECT_TRUE(line.ends_with("\x1b[K"));
      line = line.substr(1, line.size() - 4);
      EXPECT_TRUE(is_utf8(line));
      EXPECT_LE(count_code_points(line), static_cast<std::size_t>(std::max(columns - 1, 0)))
          << line;
      EXPECT_TRUE(columns < 80 || line.find("ETA") != std::string::npos) << line;
    }
  }
}

TEST(Progress, FillsTheBarByEighths) {
  const auto bar_at = [](std::int64_t step) {
    Output out;
    Progress progress(out.file(), {.terminal = true, .unicode = true, .columns = 50});
    progress.on_start(start_of(800));
    const std::size_t before = out.text().size();
    progress.on_step(step_event(step));
    const std::string line = out.text().substr(before);
    return line.substr(1, line.find("  step") - 1);
  };
  EXPECT_NE(bar_at(1), bar_at(20));
  EXPECT_NE(bar_at(800).find("██████"), std::string::npos);
  EXPECT_EQ(bar_at(800).find(' '), std::string::npos);
  EXPECT_EQ(bar_at(0).find("█"), std::string::npos);
}

TEST(Progress, KeepsValidationsAboveTheBar) {
  Output out;
  Progress progress(out.file(), {.terminal = true, .unicode = true, .columns = 100});
  progress.on_start(start_of(100));
  progress.on_step(step_event(10));
  progress.on_validation({10, 0, 1.9, 1.5, {{"bleu", 31.25}}, true, 12});
  const std::string text = out.text();
  const std::size_t line =
      text.find("\r\x1b[Kstep 10: validation loss 1.900, perplexity 4.482, bleu 31.25 ← best\n");
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_NE(text.find("step  10/100", line), std::string::npos);  // the bar is back
}

TEST(Progress, SaysFromWhereItResumed) {
  Output out;
  Progress progress(out.file(), {});
  TrainingStart start = start_of(0);
  start.resumed_step = 1500;
  progress.on_start(start);
  EXPECT_EQ(out.text(), "training 2,612,736 parameters, seed 3, " + counted(threads(), "thread") +
                            ", from step 1,500\n");
}

TEST(Progress, SaysWhatMemorySeveralProcessesTake) {
  Output out;
  Progress progress(out.file(), {});
  TrainingStart start = start_of(0);
  constexpr std::int64_t kMiB = 1 << 20;
  start.processes = {{20 * kMiB, 3 * kMiB}, {20 * kMiB, 5 * kMiB / 2}};
  progress.on_start(start);
  EXPECT_EQ(split(out.text(), '\n')[1],
            "2 processes; each keeps 20.0 MiB of parameters and gradients, up to 3.0 MiB of "
            "optimizer state");
}

TEST(Progress, ShowsASmoothedLoss) {
  Output out;
  Progress progress(out.file(), {.terminal = false, .unicode = false, .line_seconds = 0});
  progress.on_start(start_of(0));
  StepEvent event = step_event(1);
  event.loss = 4;
  progress.on_step(event);
  event = step_event(2);
  event.loss = 2;
  progress.on_step(event);
  const std::vector<std::string> lines = split(out.text(), '\n');
  EXPECT_NE(lines[1].find("loss 4.000"), std::string::npos);
  EXPECT_NE(lines[2].find("loss 2.974"), std::string::npos) << lines[2];  // (0.95 * 4 + 2) / 1.95
}

TEST(Readable, GroupsDigits) {
  EXPECT_EQ(readable_count(0), "0");
  EXPECT_EQ(readable_count(999), "999");
  EXPECT_EQ(readable_count(1000), "1,000");
  EXPECT_EQ(readable_count(1234567), "1,234,567");
  EXPECT_EQ(readable_count(-1234), "-1,234");
  EXPECT_EQ(readable_count(-123), "-123");
}

TEST(Readable, KeepsThreeDigitsOfAQuantity) {
  EXPECT_EQ(readable_quantity(0), "0");
  EXPECT_EQ(readable_quantity(950.4), "950");
  EXPECT_EQ(readable_quantity(999.6), "1.00k");
  EXPECT_EQ(readable_quantity(12345), "12.3k");
  EXPECT_EQ(readable_quantity(99960), "100k");
  EXPECT_EQ(readable_quantity(4560000), "4.56M");
}

TEST(Readable, WritesDurationsLikeAClock) {
  EXPECT_EQ(readable_duration(0), "0:00");
  EXPECT_EQ(readable_duration(59.4), "0:59");
  EXPECT_EQ(readable_duration(59.6), "1:00");
  EXPECT_EQ(readable_duration(3 * 3600 + 4 * 60 + 5), "3:04:05");
  EXPECT_EQ(readable_duration(2 * 86400 + 3 * 3600), "2d 03h");
  EXPECT_EQ(readable_duration(-1), "-:--");
  EXPECT_EQ(readable_duration(1e300), "-:--");
}

TEST(Readable, GivesMeasuresAFewDigits) {
  EXPECT_EQ(readable_measure(0.01234), "0.0123");
  EXPECT_EQ(readable_measure(2.3144), "2.314");
  EXPECT_EQ(readable_measure(41.2), "41.20");
  EXPECT_EQ(readable_measure(9897.13), "9897");
  EXPECT_EQ(readable_measure(1e30), "1.00e+30");
}

}  // namespace
}  // namespace attend
