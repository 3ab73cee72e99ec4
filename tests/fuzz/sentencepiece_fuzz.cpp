// SentencePiece models as hostile bytes: a tokenizer is either refused with a DataError, or encodes
// and decodes any text.
#include <sentencepiece_trainer.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>

#include "attend/error.h"
#include "attend/text/sentencepiece/wire_reader.h"
#include "attend/text/tokenizer.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/tokenizer_use.h"

namespace attend::sentencepiece_fuzz {
namespace {

using detail::WireField;
using detail::WireReader;
using detail::WireType;

constexpr std::uint32_t kPiece = 1, kTrainer = 2, kNormalizer = 3, kSelfTest = 4, kDenormalizer = 5;

// Rules of a small character map, which leaves more of the mutations to its structure than those of
// Unicode would.
std::string write_rules() {
  std::string path = "/tmp/attend-fuzz-rules-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) throw std::runtime_error("no file for the rules");
  ::close(fd);
  std::ofstream file(path);
  file << "FF34\t54\nE9\t65 301\n65 301\t65 301\nA0\t20\n3000\t20\n9\t20\nA\t20\n200B\t\nFB01\t66 "
          "69\nFDFA\t635 644 649 20 627 644\n";
  return path;
}

class Sentences final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return at_ == sentences_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return sentences_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> sentences_{
      "The small dog reads a red house.", "A young woman is watching the yellow bicycles!",
      "Der alte Mann kauft den grünen Apfel.", "Ein Mädchen sieht die Straße?"};
  std::size_t at_ = 0;
};

std::string trained(const std::string& type, const std::string& rules, bool byte_fallback) {
  Sentences sentences;
  std::unordered_map<std::string, std::string> arguments{
      {"model_type", type},
      {"vocab_size", std::to_string((type == "word"      ? 20
                                     : type == "unigram" ? 50
                                                         : 70) +
                                    (byte_fallback ? 256 : 0))},
      {"byte_fallback", byte_fallback ? "true" : "false"},
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      {"hard_vocab_limit", "false"},
      {"minloglevel", "3"},
      {"character_coverage", "1"}};
  arguments.insert(rules.starts_with('/') ? std::pair{"normalization_rule_tsv", rules}
                                          : std::pair{"normalization_rule_name", rules});
  if (byte_fallback) arguments["user_defined_symbols"] = "<x>,<xy>,red house";
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model);
  if (!status.ok()) throw std::runtime_error(status.message());
  return model;
}

