// Every option of evaluate, which measures three kinds of things, alone: what it changes, and that
// it changes nothing else.
#include "cli/commands/command_option_effects.h"
#include "tasks/small_quality.h"

namespace attend {
namespace {

const std::vector<OptionCase> kTranslationScores{
    {"format", "json", "", "out"},
    {"digits", "4", "", "out"},
    {"hypotheses", "@second", "", "out"},
    {"references", "@second", "", "out"},
    {"baseline", "@second", "", "out"},
    {"tokenize", "char", "", "out"},
    {"lowercase", "yes", "", "out"},
    {"smooth-method", "floor", "", "out"},
    {"smooth-value", "0.5", "--smooth-method floor", "out"},
    {"smooth-value", "0.5", "--smooth-method add-k", "out"},
    {"max-ngram-order", "2", "", "out"},
    {"effective-order", "yes", "", "out"},
    {"allow-subwords", "yes", "--baseline @pieces --bootstrap-samples 50", "status out error"},
    {"chrf-char-order", "3", "", "out"},
    {"chrf-word-order", "2", "", "out"},
    {"chrf-beta", "1", "", "out"},
    {"chrf-lowercase", "yes", "", "out"},
    {"bleu", "no", "", "out"},
    {"chrf", "no", "", "out"},
    {"ter", "yes", "", "out"},
    {"ter-normalized", "yes", "--ter", "out"},
    {"ter-no-punct", "yes", "--ter", "out"},
    {"ter-asian-support", "yes", "--ter", "out"},
    {"ter-case-sensitive", "yes", "--ter", "out"},
    {"confidence", "yes", "", "out"},
    {"bootstrap-samples", "60", "--confidence --bootstrap-samples 50", "out"},
    {"seed", "2", "--confidence --bootstrap-samples 50", "out"},
    {"seed", "2", "--baseline @second --bootstrap-samples 50", "out"},
    {"significance", "randomization", "--baseline @second", "out"},
    {"trials", "50", "--baseline @second --significance randomization", "out"},
    {"breakdown", "yes", "--sources @source --worst 1", "out"},
    {"sources", "@source", "--worst 1", "out"},
    {"worst", "2", "", "out"},
    {"training-text", "@training", "--sources @source --breakdown", "out"},
    {"src-lang", "de", "--sources @source --breakdown --tgt-lang en", "out"},
    {"tgt-lang", "de", "--sources @source --breakdown --src-lang de --format json", "out"},
    {"comet", "@kiwi", "--sources @source --worst 1", "out"},
    {"comet", "@kiwi",
     "--sources @source --worst 1 --baseline @second --significance randomization", "out"},
    {"sources", "@reference", "--comet @kiwi --sources @source", "out"},
    {"threads", "2", "--sources @source --comet @kiwi", ""},
    {"threads", "2", "--sources @source --breakdown --worst 2", ""},
    {"threads", "2", "", ""},
};
const std::vector<OptionCase> kPerplexity{
    {"text", "@test.en", "", "out"},
    {"format", "json", "", "out"},
    {"digits", "5", "", "out"},
    {"context", "6", "", "out"},
    {"stride", "2", "", "out"},
    {"batch-tokens", "40", "--digits 4", ""},
    {"cache-tokens", "50", "", "out"},
    {"cache-weight", "0.4", "--cache-tokens 50", "out"},
    {"cache-beta", "3", "--cache-tokens 50", "out"},
    {"threads", "2", "--digits 9", ""},
};
const std::vector<OptionCase> kClassification{
    {"labeled", "@some.tsv", "", "out"},
    {"format", "json", "", "out"},
    {"label-column", "3", "", "out"},
    {"text-column", "3", "", "out"},
    {"header", "yes", "", "out"},
    {"threads", "2", "", ""},
    {"errors", "@made/errors.tsv", "", "files"},
    {"table", "csv", "", "out status error"},
    {"second-column", "3", "", "out"},
    {"reliability", "yes", "", "out"},
    {"reliability", "yes", "--format json", "out"},
};
const std::vector<OptionCase> kSeveralLabels{
    {"reliability", "yes", "", "out"},
    {"threshold", "0.9", "", "out"},
    {"label-separator", "|", "", "out status error"},
};
const std::vector<OptionCase> kPairsOfTexts{
    {"pairs", "@others.tsv", "", "out"},
    {"scored", "@others.tsv", "", "out"},
    {"format", "json", "", "out"},
    {"anchor-column", "4", "", "out"},
    {"positive-column", "5", "", "out"},
    {"score-column", "6", "", "out"},
    {"header", "yes", "", "out"},
    {"threads", "2", "", ""},
    {"table", "csv", "", "out status error"},
};
const std::vector<OptionCase> kLabeledTexts{
    {"labeled", "@some.tsv", "", "out"},
    {"label-column", "3", "", "out"},
    {"text-column", "3", "", "out"},
};

TEST_F(CommandOptionEffects, OfEvaluateOnTranslations) {
  write("first", "The man sees the small Dog, today.\nA child sleeps.\nno match\n");
  write("reference",
        "The man sees the small dog today.\nA Child is asleep.\nsomething else entirely\n");
  write("second", "The man hears a dog.\nA child sleeps here.\nsomething else\n");
  write("source",
        "Der Mann sieht heute den kleinen Hund.\nDas Kind schläft nicht.\nGanz etwas anderes\n");
  write("training", "the man sees the dog\nthe child\n");
  write("pieces", "The man sees the sm@@ all dog today.\nA child sl@@ eeps.\nno match\n");
  save_checkpoint(path("kiwi"),
                  finished_checkpoint_of(small_quality_model(QualityReading::joined, true, false)));
  expect_cases("evaluate --hypotheses @first --references @reference", kTranslationScores);
  expect_config_file("evaluate --hypotheses @first --references @reference", "--lowercase",
                     "lowercase = true\n");
}

TEST_F(CommandOptionEffects, OfEvaluateOnLanguageModels) {
  train_language_model();
  expect_cases("evaluate @model --text @valid.en", kPerplexity);
}

TEST_F(CommandOptionEffects, OfEvaluateOnClassifiers) {
  train_classifier();
  std::string all = read(path("train.tsv"));
  write("all.tsv", all.substr(all.find('\n') + 1));
  write("some.tsv", "even\tThe man sees the dog.\tx\nodd\tA child sleeps.\ty\n");
  expect_cases("evaluate @model --labeled @all.tsv", kClassification);
}

TEST_F(CommandOptionEffects, OfEvaluateOnClassifiersOfSeveralLabels) {
  train_several_labels();
  expect_cases("evaluate @model --labeled @several.tsv", kSeveralLabels);
}

TEST_F(CommandOptionEffects, OfEvaluateOnEmbedders) {
  train_embedder();
  write("pairs.tsv",
        "The man sees.\tA man sees.\t5\tThe dog sees.\tA child sleeps here.\t1\n"
        "The dog sleeps.\tA dog sleeps.\t2\tThe old man.\tThe man sees the small dog.\t7\n"
        "The child.\tThe old dog.\t1\tA child sees the man.\tThe child sleeps.\t3\n"
        "A small child.\tThe man sees.\t3\tA man.\tAn old man sees.\t4\n");
  write("others.tsv",
        "The man.\tA child.\t1\nThe dog.\tThe man sees.\t0\n"
        "A dog.\tA dog sees the child.\t7\n");
  expect_cases("evaluate @model --pairs @pairs.tsv --scored @pairs.tsv", kPairsOfTexts);
  write("all.tsv",
        "x\tThe man sees.\tx\nx\tA man sleeps.\ty\ny\tThe dog sees.\tx\ny\tA dog sleeps "
        "here.\tz\nx\tThe man is here.\ty\ny\tA small dog.\tz\n");
  write("some.tsv", "x\tThe man.\nx\tA child.\ny\tA dog sees the child.\n");
  expect_cases("evaluate @model --labeled @all.tsv", kLabeledTexts);
  expect_usage_error(with_paths("evaluate @model"), {"--pairs", "got none"});
  expect_usage_error(with_paths("evaluate @model --pairs @pairs.tsv --labeled @all.tsv"),
                     {"--pairs", "got both"});
  expect_usage_error(with_paths("evaluate @model --pairs @pairs.tsv --errors @x"),
                     {"--errors", "an embedding model"});
}

TEST_F(CommandOptionEffects, OfEvaluateAreAllTested) {
  expect_a_case_for_every_option("evaluate",
                                 {kTranslationScores, kPerplexity, kClassification, kSeveralLabels,
                                  kPairsOfTexts, kLabeledTexts},
                                 {"config", "document-end"});
}

}  // namespace
}  // namespace attend
