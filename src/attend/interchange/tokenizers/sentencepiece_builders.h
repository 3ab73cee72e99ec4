// What the classes of SentencePiece models build around a vocabulary. Private to interchange/.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "attend/interchange/tokenizers/named_classes.h"

namespace attend::detail {

inline constexpr std::size_t kMbartLanguages = 25;  // of the 52 of mBART-50
inline constexpr std::array kMbart50Languages{
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN",
    "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP",
    "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN", "af_ZA", "az_AZ",
    "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK", "ml_IN",
    "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN",
    "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
inline std::span<const char* const> mbart_languages() {
  return std::span(kMbart50Languages).first(kMbartLanguages);
}

// Limits of settings.
inline constexpr std::int64_t kMostPegasusOffset = 1000, kMostExtraIds = 100'000;

void build_t5(ClassSettings& settings, TokenizerSource& source);
void build_xlm_roberta(ClassSettings& settings, TokenizerSource& source);
void build_mbart(ClassSettings& settings, TokenizerSource& source);
void build_mbart50(ClassSettings& settings, TokenizerSource& source);
void build_nllb(ClassSettings& settings, TokenizerSource& source);
void build_pegasus(ClassSettings& settings, TokenizerSource& source);
void build_llama(ClassSettings& settings, TokenizerSource& source);
void build_code_llama(ClassSettings& settings, TokenizerSource& source);
void build_gemma(ClassSettings& settings, TokenizerSource& source);
void build_albert(ClassSettings& settings, TokenizerSource& source);
void build_xlnet(ClassSettings& settings, TokenizerSource& source);
void build_deberta(ClassSettings& settings, TokenizerSource& source);
void build_camembert(ClassSettings& settings, TokenizerSource& source);

}  // namespace attend::detail
