// Every option of attend filter, alone: what it changes, and that it changes nothing else.
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

class FilterOptionEffects : public CommandOptionEffects {
 protected:
  FilterOptionEffects() {
    write("in.en",
          "the dog is in the garden\nthe dog\na cat\na cat 123\nthe same\na cat !!!!\n"
          "der Hund ist nicht in dem Garten\nthe old dog of the man sleeps\n"
          "donaudampfschifffahrt\nmouse\nx\nthe dog the dog the dog sleeps\n");
    write("in.de",
          "der Hund ist in dem Garten\nder Hund\neine Katze\neine Katze 123\nthe same\n"
          "eine Katze !!!!\nder Hund ist in dem Haus\nder alte Hund\nFahrt\nMaus\nMaus\nder Hund "
          "des Mannes schläft\n");
    write("in.tsv", "the dog\tder Hund\n");
    write("more.en", "another line\n");
    write("more.de", "noch eine Zeile\n");
    write("other.en", "one other line\n");
    write("other.de", "eine andere Zeile\n");
  }
  static inline const std::string kFiles =
      "filter --src @in.en --tgt @in.de --out-src @made/en --out-tgt @made/de";
};

TEST_F(FilterOptionEffects, OfRules) {
  const std::string both = "out files";
  const std::vector<OptionCase> cases{
      {"out-src", "@made/other", "", "files"},
      {"out-tgt", "@made/other", "", "files"},
      {"rejected", "@made/rejected", "", "files"},
      {"tag", "<bt>", "", "files"},
      {"min-words", "3", "", both},
      {"max-words", "4", "", both},
      {"min-characters", "5", "", both},
      {"max-characters", "10", "", both},
      {"max-word-length", "10", "", both},
      {"min-letters", "0.9", "", both},
      {"max-digits", "0.2", "", both},
      {"max-punctuation", "0.2", "", both},
      {"max-length-ratio", "2", "", both},
      {"max-character-ratio", "2", "", both},
      {"drop-identical", "no", "", both},
      {"drop-repeating", "yes", "", both},
      {"unique-sources", "yes", "", both + "?"},
      {"unique-targets", "yes", "", both},
      {"unique-memory", "1", "", ""},
      {"src-lang", "en", "", both},
      {"tgt-lang", "de", "", "out files?"},
      {"language-odds", "0.001", "--src-lang en", both},
      {"language-odds", "0", "--src-lang en", both},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases(kFiles, cases);
  const std::vector<OptionCase> files{{"src", "@other.en", "", "files"},
                                      {"tgt", "@other.de", "", "files"}};
  expect_cases("filter --src @more.en --tgt @more.de --out-src @made/en --out-tgt @made/de", files);
  const std::vector<OptionCase> twice{{"unique", "no", "", both}};
  expect_cases(
      "filter --src @in.en @in.en --tgt @in.de @in.de --out-src @made/en --out-tgt @made/de",
      twice);
  const std::vector<OptionCase> of_columns{{"tsv", "@in.tsv @in.tsv", "", "out"},
                                           {"out", "@made/other", "", "files"}};
  expect_cases("filter --tsv @in.tsv --out @made/out", of_columns);
  const std::vector<OptionCase> of_text{{"text", "@in.de", "", both}};
  expect_cases("filter --text @in.en --out @made/out", of_text);
  expect_config_file(kFiles, "--max-words 4", "max-words = 4\n");

  train_translator();
  const std::vector<OptionCase> scores{
      {"min-score", "-0.5", "", both},
      {"max-unaligned", "0.05", "", "out files?"},
      {"max-tokens", "5", "", both},
      {"keep-best", "0.5", "", both},
  };
  expect_cases(
      "filter --src @test.en --tgt @test.de --out-src @made/en --out-tgt @made/de "
      "--score-with @model",
      scores);
  expect_a_case_for_every_option("filter", {cases, files, twice, of_columns, of_text, scores},
                                 {"config", "score-with"});
}

// The languages of a model of several are those that the text is checked for.
TEST_F(FilterOptionEffects, OfLanguagesOfAModel) {
  import_languages();
  expect_cases(
      "filter --src @test.en --tgt @test.de --out-src @made/en --out-tgt @made/de --language-odds "
      "0 "
      "--score-with @languages --keep-best 0.5 --format json --src-lang eng_Latn --tgt-lang "
      "deu_Latn",
      {{"src-lang", "fra_Latn", "", "out files?"}, {"tgt-lang", "fra_Latn", "", "out files?"}});
}

}  // namespace
}  // namespace attend
