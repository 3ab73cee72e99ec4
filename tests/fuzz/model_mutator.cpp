#include "fuzz/model_mutator.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

// One mutation in the making.
class Mutation {
 public:
  Mutation(const std::vector<FuzzedModel>& models, std::uint64_t seed, bool tokenizers)
      : random_(seed),
        tokenizers_(tokenizers),
        models_(models),
        model_(models[below(models.size())]) {}

  std::string make() {
    for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) mutate();
    std::string file = file_of(model_);
    if (below(4) == 0) mutate_bytes(file);
    return file;
  }

 private:
  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  void mutate() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return mutate_metadata();
      case 4:
      case 5:
        return mutate_description();
      case 6:
        return mutate_list();
      case 7:
        model_.metadata["attend.checksum"] = below(4) == 0 ? "12345678" : "none";
        return;
      default:
        return mutate_data();
    }
  }

  void mutate_metadata() {
    if (model_.metadata.empty()) return;
    auto entry = model_.metadata.begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(below(model_.metadata.size())));
    if (entry->first == "attend.checksum" && below(8) != 0) return;
    std::string& text = entry->second;
    switch (below(8)) {
      case 0:
        model_.metadata.erase(entry);
        return;
      case 1:  // what stands elsewhere in this model or another one
        if (const auto& others = one_of(models_).metadata; others.contains(entry->first))
          text = others.at(entry->first);
        return;
      case 2:
        mutate_bytes(text);
        return;
      default: {
        if (text.starts_with("[[[["))
          return mutate_bytes(
              text);  // made deep before: copies of it would overflow the stack here
        Json json = Json::parse(text, nullptr, false);
        if (json.is_discarded()) return mutate_bytes(text);
        mutate_json(json, 0);
        text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        if (below(32) == 0) text = deep(text);
      }
    }
  }

  std::string deep(const std::string& text) {
    const std::size_t depth = one_of<std::size_t>({3, 70, 200'000});
    return std::string(depth, '[') + text + std::string(depth, ']');
  }

  // Goes down to a value somewhere and makes another one of it.
  void mutate_json(Json& json, int depth) {
    if (json.is_structured() && !json.empty() && (depth == 0 || below(4) != 0)) {
      auto child = json.begin();
      std::advance(child, static_cast<std::ptrdiff_t>(below(json.size())));
      if (below(12) == 0) {
        json.erase(child);
      } else if (below(12) == 0 && json.is_array()) {
        json.push_back(*child);
      } else {
        mutate_json(*child, depth + 1);
      }
      return;
    }
    json = below(3) != 0 && json.is_number() ? number() : value();
  }

  Json number() {
    static const std::vector<Json> kNumbers{0,           1,
                                            2,           3,
                                            5,           7,
                                            8,           15,
                                            17,          64,
                                            100,         1023,
                                            4096,        65536,
                                            100000,      1000000000,
                                            2147483647,  2147483648LL,
                                            -1,          -2147483648LL,
                                            1e300,       1e39,
                                            -1.5,        0.5,
                                            1e-45,       0.0,
                                            -0.0,        1.0,
                                            0.999999999, 9.3e18};
    static const std::vector<Json> kLong{std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::uint64_t>::max()};
    return below(10) == 0 ? one_of(kLong) : one_of(kNumbers);
  }

  Json value() {
    static const std::vector<Json> kValues{nullptr,        true,
                                           false,          "",
                                           "relu",         "gelu",
                                           "tanh",         "none",
                                           "all",          "target",
                                           "learned",      "sinusoidal",
                                           "first",        "mean",
                                           "max",          "dot",
                                           "additive",     "plain",
                                           "hard",         "straight-through",
                                           "rnn",          "transformer",
                                           "translation",  Json::array(),
                                           Json::object(), Json::array({1, 2}),
                                           "\x1b[31m",     "nan"};
    if (below(16) == 0) return std::string(50'000, 'x');
    return below(3) == 0 ? number() : one_of(kValues);
  }

  FuzzedModel::Part* some_part() {
    return model_.tensors.empty() ? nullptr : &model_.tensors[below(model_.tensors.size())];
  }

  bool is_spared(const FuzzedModel::Part& part) const {
    return !tokenizers_ && part.name.starts_with("tokenizer");
  }

  // Name, element type and shape, with data that fit them more often than not.
  void mutate_description() {
    FuzzedModel::Part* const part = some_part();
    if (part == nullptr) return;
    switch (below(6)) {
      case 0:
        part->name =
            below(2) == 0 ? one_of(model_.tensors).name : one_of(one_of(models_).tensors).name;
        return;
      case 1:
        part->name = one_of<std::string>({"", "x", "tokenizer", "tokenizer.src", "shortlist.always",
                                          "shortlist.offsets", "state.step", part->name + ".scale",
                                          part->name + "\n", std::string(300, 'n')});
        return;
      case 2:
        if (is_spared(*part)) return;
        part->dtype =
            one_of<std::string>({"F32", "I8", "U8", "I32", "BF16", "F16", "F64", "BOOL", "F4"});
        if (below(3) != 0)
          part->shape = {static_cast<std::int64_t>(
              part->data.size() / (part->dtype == "F32" || part->dtype == "I32" ? 4 : 1))};
        return;
      case 3:
        std::reverse(part->shape.begin(), part->shape.end());
        return;
      case 4:
        part->shape.insert(
            part->shape.begin() + static_cast<std::ptrdiff_t>(below(part->shape.size() + 1)), 1);
        return;
      default:
        if (!part->shape.empty())
          part->shape[below(part->shape.size())] =
              one_of<std::int64_t>({0, 1, 2, 7, 64, 1 << 20, std::int64_t{1} << 40, -1});
    }
  }

  // Which tensors there are, and how large.
  void mutate_list() {
    FuzzedModel::Part* const part = some_part();
    if (part == nullptr) return;
    switch (below(5)) {
      case 0:
        model_.tensors.erase(model_.tensors.begin() + (part - model_.tensors.data()));
        return;
      case 1:
        model_.tensors.push_back(one_of(one_of(models_).tensors));
        return;
      case 2:
        std::swap(part->data, model_.tensors[below(model_.tensors.size())].data);
        return;
      default:  // fewer or more rows, of data that are there
        if (part->shape.empty() || part->shape[0] == 0 || is_spared(*part)) return;
        const std::size_t row = part->data.size() / static_cast<std::size_t>(part->shape[0]);
        part->shape[0] =
            static_cast<std::int64_t>(below(2 * static_cast<std::size_t>(part->shape[0]) + 1));
        part->data.resize(row * static_cast<std::size_t>(part->shape[0]), '\1');
    }
  }

  // The elements, as what they are.
  void mutate_data() {
    FuzzedModel::Part* const part = some_part();
    if (part == nullptr || part->data.empty() || is_spared(*part)) return;
    static const std::vector<float> kFloats{
        0.0f,   -0.0f,  1.0f,    3e38f,
        -3e38f, 1e-45f, 1e20f,   std::numeric_limits<float>::quiet_NaN(),
        1e-38f, -1.0f,  65536.f, 1e10f,
        -1e10f, 0.5f,   1e30f,   std::numeric_limits<float>::infinity()};
    static const std::vector<std::int32_t> kIds{0,  1,    2,  3,          40,
                                                60, 1000, -1, 2147483647, -2147483647 - 1};
    if (below(5) == 0) return mutate_bytes(part->data, part->data.size());
    const bool everywhere = below(4) == 0;
    const float number = one_of(kFloats);
    for (std::size_t i = 0, count = everywhere ? part->data.size() / 4 : 1 + below(3); i < count;
         ++i) {
      const std::size_t element = everywhere ? i : below(part->data.size() / 4);
      if (part->dtype == "F32" && part->data.size() >= 4)
        std::memcpy(part->data.data() + 4 * element, &number, 4);
      if (part->dtype == "I32" && part->data.size() >= 4)
        std::memcpy(part->data.data() + 4 * element, &one_of(kIds), 4);
      if (part->dtype == "U8" || part->dtype == "I8")
        part->data[below(part->data.size())] = static_cast<char>(below(256));
    }
  }

  // Bits and lengths of anything. `size`: that the bytes must keep; 0: any.
  void mutate_bytes(std::string& bytes, std::size_t size = 0) {
    for (std::size_t i = 0, count = 1 + below(8); i < count && !bytes.empty(); ++i) {
      const std::size_t at = below(bytes.size());
      switch (below(size > 0 ? 2 : 6)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 2:
          bytes.erase(at, 1 + below(8));
          break;
        case 3:
          bytes.insert(at, one_of<std::string>({"{", "}", "[", "]", ",", ":", "\"", "0", "-",
                                                "1e999", "null", "\\u0000", "\xff", "\n"}));
          break;
        case 4:
          if (const std::size_t digit = bytes.find_first_of("0123456789", at); digit != bytes.npos)
            bytes[digit] = static_cast<char>('0' + below(10));
          break;
        default:
          if (below(4) == 0) bytes.resize(at);
      }
    }
  }

  std::mt19937_64 random_;
  bool tokenizers_;
  const std::vector<FuzzedModel>& models_;
  FuzzedModel model_;
};

}  // namespace

ModelMutator::ModelMutator(std::uint64_t seed, bool tokenizers)
    : seed_(seed), tokenizers_(tokenizers), models_(fuzzed_models()) {}

std::string ModelMutator::mutation(std::uint64_t number) const {
  std::seed_seq mixed{seed_ & 0xffffffffu, seed_ >> 32, number & 0xffffffffu, number >> 32};
  std::vector<std::uint32_t> words(2);
  mixed.generate(words.begin(), words.end());
  return Mutation(models_, (std::uint64_t{words[1]} << 32) | words[0], tokenizers_).make();
}

}  // namespace attend
