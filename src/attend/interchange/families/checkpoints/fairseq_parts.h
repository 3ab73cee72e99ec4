// What checkpoints of fairseq share, whatever the task of their model: settings, options, texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/subwords.h"
#include "attend/interchange/families/families.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

// The id of padding; the first position is behind it.
inline constexpr int kFairseqPad = 1;

// The settings of the model and of its task: one namespace of all options, or one for each.
struct FairseqSettings {
  ForeignConfig model, task;
  std::string subwords;  // the kind that was named in training; empty: none
};

FairseqSettings read_fairseq_settings(const OpenedCheckpoint& checkpoint);

// What all stacks have: the activation, dropout, and the scale of embeddings.
void read_fairseq_parts(ForeignConfig& config, StackConfig& shape);
// Throws DataError for parts that are not supported.
void refuse_other_fairseq_parts(ForeignConfig& config);
// Throws DataError for an option of the model that nobody has read. Those of other parts of fairseq
// do not matter.
void ignore_other_fairseq_options(ForeignConfig& config);

CheckpointModel read_fairseq_translator(const OpenedCheckpoint& checkpoint,
                                        FairseqSettings settings);
CheckpointModel read_fairseq_language(const OpenedCheckpoint& checkpoint, FairseqSettings settings);

// The number of the format of a stack; without it, the first.
int fairseq_version(TensorTable& weights, const std::string& name);
// The rows of a learned table behind those of no position. Throws DataError.
int fairseq_positions_in(const TensorTable& weights, const std::string& name);
// The names of older files, where the weights of queries, keys and values were one tensor. Adds
// them to rules if the stack, "encoder" or "decoder", has such names.
void add_older_fairseq_names(const TensorTable& weights, std::string_view stack,
                             std::vector<NameRule>& rules);

// The file that splits words. Throws DataError for kinds that are not supported.
SubwordFile find_fairseq_subwords(const ModelDirectory& directory, const std::string& kind,
                                  std::vector<std::string>& remarks);
// A tokenizer of the entries of a dictionary.
Tokenizer fairseq_tokenizer(const ModelDirectory& directory, const SubwordFile& file,
                            const std::string& dictionary, std::vector<std::string>& remarks);

}  // namespace attend
