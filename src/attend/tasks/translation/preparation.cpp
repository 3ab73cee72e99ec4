#include "attend/tasks/translation/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/random/reservoir_sample.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/tasks/training/training_task.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/tasks/translation/training/training_text.h"

namespace attend {

namespace {

struct PairFiles {
  std::vector<std::string> src, tgt;
};

// What the first reading of a text finds.
struct PairScan {
  std::int64_t pairs = 0;
  std::vector<std::string> src, tgt;  // the sample
};

PairScan scan(const PairFiles& files, const PreparedFolderOptions& options,
              const Advance& advance) {
  ReservoirSample<std::pair<std::string, std::string>> sample(
      options.tokenizer_from.empty() ? options.sample_lines : 0,
      RandomKey{options.seed, stream_of("prepare.sample")});
  std::int64_t blank_src = 0, blank_tgt = 0;
  ParallelReader reader(files.src, files.tgt);
  ParallelText part;
  while (reader.read(kPreparedAtOnce, part)) {
    blank_src += std::ranges::count_if(part.src, is_blank);
    blank_tgt += std::ranges::count_if(part.tgt, is_blank);
    for (std::size_t i = 0; i < part.src.size(); ++i)
      sample.add({std::move(part.src[i]), std::move(part.tgt[i])});
    if (advance) advance(std::ssize(part.src));
  }
  PairScan found{sample.seen(), {}, {}};
  if (blank_src == found.pairs) refuse_blank_text(blank_src, files.src);
  if (blank_tgt == found.pairs) refuse_blank_text(blank_tgt, files.tgt);
  for (auto& [src, tgt] : sample.take()) {
    found.src.push_back(std::move(src));
    found.tgt.push_back(std::move(tgt));
  }
  return found;
}

// The second reading, of so many pairs.
void encode(const PairFiles& files, std::int64_t pairs, const Advance& advance,
            PreparedFolder& folder) {
  PreparedManifest& manifest = folder.manifest();
  const auto& [src, tgt] = folder.vocabularies();
  KindSample src_kind(pairs, src), tgt_kind(pairs, tgt);
  ParallelReader reader(files.src, files.tgt);
  ParallelText part;
  while (reader.read(kPreparedAtOnce, part)) {
    for (const std::string& line : part.src) src_kind.add(line);
    for (const std::string& line : part.tgt) tgt_kind.add(line);
    const EncodedPairs encoded = encode_parallel(part, src, tgt, manifest.length, manifest.pairs);
    for (std::int64_t i = 0; i < encoded.src.sequences(); ++i)
      folder.shards().add(std::array{encoded.src[i], encoded.tgt[i]});
    if (advance) advance(std::ssize(part.src));
  }
  TextKind &src_text = manifest.text_kinds["src"], &tgt_text = manifest.text_kinds["tgt"];
  src_text = src_kind.kind(src_text.language);
  tgt_text = tgt_kind.kind(tgt_text.language);
}

}  // namespace

PreparationResult prepare_text(const TranslationPreparation& o, const Advance& advance) {
  require_files(o.data);
  check_options(o.data.length);
  const PairFiles files{in_folder(o.data.data, o.data.src_train),
                        in_folder(o.data.data, o.data.tgt_train)};
  std::vector<std::string> all = files.src;
  all.insert(all.end(), files.tgt.begin(), files.tgt.end());
  require_preparable(o.preparation, all);

  PairScan found = scan(files, o.preparation, advance);
  const Vocabularies vocabularies = o.preparation.tokenizer_from.empty()
                                        ? train_vocabularies(found.src, found.tgt, o.vocabulary)
                                        : vocabularies_from(o.preparation.tokenizer_from);
  const std::int64_t learned_from = std::ssize(found.src);
  found.src = found.tgt = {};  // memory

  PreparedManifest manifest;
  manifest.task = TranslationTraining::kName;
  manifest.vocabulary.pretokenized = o.vocabulary.tokenizer.pretokenized;
  manifest.length = o.data.length;
  manifest.text_kinds["src"].language = src_language_of(o.data);
  manifest.text_kinds["tgt"].language = tgt_language_of(o.data);
  manifest.format = {.sequences = 2,
                     .id_bytes = id_bytes_for(
                         std::max(vocabularies.src.vocab_size(), vocabularies.tgt.vocab_size()))};
  PreparedFolder folder(o.preparation, vocabularies, std::move(manifest));
  encode(files, found.pairs, advance, folder);
  const ReadReport& report = folder.manifest().pairs;
  if (report.kept == 0) refuse_without_pairs(files.src.front(), o.data.length, report);
  return {folder.commit(), learned_from};
}

}  // namespace attend
