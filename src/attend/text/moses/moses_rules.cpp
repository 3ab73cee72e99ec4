#include "attend/text/moses/moses_rules.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"

namespace attend::moses {
namespace {

// Abbreviations, in any order, separated by spaces. Single letters and German numbers are in
// is_prefix().
constexpr std::u32string_view kEnglish =
    U"Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov "
    U"Hon Hr Hosp Insp Lt MM MR"
    U" MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen "
    U"Sens Sfc Sgt Sr St Supt Surg"
    U" vs i.e rev e.g Rs Nos Nr Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec";
constexpr std::u32string_view kGerman =
    U"II III IV VI VII VIII IX XI XII XIII XIV XV XVI XVII XVIII XIX XX ii iii iv vi vii viii ix "
    U"xi xii xiii xiv xv xvi xvii"
    U" xviii xix xx Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr "
    U"Ens Gen Gov Hon Hosp Insp Lt"
    U" MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt "
    U"Sen Sens Sfc Sgt Sr St Supt"
    U" Surg Mio Mrd bzw vs usw d.h z.B u.a etc MwSt ggf d.J D.h m.E vgl I.F z.T sogen ff u.E g.U "
    U"g.g.A c.-à-d Buchst u.s.w"
    U" sog u.ä Std evtl Zt Chr u.U o.ä Ltd b.A z.Zt spp sen SA k.o jun i.H.v dgl dergl Co zzt usf "
    U"s.p.a Dkr bzgl BSE No Nos"
    U" Art Nr pp ca Ca";
constexpr std::u32string_view kFrench =
    U"A.C.N A.M art ann apr av auj lib B.P boul ca c.-à-d cf ch.-l chap contr C.P.I C.Q.F.D C.N "
    U"C.N.S C.S dir éd e.g env al"
    U" etc E.V ex fasc fém fig fr hab ibid id i.e inf LL.AA LL.AA.II LL.AA.RR LL.AA.SS L.D LL.EE "
    U"LL.MM LL.MM.II.RR loc.cit"
    U" masc MM ms N.B N.D.A N.D.L.R N.D.T n/réf NN.SS N.S N.D N.P.A.I p.c.c pl pp p.ex p.j P.S "
    U"R.A.S R.-V R.P R.I.P SS S.S"
    U" S.A S.A.I S.A.R S.A.S S.E sec sect sing S.M S.M.I.R sq sqq suiv sup suppl tél T.S.V.P vb "
    U"vol vs X.O Z.I";
constexpr std::u32string_view kEnglishBeforeNumbers = U"No Art pp";

bool is_one_of(std::u32string_view word, std::u32string_view list) {
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == U' ') && (end == list.size() || list[end] == U' ')) return true;
  }
  return false;
}

bool is_between(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

bool is_number_below_100(std::u32string_view word) {
  return word.size() <= 2 && is_between(word[0], U'1', U'9') && is_between(word.back(), U'0', U'9');
}

}  // namespace

bool is_cjk(char32_t c) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 11> kBlocks{{{0x1100, 0x11FF},
                                                                          {0x2E80, 0xA4CF},
                                                                          {0xA840, 0xA87F},
                                                                          {0xAC00, 0xD7AF},
                                                                          {0xF900, 0xFAFF},
                                                                          {0xFE30, 0xFE4F},
                                                                          {0xFF65, 0xFFDC},
                                                                          {0x17000, 0x18AFF},
                                                                          {0x1B000, 0x1B12F},
                                                                          {0x1B170, 0x1B2FF},
                                                                          {0x20000, 0x2FFFF}}};
  return std::any_of(kBlocks.begin(), kBlocks.end(),
                     [c](const auto& block) { return is_between(c, block.first, block.second); });
}

bool is_alpha(char32_t c) {
  if (c < 0x80) return is_between(c, U'a', U'z') || is_between(c, U'A', U'Z');
  if (is_cjk(c)) return false;
  const bool circled = is_between(c, 0x24B6, 0x24E9), roman = is_between(c, 0x2160, 0x2188);
  const bool vowel_mark = c == 0x345 || (is_between(c, 0x5B0, 0x1CFF) && unicode::is_mark(c));
  return unicode::is_letter(c) || circled || roman || vowel_mark;
}

bool is_alnum(char32_t c) { return is_alpha(c) || unicode::is_digit(c); }

bool is_prefix(std::u32string_view word, MosesLanguage language) {
  if (word.empty()) return false;
  const bool upper = word.size() == 1 && is_between(word[0], U'A', U'Z'),
             lower = word.size() == 1 && is_between(word[0], U'a', U'z');
  switch (language) {
    case MosesLanguage::en:
      return upper || word == U"v" || is_one_of(word, kEnglish);
    case MosesLanguage::de:
      return upper || lower || is_number_below_100(word) || is_one_of(word, kGerman);
    case MosesLanguage::fr:
      return upper || (lower && word != U"a") || is_one_of(word, kFrench);
  }
  return false;
}

bool is_prefix_of_numbers(std::u32string_view word, MosesLanguage language) {
  return language == MosesLanguage::en && !word.empty() && is_one_of(word, kEnglishBeforeNumbers);
}

std::u32string replace(std::u32string_view text, std::u32string_view from, std::u32string_view to) {
  return replace(text,
                 [&](std::u32string_view all, std::size_t at, std::u32string& out) -> std::size_t {
                   if (!all.substr(at).starts_with(from)) return 0;
                   out += to;
                   return from.size();
                 });
}

std::u32string single_spaces(std::u32string_view text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (!unicode::is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != U' ') {
      out += U' ';
    }
  }
  if (!out.empty() && out.back() == U' ') out.pop_back();
  return out;
}

}  // namespace attend::moses
