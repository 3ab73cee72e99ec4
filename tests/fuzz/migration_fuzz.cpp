// Configurations of Marian and fairseq against hostile text: recipes, or an error that is one short
// line.
#include <stdexcept>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/migration/migrated_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::migration_fuzz {
namespace {

void expect_one_line(const std::string& message) {
  if (message.size() > 4000 || message.find('\n') != message.npos || !is_utf8(message))
    throw std::logic_error("an error that is not one short line");
}

void use(std::string_view input) {
  for (const MigrationSource source : {MigrationSource::automatic, MigrationSource::marian,
                                       MigrationSource::fairseq, MigrationSource::opennmt}) {
    try {
      const MigratedFile file = migrate(input, "fuzz", source);
      const std::string text = migrated_text(file, "fuzz");
      if (!is_utf8(text)) throw std::logic_error("a recipe that is not UTF-8");
    } catch (const ConfigError& error) {
      expect_one_line(error.what());
    } catch (const DataError& error) {
      expect_one_line(error.what());
    }
  }
}

std::vector<std::string> corpus() {
  return {
      "type: transformer\ntask: transformer-base\ntrain-sets: [a.en, a.de]\nvocabs:\n  - v.spm\n"
      "  - v.spm\ndim-vocabs: [100, 100]\nlr-warmup: 16K\nlr-decay-inv-sqrt: [16000u, 1e]\n"
      "after: 10e,2Gt\nmini-batch-words: 100\noptimizer-delay: 2\nclip-norm: 1\n"
      "sentencepiece-options: --model_type=bpe\ntransformer-preprocess: n\n",
      "models: [a.npz]\nbeam-size: 4\noutput-sampling: [topk, 3, 0.5]\nalignment: hard\n",
      "A=b\nfairseq-preprocess -s de -t en --trainpref $A/train --nwordssrc 9\nX=1 fairseq-train "
      "d --arch transformer --adam-betas '(0.9, 0.98)' \\\n --lr 5e-4 --fp16 --eval-bleu-args "
      "'{\"beam\": 5}' --update-freq 2 > log 2>&1 &\n",
      "data:\n  corpus_1:\n    path_src: a\n    path_tgt: b\n    weight: 2\n  valid:\n    "
      "path_src: "
      "c\ntransforms: [sentencepiece]\nbatch_type: tokens\nbatch_size: 9\naccum_count: [2]\n"
      "decay_method: noam\nposition_encoding: 'true'\nmax_relative_positions: -1\n",
      "src: a\nmodel: [m.pt]\nbeam_size: 4\nrandom_sampling_topk: 3\n",
      "fairseq-generate d --path a:b --beam 5 --max-len-a 1.2 --sampling --remove-bpe\n",
      "$M/marian -t a b --type transformer --normalize --lr-warmup 16000 -w 9000\n"};
}

std::vector<std::string> dictionary() {
  return {"fairseq-train ",
          "marian ",
          "--lr ",
          "--",
          "-s ",
          "'",
          "\"",
          "\\\n",
          "$A",
          "${A}",
          "$(",
          "`",
          "A=b\n",
          "> ",
          "2>&1",
          "#",
          "\n",
          ": ",
          "- ",
          "[",
          "]",
          "1e999",
          "-1",
          "nan",
          "16Ku",
          "2Gt",
          "10e",
          "true",
          "none",
          "dim-emb",
          "vocabs",
          "after",
          "task: ",
          "\xff",
          "\xe2\x80\xa8",
          "{",
          "}",
          "|",
          ";",
          "&&"};
}

const RegisteredFuzzTarget registered{{"migration", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::migration_fuzz
