// The rules that clean text, and the reader of its pairs, against hostile bytes: every line is kept
// or dropped by a rule that is on, in every layout.
#include <algorithm>
#include <stdexcept>

#include "attend/data/filter/reader.h"
#include "attend/data/filter/rules.h"
#include "attend/error.h"
#include "core/gzip.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::text_filter_fuzz {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

FilterOptions all_rules() {
  FilterOptions options;
  options.lines = {.min_words = 2,
                   .max_words = 5,
                   .min_characters = 3,
                   .max_characters = 40,
                   .max_word_length = 10,
                   .min_letters = 0.3,
                   .max_digits = 0.5,
                   .max_punctuation = 0.5};
  options.pairs.max_character_ratio = 2;
  options.languages = {"en", "ja"};
  return options;
}

void filter(const PairFiles& files) {
  PairReader reader(files);
  const PairRules strict(all_rules(), reader.in_pairs()), lenient({}, reader.in_pairs());
  for (TextPair pair; reader.next(pair);) {
    require(pair.src.find('\n') == pair.src.npos && pair.tgt.find('\n') == pair.tgt.npos,
            "a side of two lines");
    for (const PairRules* rules : {&strict, &lenient}) {
      const auto broken = rules->broken_by(pair);
      const auto on = rules->rules();
      require(!broken || std::find(on.begin(), on.end(), *broken) != on.end(),
              "a rule that is not on");
      require(pair.fault.empty() || broken == FilterRule::not_text, "kept what is no text");
    }
  }
}

std::vector<std::string> corpus() {
  const std::string text = "The dog sleeps.\tDer Hund schläft.\t1\nno tab\n\t\n犬は庭で\t狗在\n";
  return {text, gzip(text), "\xff\t\xfe\n", std::string("a\tb\0\n", 5), ""};
}

std::vector<std::string> dictionary() {
  return {"\n",           "\r\n",  "\t", "\xe2\x80\x8b", "\xc2\xa0",
          "\xef\xbb\xbf", " the ", "犬", "\xcc\x81"};
}

void use(std::string_view input) {
  static const FuzzFile file;
  file.write(input);
  for (const PairLayout layout : {PairLayout::parallel, PairLayout::tsv, PairLayout::single}) {
    PairFiles files{layout, {file.path()}, {}};
    if (layout == PairLayout::parallel) files.tgt = files.src;
    try {
      filter(files);
    } catch (const DataError&) {
    }
  }
}

const RegisteredFuzzTarget registered{{"text_filter", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::text_filter_fuzz
