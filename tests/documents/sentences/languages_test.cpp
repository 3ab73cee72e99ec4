// Sentences in all languages that have rules: abbreviations, initials, ordinals, stops.
#include <gtest/gtest.h>

#include <set>
#include <span>

#include "attend/core/files/embedded_file.h"
#include "attend/core/strings/unicode.h"
#include "attend/documents/sentences/sentences.h"

namespace attend {

std::span<const EmbeddedFile> sentence_rule_files();

namespace {

struct LanguageCase {
  const char* language;
  std::vector<std::string> sentences;
};

// Each line of sentences is one text, with spaces between them.
const LanguageCase kCases[] = {
    {"en", {"Mr. and Mrs. J. R. Smith met Gen. Lee, e.g. on Jan. 5.", "No. 7 cost $3.50."}},
    {"de", {"Am 3. Mai kam Dr. Abel, z. B. im 19. Jahrhundert.", "Er sah Nr. 5."}},
    {"de", {"Seit 1990.", "Der 2. Weltkrieg, ca. 60 Mio. Tote usw.", "Danach nichts."}},
    {"fr", {"M. Dupont, cf. p. 5, vit av. J.-C. ici.", "L'art. 3, c.-à-d. rien."}},
    {"es", {"El Sr. García y la Dra. Ruiz van a EE. UU. mañana.", "¿Viene Ud. Ana?"}},
    {"it", {"Il Sig. Rossi, cfr. pag. 3, e il dott. Bianchi.", "È ecc.", "Poi basta."}},
    {"pt", {"O Sr. Silva e a Dra. Lima, p. ex. na Av. Paulista.", "Há 3 casas."}},
    {"nl", {"Dhr. De Vries kwam m.b.v. prof. Bakker.", "Zie nr. 5, d.w.z. blz. 7."}},
    {"sv", {"Dr. Berg, t. ex. på s. 5, kom kl. 7.", "Han heter A. I. Ek."}},
    {"da", {"Den 3. maj kom hr. Olsen, f.eks. nr. 5.", "Det var den 3. 5."}},
    {"nb", {"Den 17. mai kom dr. Berg, bl.a. nr. 5.", "Det var godt."}},
    {"nn", {"Den 17. mai kom prof. Berg, t.d. nr. 5.", "Eg veit ikkje."}},
    {"is", {"Hinn 17. júní kom dr. Jón, þ.e. á bls. 5.", "Það er gott."}},
    {"af", {"Mnr. Botha en dr. Smit, bl. 5.", "Hulle is hier."}},
    {"fi", {"Hra Aho, esim. s. 5, tuli 3. toukokuuta.", "Prof. Niemi lähti."}},
    {"et", {"Hr. Tamm tuli 3. mail, nt. lk. 5.", "Prof. Kask läks."}},
    {"lv", {"Dr. Ozols, piem., lpp. 5.", "Tas bija 3. maijā."}},
    {"lt", {"Prof. Jonaitis, pvz., p. 5.", "Tai buvo 2004 m. gegužę."}},
    {"pl", {"Prof. dr hab. Jan Nowak, np. na ul. Długiej, art. 5.", "Był 3. dniem."}},
    {"cs", {"Dne 3. května přišel Ing. Novák, např. str. 5.", "Byl 1. 5. 2020."}},
    {"sk", {"Dňa 3. mája prišiel Ing. Novák, napr. str. 5.", "Bolo to dobré."}},
    {"sl", {"Dne 3. maja je prišel dr. Novak, npr. str. 5.", "To je 20. 4. 2001."}},
    {"hr", {"Dana 3. svibnja došao je dr. Horvat, npr. str. 5.", "Bilo je dobro."}},
    {"sr", {"Дана 3. маја дошао је др Јовић, нпр. стр. 5.", "Било је добро."}},
    {"sr_Latn", {"Dana 3. maja došao je prof. Jović, npr. str. 5.", "Bilo je dobro."}},
    {"bs", {"Dana 3. maja došao je prof. Hadžić, tj. br. 5.", "Bilo je dobro."}},
    {"bg", {"Г-н Иванов, напр. на ул. Раковски, чл. 5.", "През 2001 г.", "Американците."}},
    {"mk", {"Проф. Петров, на пр. на ул. Илинденска, бр. 5.", "Тоа е добро."}},
    {"ru", {"А. С. Пушкин, т. е. поэт, род. 6 июня, см. рис. 5.", "И т. д.", "Всё."}},
    {"uk", {"Т. Г. Шевченко, тобто ім. Франка, див. мал. 5.", "У 1990 р.", "Він."}},
    {"be", {"Я. Колас, г. зн. праф. Іваноў, мал. 5.", "У 1990 г.", "Ён."}},
    {"ro", {"Dl. Popescu, str. Eminescu nr. 5, cf. pag. 3.", "Este bine."}},
    {"hu", {"II. János Pál, dr. Nagy, pl. 3. oldal, 1990. május 5.", "Ez Sz. Anna."}},
    {"el", {"Ο κ. Παπάς, π.χ. σελ. 5.", "Τι είναι αυτό;", "Ο Γ. Σεφέρης."}},
    {"tr", {"Prof. Dr. Ali Kaya, 19. Yüzyıl, 2. Dünya Savaşı, No. 5.", "Bu iyi."}},
    {"az", {"Prof. Əliyev, səh. 5.", "Bu yaxşıdır."}},
    {"uz", {"Prof. Karimov, 5-bet.", "Bu yaxshi."}},
    {"kk", {"Проф. Ахметов, т. б. туралы.", "Бұл жақсы."}},
    {"sq", {"Z. Hoxha, p. sh. dr. Leka, nr. 5.", "Kjo është mirë."}},
    {"ca", {"El Sr. Puig i la Dra. Mas, p. ex. pàg. 5.", "Això és tot."}},
    {"eu", {"Iruñeko 26. Olinpiar Jokoak, or. 5.", "Hau ona da."}},
    {"gl", {"O Sr. Castro e a Dra. Rey, páx. 5.", "Isto é todo."}},
    {"ga", {"Tá an Dr. Ó Briain anseo, lch. 5.", "Níl sé anseo."}},
    {"cy", {"Mae Dr. Jones yma, tud. 5.", "Nid yw yma."}},
    {"mt", {"Il-Prof. Borg, p. eż. paġ. 5.", "Din tajba."}},
    {"id", {"Bpk. Joko dan Dr. Siti, Jl. Merdeka No. 5.", "Ini baik."}},
    {"ms", {"En. Ahmad dan Dr. Siti, Jln. Ampang, hlm. 5.", "Ini baik."}},
    {"vi", {"GS. Nguyễn Văn A và TP. Huế.", "Tôi đi."}},
    {"tl", {"Si G. Cruz at Gng. Reyes, blg. 5.", "Ito ay mabuti."}},
    {"sw", {"Bw. Juma na Dkt. Asha, uk. 5.", "Hii ni nzuri."}},
    {"ar", {"قال د. أحمد ص. 5 ذلك.", "هل هذا صحيح؟", "نعم."}},
    {"fa", {"د. احمدی ص. ۵ را خواند.", "آیا این درست است؟", "بله."}},
    {"he", {"פגש את ד\"ר לוי ואת א. ב. יהושע בצה\"ל.", "זה טוב?", "כן."}},
    {"ur", {"ایم۔ اے۔ خان نے کہا۔", "کیا یہ درست ہے؟", "جی ہاں۔"}},
    {"hi", {"डॉ. ए. पी. जे. अब्दुल कलाम आए।", "क्या यह सही है?", "हाँ।"}},
    {"bn", {"ড. মুহাম্মদ ইউনূস এলেন।", "এটা কি ঠিক?", "হ্যাঁ।"}},
    {"ta", {"எம். ஜி. ஆர். வந்தார்.", "இது சரியா?", "ஆம்."}},
    {"te", {"ఎన్. టి. రామారావు వచ్చారు.", "ఇది సరేనా?", "అవును."}},
    {"mr", {"डॉ. आंबेडकर आले.", "हे बरोबर आहे का?", "होय."}},
    {"ne", {"डा. शर्मा आए।", "के यो ठीक हो?", "हो।"}},
    {"gu", {"ડૉ. પટેલ આવ્યા છે.", "શું આ સાચું છે?", "હા."}},
    {"pa", {"ਡਾ. ਸਿੰਘ ਆਏ।", "ਸਹੀ ਹੈ.", "ਕੀ ਇਹ ਸਹੀ ਹੈ?", "ਹਾਂ।"}},
    {"ml", {"ഡോ. നായർ വന്നു.", "ഇത് ശരിയാണോ?", "അതെ."}},
    {"kn", {"ಡಾ. ರಾವ್ ಬಂದರು.", "ಇದು ಸರಿಯೇ?", "ಹೌದು."}},
    {"si", {"එම්. පෙරේරා ආවා.", "මෙය හරිද?", "ඔව්."}},
    {"th", {"ดร. สมชาย มาเมื่อ 5 ม.ค. 2560 แล้ว กลับบ้าน"}},
    {"lo", {"ດຣ. ສົມຊາຍ ມາ ແລ້ວ ກັບບ້ານ"}},
    {"km", {"គាត់មក។", "តើវាត្រឹមត្រូវទេ?", "បាទ៕"}},
    {"my", {"သူလာသည်။", "ဒါမှန်သလား။", "ဟုတ်ကဲ့။"}},
    {"bo", {"ཁོང་ཕེབས་སོང་།", "དེ་འགྲིག་གི་རེད།"}},
    {"zh", {"他来了。", "对吗？", "对！"}},
    {"ja", {"彼が来た。", "本当？", "はい。"}},
    {"ko", {"김 박사는 J. K. 롤링을 만났다.", "정말?", "네."}},
    {"ka", {"პროფ. ბერიძე მოვიდა.", "ეს სწორია?", "დიახ."}},
    {"hy", {"Պրոֆ. Սարգսյանը 1813 թ. Երևանում էր։", "Ճի՞շտ է:", "Այո։"}},
    {"am", {"አቶ ከበደ በ2000 ዓ.ም. መጣ።", "ትክክል ነው፧", "አዎ።"}},
};

std::string joined_with(std::string_view space, const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& one : sentences) text += (text.empty() ? "" : std::string(space)) + one;
  return text;
}

std::vector<std::string> sentences_in(const std::string& text, std::string_view language) {
  std::vector<std::string> found;
  for (const TextSpan span : find_sentences(text, language)) found.emplace_back(span.of(text));
  return found;
}

TEST(Languages, HaveTheirAbbreviationsAndStops) {
  for (const auto& [language, sentences] : kCases)
    EXPECT_EQ(sentences_in(joined_with(" ", sentences), language), sentences) << language;
}

TEST(Languages, NeedNoSpaceWhereTheyWriteNone) {
  for (const auto& [language, sentences] : kCases) {
    const std::string_view name = language;
    if (name != "zh" && name != "ja" && name != "my" && name != "bn" && name != "ur") continue;
    if (name == "bn" || name == "ur") continue;
    EXPECT_EQ(sentences_in(joined_with("", sentences), language), sentences) << language;
  }
}

TEST(Languages, AreAllTested) {
  std::set<std::string, std::less<>> tested;
  for (const LanguageCase& one : kCases) tested.emplace(one.language);
  for (const EmbeddedFile& file : sentence_rule_files()) {
    const std::string name(file.name.substr(0, file.name.size() - 4));
    const bool is_language = name != "relatives" && name != "latin";
    EXPECT_TRUE(!is_language || tested.contains(name)) << name;
  }
  EXPECT_GE(tested.size(), 65u);
}

TEST(Languages, AreFoundByAnyName) {
  const std::string german = "Am 3. Oktober war es z. B. kalt. Ja.";
  for (const char* name :
       {"de", "deu", "deu_Latn", "ger", "de_DE", "de-AT", "DE", "lb", "ltz_Latn"})
    EXPECT_EQ(sentences_in(german, name).size(), 2u) << name;
  const std::string russian = "Это, т. е. дом, см. стр. 5. Да.";
  for (const char* name : {"ru", "rus_Cyrl", "tat_Cyrl", "xx_Cyrl", "unknown", ""})
    EXPECT_EQ(sentences_in(russian, name).size(), 2u) << name;
  EXPECT_EQ(sentences_in("Mr. Smith is here. Yes.", "mul").size(), 2u) << "English by default";
  EXPECT_EQ(sentences_in("Τι είναι; Ναι.", "").size(), 2u) << "Greek by its letters";
  EXPECT_EQ(sentences_in("Go; Then stop.", "en").size(), 1u);
}

// The lines of the files.
TEST(Languages, HaveWellFormedFiles) {
  const std::set<std::string_view> keys{"never", "seldom",  "numbered", "units",
                                        "may",   "starts",  "months",   "ordinals",
                                        "stops", "periods", "with"};
  for (const EmbeddedFile& file : sentence_rule_files()) {
    if (file.name == "relatives.txt") continue;
    std::string_view rest = file.content;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.empty() || line.starts_with('#')) continue;
      const std::size_t colon = line.find(':');
      EXPECT_TRUE(colon != line.npos && keys.contains(line.substr(0, colon))) << file.name << line;
      for (const std::string_view word : unicode::split(line.substr(colon + 1)))
        EXPECT_FALSE(word.ends_with('.') || word.starts_with('.')) << file.name << ": " << word;
    }
  }
}

}  // namespace
}  // namespace attend