const std::vector<std::string>& models() {
  static const std::vector<std::string> models = [] {
    const std::string rules = write_rules();
    std::vector<std::string> all;
    for (const char* type : {"bpe", "unigram", "char", "word"}) {
      all.push_back(trained(type, rules, false));
      if (std::strcmp(type, "word") != 0) all.push_back(trained(type, rules, true));
      all.push_back(trained(type, "identity", false));
    }
    all.push_back(trained("bpe", "nmt_nfkc", false));
    std::remove(rules.c_str());
    return all;
  }();
  return models;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string field(std::uint32_t number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}

struct Part {
  std::uint32_t number;
  bool is_message;
  std::string bytes;  // of a message; else the whole field
};

// Changes that keep a message a message.
class StructuredMutation {
 public:
  explicit StructuredMutation(std::uint64_t seed) : random_(seed) {}

  std::string operator()(const std::string& model) {
    std::vector<Part> parts;
    WireReader reader(model);
    for (WireField f; reader.next(f);) {
      const bool message = f.type == WireType::bytes;
      parts.push_back({f.number, message, std::string(message ? f.bytes : f.whole)});
    }
    for (std::size_t i = 0, count = 1 + below(3); i < count && !parts.empty(); ++i) mutate(parts);
    std::string result;
    for (const Part& part : parts)
      result += part.is_message ? field(part.number, part.bytes) : part.bytes;
    return result;
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void mutate(std::vector<Part>& parts) {
    const std::size_t at = below(parts.size());
    switch (below(12)) {
      case 0:
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        parts.push_back(parts[at]);
        break;
      case 2:
        parts.push_back({kTrainer, true, trainer_field()});
        break;
      case 3:
        parts.push_back(
            {kNormalizer, true, field(3 + static_cast<std::uint32_t>(below(3)), below(2))});
        break;
      case 4:
        for (const Part& part : std::vector<Part>(parts)) {
          if (part.number == kNormalizer) parts.push_back({kDenormalizer, true, part.bytes});
        }
        break;
      case 5:
        parts.push_back(
            {kSelfTest, true, field(1, field(1, std::string(below(64), 'a')) + field(2, "a"))});
        break;
      case 6:
      case 7:
        if (parts[at].number == kPiece) parts[at].bytes += piece_field();
        break;
      default:
        for (Part& part : parts) {
          if (part.number == kNormalizer || part.number == kDenormalizer) mutate_map(part.bytes);
        }
    }
  }

  std::string trainer_field() {
    switch (below(5)) {
      case 0:
        return field(3, below(6));
      case 1:
        return field(24, 1);
      case 2:
        return field(35, below(2));
      case 3:
        return field(44, std::string(below(3), " \n\xE2"[below(3)]));
      default:
        return field(45 + static_cast<std::uint32_t>(below(4)), std::string(below(3), 'a'));
    }
  }

  std::string piece_field() {
    constexpr std::uint32_t kScores[] = {0x7FC00000, 0x7F800000, 0xFF800000,
                                         0x7F7FFFFF, 0,          0xFF7FFFFF};
    static const std::vector<std::string> kTexts{"",
                                                 "a",
                                                 "\n",
                                                 "\xE2\x96\x81",
                                                 "\xC3",
                                                 "<0x0A>",
                                                 std::string("a\0b", 3),
                                                 "<s>",
                                                 "aa",
                                                 std::string(2000, 'a')};
    switch (below(3)) {
      case 0:
        return field(1, kTexts[below(kTexts.size())]);
      case 1: {
        const std::uint32_t score = kScores[below(std::size(kScores))];
        return std::string("\x15") + std::string(reinterpret_cast<const char*>(&score), 4);
      }
      default:
        return field(3, below(8));
    }
  }

  // Units of the trie, the size in front of it, or the end of the strings.
  void mutate_map(std::string& normalizer) {
    std::string map;
    WireReader reader(normalizer);
    for (WireField f; reader.next(f);) {
      if (f.is(2, WireType::bytes)) map = f.bytes;
    }
    if (map.size() < 8) return;
    std::uint32_t size = 0;
    std::memcpy(&size, map.data(), 4);
    for (std::size_t i = 0, count = 1 + below(4); i < count; ++i) {
      const std::size_t near =
          below(4) == 0 ? map.size() / 4 : std::min<std::size_t>(map.size() / 4, 300);
      const std::size_t at = 4 * (below(24) == 0 ? 0 : below(near));
      std::uint32_t unit = 0;
      std::memcpy(&unit, map.data() + at, 4);
      switch (below(6)) {
        case 0:
          unit ^= 1u << below(32);
          break;
        case 1:
          unit = static_cast<std::uint32_t>(random_());
          break;
        case 2:  // another offset
          unit = (unit & 0x1FF) | static_cast<std::uint32_t>(below(2 * map.size() / 4)) << 10;
          break;
        case 3:  // a value that is not there
          unit ^= 0x100;
          break;
        case 4:  // a value near the end of the strings
          unit = 0x80000000 |
                 static_cast<std::uint32_t>(map.size() - std::min<std::size_t>(size, map.size()) -
                                            8 + below(16));
          break;
        default:  // another label
          unit = (unit & ~0xFFu) | static_cast<std::uint32_t>(below(256));
      }
      std::memcpy(map.data() + at, &unit, 4);
    }
    if (below(16) == 0) map.resize(below(map.size()));
    normalizer += field(2, map);
  }

  std::mt19937_64 random_;
};

std::vector<std::string> corpus() { return models(); }

std::vector<std::string> dictionary() {
  return {"\x0A",
          "\x12",
          "\x1A",
          "\x2A",
          "\xFF\xFF\xFF\xFF\x0F",
          "\x08",
          "\x18",
          std::string("\0\0\xC0\x7F", 4),
          std::string("\0\0\x80\x7F", 4),
          std::string("\0\x01\0\0", 4),
          "\xFF\xFF\xFF\xFF",
          "\x80",
          "\xE2\x96\x81",
          "<0x0A>",
          "a"};
}

// An input that is no message any more gives way to a change of a model's structure.
void repair(std::string& input) {
  const std::size_t seed = std::hash<std::string>()(input);
  StructuredMutation mutation(seed);
  try {
    input = mutation(input);
  } catch (const DataError&) {
    input = mutation(models()[seed % models().size()]);
  }
}

void use(std::string_view input) {
  try {
    decode_every_token(Tokenizer::for_decoding(input));
    use_tokenizer(Tokenizer::from_bytes(input));
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"sentencepiece", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::sentencepiece_fuzz
