// What the opaque types of attend/c/attend.h are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "attend/base_model.h"
#include "attend/c/attend.h"
#include "attend/runtime.h"
#include "attend/training.h"

struct attend_error {
  std::int32_t code = ATTEND_OTHER_ERROR;
  std::string message;
};

struct attend_cancellation {
  std::atomic<bool> asked = false;
  std::function<bool()> asked_elsewhere = {};  // where nobody can set `asked` during a call

  bool is_asked() const { return asked || (asked_elsewhere && asked_elsewhere()); }
};

struct attend_runtime {
  std::shared_ptr<attend::Runtime> threads;
};

struct attend_texts {
  std::vector<std::string> list;
};

struct attend_options {
  std::vector<attend::TrainingOption> list;
};

struct attend_model {
  attend::BaseModel base;
  std::string task;
  std::vector<std::string> labels;
};

namespace attend {

// A text of an answer, with what is known of it.
struct ResultChoice {
  std::string text = {};
  float score = std::numeric_limits<float>::quiet_NaN();
  std::int64_t index = -1;
  std::string label = {};
  std::int64_t begin = -1, end = -1;
  bool complete = true;
  std::vector<std::string> tokens = {};
  std::vector<float> token_scores = {};
  std::vector<std::int32_t> alignment = {};  // [pairs, 2]
};

struct ResultItem {
  std::vector<ResultChoice> choices;
  std::int64_t rows = 0, width = 0;
  std::vector<float> vectors = {};  // [rows, width]
};

}  // namespace attend

struct attend_result {
  std::vector<attend::ResultItem> items;
};
