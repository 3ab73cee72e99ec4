#include "attend/tasks/translation/training/translated_pairs.h"

#include <filesystem>
#include <string>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "checkpoint/test_folder.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

class TranslatedPairsTest : public FolderTest {
 protected:
  // Sentences, and what a translator wrote for them.
  void write_targets(const Texts& sentences, const Texts& translations) const {
    lines("mono", sentences);
    lines("written", translations);
  }
  TranslatedPairs pairs(WrittenSide side, const TranslatedPairOptions& options = {},
                        const std::string& to = "pairs") const {
    return write_translated_pairs(translator(), {path("mono"), path("written"), 0}, side, options,
                                  {}, path(to));
  }
  static Texts read(const std::filesystem::path& file) { return read_lines(file.string()); }

 private:
  void lines(const std::string& name, const Texts& texts) const {
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    write(path(name), all);
  }
};

TEST_F(TranslatedPairsTest, HaveATagBeforeSourcesThatWereWritten) {
  write_targets({"der Hund", "die Katze"}, {"the dog", "the cat"});
  const TranslatedPairs back = pairs(WrittenSide::source);
  EXPECT_EQ(read(back.src), (Texts{"<bt> the dog", "<bt> the cat"}));
  EXPECT_EQ(read(back.tgt), (Texts{"der Hund", "die Katze"}));
  TranslatedPairOptions options;
  options.tag = "";
  EXPECT_EQ(read(pairs(WrittenSide::source, options, "bare").src), (Texts{"the dog", "the cat"}));
}

TEST_F(TranslatedPairsTest, HaveNoTagBeforeRealSources) {
  write_targets({"the dog", "the cat"}, {"der Hund", "die Katze"});
  const TranslatedPairs forth = pairs(WrittenSide::target);
  EXPECT_EQ(read(forth.src), (Texts{"the dog", "the cat"}));
  EXPECT_EQ(read(forth.tgt), (Texts{"der Hund", "die Katze"}));
}

TEST_F(TranslatedPairsTest, AreFiltered) {
  write_targets(
      {"der Hund", "die Katze", "der alte Hund", "Wien", "der Hund"},
      {"the dog", "the cat and the dog and the man", "old old old old dog", "Wien", "the dog"});
  const TranslatedPairs left = pairs(WrittenSide::source);
  EXPECT_EQ(left.translations, 5);
  EXPECT_EQ(left.pairs, 1) << "a length ratio, a repetition, a copy and a duplicate";
  EXPECT_EQ(read(left.src), (Texts{"<bt> the dog"}));
  TranslatedPairOptions all;
  all.pairs = {.max_length_ratio = 0, .drop_identical = false};
  all.duplicates.unique = false;
  EXPECT_EQ(pairs(WrittenSide::source, all, "all").pairs, 5);
}

TEST_F(TranslatedPairsTest, MayBeTheBestByTheTranslatorThatWroteThem) {
  const Texts mono{"the old dog sees", "a small cat eats fish", "the dog", "chips & fish"};
  Texts written;
  for (const Translation& one : translator().translate(mono)) written.push_back(one.text());
  written[1] = written[3] = "dog dog cat fish old small";  // unlikely
  write_targets(mono, written);
  TranslatedPairOptions options;
  options.lines.min_letters = 0;
  options.pairs = {.max_length_ratio = 0, .drop_identical = false};
  options.keep_best = 0.5;
  for (const WrittenSide side : {WrittenSide::source, WrittenSide::target}) {
    const TranslatedPairs best =
        pairs(side, options, side == WrittenSide::source ? "back" : "forth");
    const Texts kept = read(side == WrittenSide::source ? best.tgt : best.src);
    EXPECT_EQ(kept, (Texts{mono[0], mono[2]}));
  }
  options.keep_best = 1;
  const std::vector<SequenceScore> scores = translator().score(mono, written);
  options.min_score =
      scores[0].log_probability / static_cast<double>(scores[0].token_scores.size()) - 1e-4;
  const Texts likely = read(pairs(WrittenSide::source, options, "likely").tgt);
  EXPECT_EQ(likely.front(), mono[0]);
  EXPECT_LT(likely.size(), mono.size());
}

TEST_F(TranslatedPairsTest, AreReadAgainAndRefusedForOthers) {
  write_targets({"der Hund", "die Katze"}, {"the dog", "die Katze"});
  const TranslatedPairs first = pairs(WrittenSide::source);
  const auto time = std::filesystem::last_write_time(first.src);
  const TranslatedPairs again = pairs(WrittenSide::source);
  EXPECT_EQ(again.translations, 2);
  EXPECT_EQ(again.pairs, 1);
  EXPECT_EQ(std::filesystem::last_write_time(again.src), time);
  TranslatedPairOptions options;
  options.tag = "<other>";
  expect_error<ConfigError>([&] { pairs(WrittenSide::source, options); },
                            {"the pairs in this folder were made"});
  write_targets({"der Hund", "die Katze"}, {"the dog", "the cat"});
  expect_error<ConfigError>([&] { pairs(WrittenSide::source); },
                            {"the pairs in this folder were made"});
}

TEST_F(TranslatedPairsTest, AreRefusedIfNoneIsLeft) {
  write_targets({"Wien"}, {"Wien"});
  expect_error<DataError>([&] { pairs(WrittenSide::source); },
                          {"left none of 1 pair: 1 drop-identical"});
  EXPECT_FALSE(std::filesystem::exists(path("pairs"))) << "other options may be tried";
}

}  // namespace
}  // namespace attend
