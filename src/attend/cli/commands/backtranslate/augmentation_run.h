// What `attend backtranslate` does: translators and what they write, part by part in a folder. Each
// part resumes where it was stopped.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "attend/cli/commands/backtranslate/augmentation_options.h"
#include "attend/cli/commands/backtranslate/augmentation_plan.h"
#include "attend/cli/commands/parts/part_cost.h"
#include "attend/cli/commands/parts/settled_options.h"
#include "attend/cli/commands/parts/trained_part.h"
#include "attend/cli/commands/train/run_variant.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

struct AugmentationArguments {
  AugmentationOptions options;
  SessionOptions session;           // of the run
  std::unique_ptr<Trainable> task;  // of translation
};

// Files of pairs.
struct PairFilePaths {
  std::vector<std::string> src, tgt;
};

class AugmentationRun {
 public:
  // All must outlive it. Throws ConfigError for options that do not fit together, IoError and
  // DataError for texts that cannot be read or are empty.
  AugmentationRun(AugmentationArguments& arguments, const IsSet& is_set);

  // Does what is missing, the training of the run last. Throws like train_task() and
  // write_targets().
  void run();
  // Measures a few steps of everything, which leaves nothing behind.
  PartCosts cost();

 private:
  struct Training {
    RunVariant variant;
    std::unique_ptr<SettledOptions> options;  // of the variant
  };

  void check_options_of_training() const;
  void check_symbols(const Training& training) const;
  // Text without translations, as absolute paths.
  std::vector<std::string> mono_of(TranslationDirection direction) const;
  LanguagePair languages_of(TranslationDirection direction) const;
  std::filesystem::path folder_of(const AugmentationPart& part) const;
  std::string name_of(const AugmentationPart& part) const;
  // Words that become one token each in every vocabulary.
  std::vector<std::string> symbols() const;
  // `written`: pairs that it learns from beside the given ones.
  Training training_of(const AugmentationPart& part, const PairFilePaths& written) const;
  void weigh_texts(Training& training, std::size_t written) const;
  // Throws ConfigError for one that reads another language.
  void require_language(const AugmentationPart& part, const TranslationModel& model) const;

  void train(const AugmentationPart& part, const PairFilePaths& written);
  PairFilePaths translate(const AugmentationPart& part, const std::string& model) const;
  TargetSource source_of(const AugmentationPart& part, std::string checksums) const;
  PartCost translation_cost(const AugmentationPart& part, const Teachers& translator,
                            TeacherState state) const;

  AugmentationArguments& arguments_;
  IsSet is_set_;
  SettledOptions given_;
  std::vector<AugmentationPart> plan_;
  PairFilePaths pairs_;  // that are given, as absolute paths
  std::string src_language_, tgt_language_;
};

}  // namespace attend
