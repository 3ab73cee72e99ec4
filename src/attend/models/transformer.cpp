#include "attend/models/transformer.h"

#include <algorithm>
#include <vector>

namespace attend {

namespace {

// Ragged that are encoded at a time for decoding, unless a sequence has more. Products are as fast with more, but what the encoder's layers
// make of them is memory; and a row is the same whatever is encoded beside it.
constexpr std::int32_t kEncodedTokens = 128;

// Behind the last of the sequences that are encoded together with the sequence `begin`.
std::int64_t group_end(const Ragged& src, std::int64_t begin) {
  const std::vector<std::int32_t>& offsets = *src.offsets;
  const auto first = offsets.begin() + begin;
  const auto behind = std::upper_bound(first, offsets.end(), *first + kEncodedTokens);
  return std::max<std::int64_t>(begin + 1, behind - offsets.begin() - 1);
}

const TransformerConfig& validated(const TransformerConfig& config) {
  validate(config);
  return config;
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config)
    : EncoderDecoder(validated(config)),
      config_(config),
      src_positions_(parameters_, "src_positions", config.positions, config.d_model, config.max_positions),
      tgt_positions_(parameters_, "tgt_positions", config.positions, config.d_model, config.max_positions),
      encoder_(parameters_, "encoder", config),
      decoder_(parameters_, "decoder", config) {}

Transformer::Transformer(const TransformerConfig& config, std::uint64_t seed) : Transformer(config) { parameters_.allocate(seed); }

Transformer::Transformer(const TransformerConfig& config, Purpose) : Transformer(config) {}

Variable Transformer::encode(const Ragged& src, Pass& pass) const {
  return encoder_.forward(embed(src_embedding_, src.ids, src_positions_.of(*src.offsets), pass), src.self_pattern(false), pass);
}

Variable Transformer::decode(const Ragged& tgt, const Variable& memory, const Ragged& src, Pass& pass) const {
  FullContext context(memory, src, tgt);
  return decoder_.forward(embed(tgt_embedding_, tgt.ids, tgt_positions_.of(*tgt.offsets), pass), context, pass);
}

// Keys and values of the source, once for each layer, and a cache of those of the target so far.
class Transformer::State final : public DecodingState {
 public:
  State(const Transformer& model, const Ragged& src, std::vector<Tensor> memory)
      : model_(model), memory_(std::move(memory)), src_offsets_(src.offsets), cache_(model.decoder_.layers(), src.sequences()) {
    for (std::int32_t sentence = 0; sentence < src.sequences(); ++sentence) sentence_.push_back(sentence);
    length_.assign(sentence_.size(), 0);
  }

  std::int64_t hypotheses() const override { return static_cast<std::int64_t>(sentence_.size()); }
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;

 private:
  const Transformer& model_;
  std::vector<Tensor> memory_;  // per decoder layer: keys and values of all source tokens
  Ids src_offsets_;             // B+1
  KVCache cache_;
  std::vector<std::int32_t> sentence_;  // of each hypothesis
  std::vector<std::int32_t> length_;    // of each hypothesis, so far
};

std::vector<Tensor> Transformer::project_memory(const Ragged& src) const {
  Pass pass = Pass::inference();
  if (src.tokens() <= kEncodedTokens) return decoder_.project_memory(encode(src, pass));
  std::vector<Tensor> memory(static_cast<std::size_t>(decoder_.layers()));
  for (std::int64_t begin = 0, end = 0; begin < src.sequences(); begin = end) {
    end = group_end(src, begin);
    const std::vector<Tensor> part = decoder_.project_memory(encode(src.slice(begin, end), pass));
    const std::int32_t first = (*src.offsets)[static_cast<std::size_t>(begin)], last = (*src.offsets)[static_cast<std::size_t>(end)];
    for (std::size_t layer = 0; layer < memory.size(); ++layer) {
      if (begin == 0) memory[layer] = Tensor::empty({src.tokens(), part[layer].cols()}, part[layer].dtype());
      memory[layer].slice_rows(first, last).copy_from(part[layer]);
    }
  }
  return memory;
}

std::unique_ptr<DecodingState> Transformer::begin(const Ragged& src) const {
  const NoGradient guard;
  return std::make_unique<State>(*this, src, project_memory(src));
}

Tensor Transformer::State::step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const std::size_t rows = parents.size();
  check_step(hypotheses(), parents, tokens);
  std::vector<std::int32_t> sentence(rows), length(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    sentence[r] = sentence_[static_cast<std::size_t>(parents[r])];
    length[r] = length_[static_cast<std::size_t>(parents[r])];
  }
  auto ids = std::make_shared<const std::vector<std::int32_t>>(tokens.begin(), tokens.end());
  auto positions = std::make_shared<const std::vector<std::int32_t>>(length);
  const Variable x = model_.embed(model_.tgt_embedding_, ids, model_.tgt_positions_.at(positions), pass);

  cache_.reorder(parents);
  cache_.extend(std::vector<std::int32_t>(rows, 1));
  for (std::int32_t& n : length) ++n;
  sentence_ = std::move(sentence);
  length_ = std::move(length);
  CachedContext context(cache_, memory_, *src_offsets_, sentence_);
  return model_.decoder_.forward(x, context, pass).value();
}

}  // namespace attend
