#include "attend/interchange/tokenizers/tokenizer_directory.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "interchange/tokenizer_goldens.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;
using Files = std::map<std::string, std::string, std::less<>>;

ForeignTokenizer read_files(const Files& files) {
  return read_tokenizer_directory(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = files.find(name);
        return found == files.end() ? std::nullopt : std::optional(found->second);
      },
      "model");
}

const goldens::ForeignTokenizerGolden& golden(std::string_view name) {
  for (const auto& one : goldens::kForeignTokenizers)
    if (one.name == name) return one;
  throw std::logic_error("no such golden");
}

// The vocabulary of a golden as the older files have it.
std::vector<std::string> pieces_of_golden(const nlohmann::json& json) {
  std::vector<std::string> pieces(json["model"]["vocab"].size());
  for (const auto& [piece, id] : json["model"]["vocab"].items())
    pieces[id.get<std::size_t>()] = piece;
  return pieces;
}

std::string vocab_txt(const nlohmann::json& json, const char* end) {
  std::string lines;
  for (const std::string& piece : pieces_of_golden(json)) lines += piece + end;
  return lines;
}

void expect_ids(const ForeignTokenizer& foreign, const goldens::ForeignTokenizerGolden& expected) {
  for (std::size_t i = 0; i < goldens::kTokenizedTexts.size(); ++i)
    EXPECT_EQ(foreign.tokenizer.encode(goldens::kTokenizedTexts[i]), expected.ids[i]) << i;
}

TEST(TokenizerDirectory, ReadsTokenizerJsonWithTheNamesBesideIt) {
  const ForeignTokenizer foreign =
      read_files({{"tokenizer.json", golden("RoBERTa").json},
                  {"tokenizer_config.json", R"({"unk_token": "<unk>", "model_max_length": 512})"},
                  {"special_tokens_map.json",
                   R"({"unk_token": "<s>", "pad_token": {"content": "<pad>", "lstrip": false}})"}});
  EXPECT_EQ(foreign.tokenizer.unk_id(), 3) << "the first file that names it";
  EXPECT_EQ(foreign.tokenizer.pad_id(), 1);
  expect_ids(foreign, golden("RoBERTa"));
}

TEST(TokenizerDirectory, ReadsVocabTxt) {
  const auto& lower = golden("wordpiece, lower-cased");
  for (const char* end : {"\n", "\r\n"}) {
    const ForeignTokenizer foreign =
        read_files({{"vocab.txt", vocab_txt(nlohmann::json::parse(lower.json), end)}});
    expect_ids(foreign, lower);
    EXPECT_EQ(foreign.prefix, Ids{2});
    EXPECT_EQ(foreign.suffix, Ids{3});
  }
  const auto& cased = golden("wordpiece, as it is");
  expect_ids(read_files({{"vocab.txt", vocab_txt(nlohmann::json::parse(cased.json), "\n")},
                         {"tokenizer_config.json", R"({"do_lower_case": false})"}}),
             cased);
}

TEST(TokenizerDirectory, ReadsVocabJsonWithMerges) {
  for (const char* name : {"GPT-2", "RoBERTa"}) {
    const bool marks = std::string(name) == "RoBERTa";
    const nlohmann::json json = nlohmann::json::parse(golden(name).json);
    std::string merges = "#version: 0.2\n";
    for (const auto& merge : json["model"]["merges"])
      merges += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
    const std::string options =
        marks ? R"({"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>",
                    "unk_token": "<unk>", "add_prefix_space": true})"
              : R"({"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
                    "unk_token": "<|endoftext|>"})";
    const ForeignTokenizer foreign = read_files({{"vocab.json", json["model"]["vocab"].dump()},
                                                 {"merges.txt", merges},
                                                 {"tokenizer_config.json", options}});
    expect_ids(foreign, golden(name));
    EXPECT_EQ(foreign.prefix, marks ? Ids{0} : Ids{});
    EXPECT_EQ(foreign.suffix, marks ? Ids{2} : Ids{});
  }
}

// transformers adds these tokens when it loads the tokenizer: normalized unless they are special.
TEST(TokenizerDirectory, AddsTheTokensOfTheFilesBesideIt) {
  const nlohmann::json lower = nlohmann::json::parse(golden("wordpiece, lower-cased").json);
  const auto size = static_cast<std::int32_t>(pieces_of_golden(lower).size());
  Files files{{"vocab.txt", vocab_txt(lower, "\n")},
              {"added_tokens.json", nlohmann::json{{"NewWord", size}, {"<tag>", size + 1}}.dump()},
              {"tokenizer_config.json", R"({"additional_special_tokens": ["<tag>"]})"}};
  const Tokenizer older = read_files(files).tokenizer;
  EXPECT_EQ(older.encode("NEWWORD", SpecialText::as_tokens), Ids{size});
  EXPECT_EQ(older.encode("<tag>", SpecialText::as_tokens), Ids{size + 1});
  EXPECT_GT(older.encode("<tag>").size(), 1u) << "it is special";
  EXPECT_GT(older.encode("<TAG>", SpecialText::as_tokens).size(), 1u);
  // Of the oldest file, only those without an id are special.
  files.erase("tokenizer_config.json");
  files["special_tokens_map.json"] = R"({"additional_special_tokens": ["<tag>", "<new>"]})";
  const Tokenizer oldest = read_files(files).tokenizer;
  EXPECT_EQ(oldest.encode("<TAG>"), Ids{size + 1});
  EXPECT_EQ(oldest.encode("<new>", SpecialText::as_tokens), Ids{size + 2});
  EXPECT_GT(oldest.encode("<new>").size(), 1u);

  files = {{"tokenizer.json", lower.dump()},
           {"tokenizer_config.json",
            nlohmann::json{{"added_tokens_decoder",
                            {{std::to_string(size), {{"content", "<sep>"}, {"lstrip", true}}}}}}
                .dump()}};
  const Tokenizer newer = read_files(files).tokenizer;
  EXPECT_EQ(newer.encode("  <sep>"), Ids{size});
}

TEST(TokenizerDirectory, SaysWhatIsMissingOrWrong) {
  EXPECT_THROW(read_files({}), DataError);
  EXPECT_THROW(read_files({{"vocab.json", "{}"}}), DataError) << "without merges";
  EXPECT_THROW(read_files({{"vocab.txt", "a\nb\na\n"}}), DataError);
  EXPECT_THROW(read_files({{"vocab.txt", "a\nb\n"}}), DataError) << "without special tokens";
  EXPECT_THROW(read_files({{"vocab.json", "[]"}, {"merges.txt", ""}}), DataError);
  EXPECT_THROW(
      read_files({{"tokenizer.json", golden("GPT-2").json}, {"tokenizer_config.json", "[]"}}),
      DataError);
  EXPECT_THROW(read_files({{"tokenizer.json", golden("GPT-2").json},
                           {"tokenizer_config.json", R"({"bos_token": 3})"}}),
               DataError);
}

}  // namespace
}  // namespace attend
