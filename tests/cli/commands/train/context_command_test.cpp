// A model that reads the sentences before a sentence with it.

#include <sstream>

#include "attend/core/random/random.h"
#include "cli/program_test.h"

namespace attend {
namespace {

// Documents of two sentences: an animal does something, and "it" does something else.
struct AnimalDocuments {
  std::string english, german;

  AnimalDocuments(int count, std::uint64_t seed) {
    static const char* const kAnimals[][3] = {{"the dog", "der hund", "er"},
                                              {"the cat", "die katze", "sie"},
                                              {"the calf", "das kalb", "es"}};
    static const char* const kVerbs[][2] = {
        {"sleeps", "schläft"}, {"eats", "frisst"}, {"runs", "läuft"}, {"drinks", "trinkt"}};
    Random random({seed, 0});
    for (int i = 0; i < count; ++i) {
      const auto& [animal, tier, pronoun] = kAnimals[random.below(3)];
      for (const bool first : {true, false}) {
        const auto& [verb, german_verb] = kVerbs[random.below(4)];
        english += std::string(first ? animal : "it") + " " + verb + "\n";
        german += std::string(first ? tier : pronoun) + " " + german_verb + "\n";
      }
      english += "\n";
      german += "\n";
    }
  }
};

class ContextCommand : public ProgramTest {
 protected:
  void train(const std::string& more) {
    const AnimalDocuments documents(300, 1);
    write("train.en", documents.english);
    write("train.de", documents.german);
    const std::string command =
        "train translation --src-train train.en --tgt-train train.de --tokenizer word --vocab-size "
        "26 --d-model 32 --n-heads 2 --d-ff 64 --n-encoder-layers 1 --n-decoder-layers 1 --dropout "
        "0 --batch-tokens 400 --max-steps 300 --warmup-steps 50 --valid-every 0 --data " +
        folder_ + " --out " + path("run") + " " + more;
    std::istringstream words(command);
    ASSERT_EQ(run({std::istream_iterator<std::string>(words), {}}), 0) << error_;
  }

  // The share of lines of other documents that are translated right.
  double right(const std::vector<std::string>& more) {
    const AnimalDocuments documents(50, 2);
    std::vector<std::string> arguments{"translate", path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments, documents.english), 0) << error_;
    std::istringstream found(out_), expected(documents.german);
    int lines = 0, same = 0;
    for (std::string a, b; std::getline(expected, a) && std::getline(found, b);) {
      if (a.empty()) continue;
      ++lines;
      same += a == b ? 1 : 0;
    }
    EXPECT_EQ(lines, 100);
    return static_cast<double>(same) / lines;
  }
};

TEST_F(ContextCommand, TranslatesWhatASentenceMeansInItsDocument) {
  train("--context 1");
  EXPECT_EQ(right({}), 1.0);
  EXPECT_LT(right({"--context", "0"}), 0.8) << "one pronoun for all animals";
  EXPECT_EQ(run({"info", path("run")}), 0);
  EXPECT_NE(out_.find("up to 1 sentence before"), std::string::npos) << out_;
  EXPECT_NE(run({"translate", path("run"), "--context", "2"}), 0);
  EXPECT_NE(error_.find("context: the model was trained with 1 sentence"), std::string::npos)
      << error_;
}

TEST_F(ContextCommand, KnowsNoContextWithoutIt) {
  train("");
  EXPECT_LT(right({}), 0.8);
}

TEST_F(ContextCommand, ReadsParagraphsAsADocumentAndCellsAlone) {
  train("--context 1");
  const auto translated = [&](const std::string& name, const std::string& content) {
    const std::string in = write("in" + name, content), out = path("out" + name);
    EXPECT_EQ(run({"translate", path("run"), "--file", in, "--out-file", out}), 0) << error_;
    return read(out);
  };
  EXPECT_EQ(translated(".html", "<p>the cat sleeps</p><p>it eats</p>"),
            "<p>die katze schläft</p><p>sie frisst</p>");
  EXPECT_EQ(translated(".srt",
                       "1\n00:00:01,000 --> 00:00:02,000\nthe calf runs\n\n"
                       "2\n00:00:09,000 --> 00:00:10,000\nit eats\n"),
            "1\n00:00:01,000 --> 00:00:02,000\ndas kalb läuft\n\n"
            "2\n00:00:09,000 --> 00:00:10,000\nes frisst\n");
  const auto cell = [&](const std::string& first) {
    const std::string table = translated(".csv", "a\n" + first + " sleeps\nit eats\n");
    return table.substr(table.find('\n', 2) + 1);
  };
  EXPECT_EQ(cell("the cat"), cell("the dog"));
  EXPECT_EQ(cell("the cat"), cell("the calf"));
}

}  // namespace
}  // namespace attend
