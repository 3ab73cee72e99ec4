// The classes of tokenizers that come from SentencePiece models.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/interchange/tokenizers/named_classes.h"
#include "attend/interchange/tokenizers/sentencepiece_builders.h"

namespace attend::detail {
namespace {

// What the classes add besides their special tokens.

std::vector<TokenMention> mentions_of(std::span<const char* const> texts) {
  std::vector<TokenMention> mentions;
  for (const char* text : texts) mentions.push_back({{.text = text, .piece = {.special = true}}});
  return mentions;
}

ExtraTokens first_given(const ExtraTokens& listed, ExtraTokens otherwise) {
  return listed ? listed : otherwise;
}

bool has_text(const std::vector<TokenMention>& mentions, std::string_view text) {
  return std::any_of(mentions.begin(), mentions.end(),
                     [&](const TokenMention& one) { return one.token.text == text; });
}

ExtraTokens extra_of_t5(ClassSettings& settings, ExtraTokens pieces, ExtraTokens listed) {
  constexpr std::string_view kSentinel = "<extra_id_";
  const std::int64_t count = settings.integer("extra_ids", 100, 0, kMostExtraIds);
  if (!pieces) pieces.emplace();
  const auto has = std::count_if(pieces->begin(), pieces->end(), [&](const TokenMention& one) {
    return one.token.text.find(kSentinel) != std::string::npos;
  });
  if (has > 0 && count > 0 && has != count)
    settings.refuse("extra_ids", "the number of sentinels in additional_special_tokens");
  for (std::int64_t i = 0; has == 0 && i < count; ++i)
    pieces->push_back({{.text = fmt::format("{}{}>", kSentinel, i), .piece = {.special = true}}});
  return first_given(listed, pieces);
}

ExtraTokens extra_of_mbart(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) {
  std::vector<TokenMention> all = mentions_of(mbart_languages());
  for (const TokenMention& one : pieces.value_or(std::vector<TokenMention>{}))
    if (!has_text(all, one.token.text)) all.push_back(one);
  return first_given(listed, all);
}

ExtraTokens extra_of_mbart50(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) {
  if (!pieces) pieces.emplace();
  for (TokenMention& one : mentions_of(kMbart50Languages)) pieces->push_back(std::move(one));
  return first_given(listed, pieces);
}

ExtraTokens extra_of_pegasus(ClassSettings& settings, ExtraTokens pieces, ExtraTokens listed) {
  const std::string sentence = settings.token("mask_token_sent", "<mask_1>");
  std::vector<TokenMention> all;
  if (!pieces || !has_text(*pieces, sentence))
    all.push_back({{.text = sentence, .piece = {.special = true}}});
  const std::int64_t offset = settings.integer("offset", 103, 2, kMostPegasusOffset);
  for (std::int64_t i = 2; i < offset; ++i)
    all.push_back({{.text = fmt::format("<unk_{}>", i), .piece = {.special = true}}});
  return first_given(listed, all);
}

ExtraTokens extra_of_nllb(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) {
  return first_given(listed, pieces);
}

ExtraTokens extra_of_xlnet(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) {
  constexpr std::array kMarks{"<eop>", "<eod>"};
  return first_given(listed, pieces ? pieces : mentions_of(kMarks));
}

ExtraTokens extra_of_camembert(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) {
  constexpr std::array kUnused{"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
  return first_given(listed, pieces ? pieces : mentions_of(kUnused));
}

ExtraTokens extra_of_code_llama(ClassSettings& settings, ExtraTokens, ExtraTokens listed) {
  std::vector<TokenMention> all;
  for (const auto& [name, usual] : {std::pair{"prefix_token", "▁<PRE>"},
                                    {"middle_token", "▁<MID>"},
                                    {"suffix_token", "▁<SUF>"},
                                    {"eot_token", "▁<EOT>"},
                                    {"fill_token", "<FILL_ME>"}})
    all.push_back({{.text = settings.token(name, usual), .piece = {.special = true}}});
  for (TokenMention& one : listed.value_or(std::vector<TokenMention>{}))
    all.push_back(std::move(one));
  return all;
}

constexpr UsualTokens kFairseqTokens{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"};
constexpr const char *kSpiece = "spiece.model", *kBpe = "sentencepiece.bpe.model";

constexpr std::array kSentencePieceClasses{
    TokenizerClass{.name = "T5Tokenizer",
                   .model = "Unigram",
                   .build = build_t5,
                   .usual = {.eos = "</s>", .unk = "<unk>", .pad = "<pad>"},
                   .file = kSpiece,
                   .extra = extra_of_t5},
    TokenizerClass{.name = "XLMRobertaTokenizer",
                   .model = "Unigram",
                   .build = build_xlm_roberta,
                   .usual = kFairseqTokens,
                   .file = kBpe},
    TokenizerClass{.name = "MBartTokenizer",
                   .model = "Unigram",
                   .build = build_mbart,
                   .usual = kFairseqTokens,
                   .file = kBpe,
                   .extra = extra_of_mbart,
                   .mask_takes_space = true},
    TokenizerClass{.name = "MBart50Tokenizer",
                   .model = "Unigram",
                   .build = build_mbart50,
                   .usual = {"", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"},
                   .file = kBpe,
                   .extra = extra_of_mbart50,
                   .mask_takes_space = true},
    TokenizerClass{.name = "NllbTokenizer",
                   .model = "BPE",
                   .build = build_nllb,
                   .usual = kFairseqTokens,
                   .file = kBpe,
                   .extra = extra_of_nllb,
                   .mask_takes_space = true,
                   .mask_is_normalized = true},
    TokenizerClass{.name = "PegasusTokenizer",
                   .model = "Unigram",
                   .build = build_pegasus,
                   .usual = {.eos = "</s>", .unk = "<unk>", .pad = "<pad>", .mask = "<mask_2>"},
                   .file = kSpiece,
                   .extra = extra_of_pegasus},
    TokenizerClass{.name = "LlamaTokenizer",
                   .model = "BPE",
                   .build = build_llama,
                   .usual = {.bos = "<s>", .eos = "</s>", .unk = "<unk>"}},
    TokenizerClass{.name = "CodeLlamaTokenizer",
                   .model = "BPE",
                   .build = build_code_llama,
                   .usual = {.bos = "<s>", .eos = "</s>", .unk = "<unk>"},
                   .extra = extra_of_code_llama},
    TokenizerClass{
        .name = "GemmaTokenizer",
        .model = "BPE",
        .build = build_gemma,
        .usual =
            {.bos = "<bos>", .eos = "<eos>", .unk = "<unk>", .pad = "<pad>", .mask = "<mask>"}},
    TokenizerClass{.name = "AlbertTokenizer",
                   .model = "Unigram",
                   .build = build_albert,
                   .usual = {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
                   .file = kSpiece},
    TokenizerClass{.name = "XLNetTokenizer",
                   .model = "Unigram",
                   .build = build_xlnet,
                   .usual = {"<s>", "</s>", "<unk>", "<sep>", "<pad>", "<cls>", "<mask>"},
                   .file = kSpiece,
                   .extra = extra_of_xlnet,
                   .mask_takes_space = true},
    TokenizerClass{.name = "DebertaV2Tokenizer",
                   .model = "Unigram",
                   .build = build_deberta,
                   .usual = {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"},
                   .file = "spm.model"},
    TokenizerClass{.name = "CamembertTokenizer",
                   .model = "Unigram",
                   .build = build_camembert,
                   .usual = kFairseqTokens,
                   .file = kBpe,
                   .extra = extra_of_camembert,
                   .mask_takes_space = true},
};

}  // namespace

std::span<const TokenizerClass> sentencepiece_classes() { return kSentencePieceClasses; }

}  // namespace attend::detail
