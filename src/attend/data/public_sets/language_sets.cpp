// Texts for language models, which are files as they are: WikiText-2 and Tiny Shakespeare.
#include <array>
#include <utility>

#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/set_folder.h"

namespace attend {
namespace {

struct Renamed {
  std::string_view from, to;
  bool needed = true;
};

void copy_texts(std::span<const std::string> downloads, std::span<const Renamed> names,
                std::string_view set, SetFolder& out) {
  std::vector<bool> found(names.size());
  visit_files(downloads, [&](ArchiveReader& file) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string_view name = last_name(file.name());
      if (found[i] || (name != names[i].from && name != names[i].to)) continue;
      found[i] = true;
      LineReader lines = file.lines();
      SetFile& text = out.file(std::string(names[i].to));
      for (std::string line; lines.next(line);) text.add_line(line);
      return;
    }
  });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].needed && !found[i]) refuse_missing_part(set, names[i].from);
}

void prepare_wikitext(std::span<const std::string> downloads, const PublicSetOptions&,
                      SetFolder& out) {
  static constexpr std::array<Renamed, 3> kNames{{{"wiki.train.tokens", "train.txt"},
                                                  {"wiki.valid.tokens", "valid.txt"},
                                                  {"wiki.test.tokens", "test.txt", false}}};
  copy_texts(downloads, kNames, "wikitext-2", out);
}

void prepare_shakespeare(std::span<const std::string> downloads, const PublicSetOptions&,
                         SetFolder& out) {
  static constexpr std::array<Renamed, 1> kNames{{{"input.txt", "input.txt"}}};
  copy_texts(downloads, kNames, "tinyshakespeare", out);
}

// pytorch/examples has the same texts as files.
constexpr std::string_view kExamples =
    "https://raw.githubusercontent.com/pytorch/examples/main/word_language_model/data/wikitext-2/";
constexpr std::string_view kTrainSum =
    "9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f";
constexpr std::string_view kValidSum =
    "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8";
constexpr std::string_view kPlaysSum =
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed";

constexpr std::array<SetDownload, 4> kWikiText{{
    {kExamples, "train.txt", kTrainSum},
    {kExamples, "valid.txt", kValidSum},
    {kExamples, "test.txt", "", true},
    {"https://s3.amazonaws.com/research.metamind.io/wikitext/", "wikitext-2-v1.zip",
     "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c", true},
}};
constexpr std::array<PublishedFile, 3> kWikiTextFiles{
    {{"train.txt", 36718, kTrainSum}, {"valid.txt", 3760, kValidSum}, {"test.txt", 4358}}};

constexpr std::array<SetDownload, 1> kShakespeare{
    {{"https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",
      "input.txt", kPlaysSum}}};
constexpr std::array<PublishedFile, 1> kShakespeareFiles{{{"input.txt", 40000, kPlaysSum}}};

}  // namespace

constinit const PublicSet kWikiText2{
    .name = "wikitext-2",
    .about = "articles of Wikipedia, word by word, for language models (Merity et al. 2016)",
    .size = "13 MB",
    .license = "CC BY-SA",
    .page = "https://github.com/pytorch/examples/tree/main/word_language_model",
    .downloads = kWikiText,
    .published = kWikiTextFiles,
    .options = {},
    .prepare = prepare_wikitext};

constinit const PublicSet kTinyShakespeare{
    .name = "tinyshakespeare",
    .about = "plays of Shakespeare, for language models of characters",
    .size = "1 MB",
    .license = "public domain",
    .page = "https://github.com/karpathy/char-rnn",
    .downloads = kShakespeare,
    .published = kShakespeareFiles,
    .options = {},
    .prepare = prepare_shakespeare};

}  // namespace attend
