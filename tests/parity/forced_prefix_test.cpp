// The search for outputs whose beginning is given, beside all of them in PyTorch.
#include <algorithm>
#include <cmath>

#include "attend/decode/beam_search.h"
#include "attend/decode/running_batch.h"
#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/models/transformer.h"
#include "parity/golden.h"

namespace attend {
namespace {

class ForcedPrefixParity : public Parity {};

TEST_P(ForcedPrefixParity, FindsTheBestOutputs) {
  const Golden golden("forced_prefix");
  TransformerConfig config;
  config.d_model = 16;
  config.n_heads = golden.integer("heads");
  config.d_ff = golden.integer("d_ff");
  config.n_encoder_layers = golden.integer("n_encoder_layers");
  config.n_decoder_layers = golden.integer("n_decoder_layers");
  config.src_vocab_size = config.tgt_vocab_size =
      static_cast<int>(golden.tensor("param.embedding.weight").dim(0));
  config.dropout = 0.0f;
  config.norm_first = golden.flag("norm_first");
  config.tie_embeddings = TiedEmbeddings::all;
  Transformer model(config, 1);
  golden.load(model.parameters(), "");

  const Ragged src = golden.tokens("in.src", "in.src_lengths"),
               prefix = golden.tokens("in.prefix", "in.prefix_lengths");
  std::vector<DecoderPrefix> prefixes;
  for (std::int64_t s = 0; s < src.sequences(); ++s) {
    DecoderPrefix& begun = prefixes.emplace_back();
    begun.tokens = {golden.integer("bos")};
    begun.tokens.insert(begun.tokens.end(), prefix[s].begin(), prefix[s].end());
    begun.forced = prefix.length(s);
  }
  EncoderDecoderScorer scorer(model);
  scorer.join({src, prefixes});
  const Tensor ids = golden.tensor("out.ids"), lengths = golden.tensor("out.lengths"),
               expected = golden.tensor("out.log_probabilities");
  const auto best = expected.cols();
  BeamSearchOptions options;
  options.beam_size = 1024;  // holds all of them
  options.n_best = static_cast<int>(best);
  const auto found = decode_all(scorer, [&](const DecodeRequest& arrival, std::size_t) {
    BeamSearchOptions own = options;
    own.max_length = static_cast<int>(arrival.forced) + golden.integer("most") + 1;
    return BeamSearch(arrival, golden.integer("eos"), own);
  });
  for (std::int64_t s = 0; s < src.sequences(); ++s) {
    for (std::int64_t k = 0; k < best; ++k) {
      const Hypothesis& output = found[static_cast<std::size_t>(s)][static_cast<std::size_t>(k)];
      const std::int32_t* const tokens = ids.data<std::int32_t>() + (s * best + k) * ids.dim(2);
      EXPECT_EQ(output.ids, std::vector<std::int32_t>(
                                tokens, tokens + lengths.data<std::int32_t>()[s * best + k]))
          << "sentence " << s << ", rank " << k;
      EXPECT_NEAR(output.log_probability, expected.row(s)[k], 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ForcedPrefixParity, testing::Values("reference", "fast"));

}  // namespace
}  // namespace attend
