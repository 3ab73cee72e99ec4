#include "attend/tasks/language/training_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/data/batching/mixture.h"
#include "attend/data/documents.h"
#include "attend/error.h"

namespace attend {

namespace {

void append_units(const std::string& file, const DocumentOptions& options,
                  std::vector<std::string>& units) {
  std::vector<std::string> more = read_units(file, options);
  units.insert(units.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// Reads files, of which there may be none.
std::vector<std::string> read_all(const std::vector<std::string>& files,
                                  const DocumentOptions& options) {
  std::vector<std::string> units;
  for (const std::string& file : files) append_units(file, options, units);
  if (!files.empty()) require_text(units, files);
  return units;
}

// Reads the shards of each folder as a stream of its own.
TrainingStream stored_stream(const PreparedText& text, std::vector<std::string>& notes) {
  TrainingStream train;
  std::vector<std::shared_ptr<const TokenStream>> parts;
  auto shard = text.shards.begin();
  for (std::size_t folder = 0; folder < text.folders.size(); ++folder) {
    const auto begin = shard;
    for (std::int64_t samples = 0; samples < text.samples[folder]; ++shard)
      samples += (*shard)->samples();
    parts.push_back(std::make_shared<const StoredTokens>(std::vector(begin, shard)));
    train.add_part(text.folders[folder], std::max<std::int64_t>(parts.back()->size() - 1, 0));
  }
  train.tokens = std::make_shared<const JoinedTokens>(std::move(parts));
  notes.push_back(
      fmt::format("training text: {}", text.manifest.lines.summary(train.tokens->size() - 1)));
  notes.push_back(
      fmt::format("it stays on disk, in {}", counted(std::ssize(text.shards), "shard")));
  return train;
}

TrainingStream encoded_stream(const LanguageTraining& o, const LanguageTrainingText& text,
                              const LanguageModel& model, std::vector<std::string>& notes) {
  TrainingStream train;
  LanguageText whole;
  const StreamFormat format = model.text.stream();
  for (std::size_t file = 0; file < text.ends.size(); ++file) {
    const std::size_t begin = file == 0 ? 0 : text.ends[file - 1];
    const std::int64_t before = std::max<std::int64_t>(whole.targets(), 0);
    append_language(whole, std::span(text.units).subspan(begin, text.ends[file] - begin),
                    model.tokenizer, format);
    train.add_part(o.data.train[file], std::max<std::int64_t>(whole.targets() - before, 0));
  }
  notes.push_back(fmt::format("training text: {}", whole.summary()));
  if (o.loss.output_sample > 0)
    train.sampler.emplace(whole.stream, model.tokenizer.vocab_size(), o.loss.output_sample,
                          o.trainer.seed);
  train.tokens = std::make_shared<const TokensInMemory>(std::move(whole.stream));
  return train;
}

}  // namespace

Tokenizer learned_vocabulary(std::span<const std::string> units, const TokenizerOptions& options,
                             bool documents) {
  if (!documents) return Tokenizer::train(units, options);
  if (options.type != TokenizerType::byte_bpe)
    throw ConfigError(fmt::format(
        "tokenizer: expected byte-bpe for documents, got {}, which does not keep line breaks and "
        "spaces",
        enum_names(options.type)[static_cast<std::size_t>(options.type)]));
  if (options.normalization != Normalization::identity &&
      options.normalization != Normalization::nfkc)
    throw ConfigError(fmt::format(
        "normalization: expected identity or nfkc for documents, got {}, which merges spaces and "
        "line breaks",
        enum_names(options.normalization)[static_cast<std::size_t>(options.normalization)]));
  return Tokenizer::train(lines_of(units), options);
}

void settle_vocabulary(TokenizerOptions& options, bool documents, const IsSet& is_set) {
  if (!documents) return;
  if (!is_set("tokenizer")) options.type = TokenizerType::byte_bpe;
  if (!is_set("normalization")) options.normalization = Normalization::identity;
}

LanguageTrainingText read_training_text(const LanguageTraining& o) {
  const auto files = [&o](const std::vector<std::string>& names) {
    return in_folder(o.data.data, names);
  };
  const std::vector<std::string> train = files(o.data.train), valid = files(o.data.valid),
                                 old = files(o.replay.text), old_valid = files(o.replay.valid);
  for (const std::vector<std::string>* all : {&train, &valid, &old, &old_valid})
    require_readable(*all);
  const DocumentOptions& units = o.data.units;
  LanguageTrainingText text{
      {}, {}, {}, read_all(valid, units), read_all(old, units), read_all(old_valid, units)};
  if (!o.data.prepared.empty()) {
    text.prepared = open_prepared(files(o.data.prepared), LanguageTraining::kName);
    return text;
  }
  for (const std::string& file : train) {
    append_units(file, units, text.units);
    text.ends.push_back(text.units.size());
  }
  require_text(text.units, train);
  return text;
}

TrainingStream training_stream(const LanguageTraining& o, const LanguageTrainingText& text,
                               const LanguageModel& model, std::vector<std::string>& notes) {
  return text.prepared ? stored_stream(*text.prepared, notes)
                       : encoded_stream(o, text, model, notes);
}

LanguageBatcher training_batches(const LanguageTraining& o, const TrainingStream& train,
                                 std::vector<std::string>& notes) {
  const std::uint64_t seed = o.trainer.seed;
  if (o.data.mixture.is_default())
    return LanguageBatcher(train.tokens, o.data.windows, o.data.batch, seed);
  TextWindows windows(train.targets, o.data.windows);
  const auto counts = windows.counts();
  const auto mixture = std::make_shared<const Mixture>(
      std::vector<std::int64_t>(counts.begin(), counts.end()), o.data.mixture, seed);
  for (std::string& line : mixture->summary(train.names, "window"))
    notes.push_back(std::move(line));
  return LanguageBatcher(train.tokens, std::move(windows), o.data.batch, seed,
                         [mixture](std::int64_t epoch) { return mixture->samples(epoch); });
}

}  // namespace attend
