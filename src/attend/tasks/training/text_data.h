// The files that a task trains on and validates with, for tasks with one text per sample.
#pragma once

#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/batching/batch_plan.h"

namespace attend {

struct TextDataOptions {
  std::string data;
  std::vector<std::string> train;
  std::vector<std::string> valid;
  std::string language;
  BatchOptions batch;
};

// The help of the options that tasks describe in words of their own.
struct TextDataHelp {
  const char* train;
  const char* valid;
  const char* language = "language of the texts, such as en, stored in the model";
};

template <class Visitor>
void fields(TextDataOptions& o, const TextDataHelp& help, Visitor&& visit) {
  visit("data", o.data, "folder that file names are relative to");
  visit("train", o.train, help.train);
  visit("valid", o.valid, help.valid);
  visit("language", o.language, help.language);
  fields(o.batch, visit);
}

}  // namespace attend
