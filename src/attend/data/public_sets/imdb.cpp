// Film reviews, positive or negative (Maas et al. 2011), split by film: reviews of one film tend to
// agree.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "attend/core/random/random.h"
#include "attend/core/strings/quote.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/set_folder.h"
#include "attend/data/public_sets/split_pairs.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr int kFilmsPerValidationFilm = 5;

struct Review {
  int id = 0, rating = 0;
  std::string text;
};

// A part and a label: "train", "neg".
using PartLabel = std::pair<std::string, std::string>;

struct Reviews {
  std::map<PartLabel, std::map<int, Review>> texts;
  std::map<std::string, std::vector<std::string>> films;  // by label; of the training reviews
};

// The names between the slashes of "aclImdb/train/neg/12_3.txt", from the last.
std::array<std::string_view, 3> last_names(std::string_view path) {
  std::array<std::string_view, 3> names;
  for (std::string_view& name : names) {
    const std::size_t slash = path.rfind('/');
    name = path.substr(slash + 1);  // npos + 1 is 0
    path = slash == path.npos ? std::string_view() : path.substr(0, slash);
  }
  return names;
}

// "12_3.txt".
std::optional<Review> parse_name(std::string_view name) {
  Review review;
  const char* const end = name.data() + name.size();
  const auto id = std::from_chars(name.data(), end, review.id);
  if (id.ec != std::errc() || id.ptr == end || *id.ptr != '_') return std::nullopt;
  const auto rating = std::from_chars(id.ptr + 1, end, review.rating);
  if (rating.ec != std::errc() || std::string(rating.ptr, end) != ".txt") return std::nullopt;
  return review;
}

std::string text_of_lines(LineReader lines) {
  std::string text;
  for (std::string line; lines.next(line);) text += (text.empty() ? "" : " ") + line;
  return one_line(text);
}

// "http://www.imdb.com/title/tt0064354/usercomments" on the line after as many as the review's
// number says.
std::vector<std::string> films_of(LineReader lines) {
  std::vector<std::string> films;
  for (std::string line; lines.next(line);) {
    const std::size_t title = line.find("/title/");
    if (title == line.npos)
      throw DataError(
          fmt::format("{}: expected the address of a film, found {}", lines.where(), quote(line)));
    const std::size_t begin = title + 7;
    films.push_back(line.substr(begin, line.find('/', begin) - begin));
  }
  return films;
}

void take_review(ArchiveReader& file, Reviews& reviews) {
  const auto [name, folder, above] = last_names(file.name());
  for (const std::string label : {"neg", "pos"}) {
    if (name == "urls_" + label + ".txt" && folder == "train")
      reviews.films[label] = films_of(file.lines());
    if (folder != label || (above != "train" && above != "test")) continue;
    std::optional<Review> review = parse_name(name);
    if (!review) continue;
    review->text = text_of_lines(file.lines());
    auto& texts = reviews.texts[{std::string(above), label}];
    if (!texts.emplace(review->id, std::move(*review)).second)
      throw DataError(fmt::format("{}: expected each review once, found it again", file.where()));
  }
}

std::string row_of(const std::string& label, const Review& review) {
  return fmt::format("{}\t{}\t{}/{}\t{}", label == "pos" ? 1 : 0, review.rating, label, review.id,
                     review.text);
}

void write_shuffled(std::vector<std::string> rows, const std::string& name, std::uint64_t seed,
                    SetFolder& out) {
  Random random({seed, stream_of(name)});
  shuffle(rows, random);
  for (const std::string& row : rows) out.file(name).add_line(row);
}

// Films are numbered in the order of their first review, negative ones first; every fifth is for
// validation.
void write_training(const Reviews& reviews, std::uint64_t seed, SetFolder& out) {
  std::unordered_map<std::string, int> numbers;
  std::vector<std::string> train, valid;
  for (const std::string label : {"neg", "pos"}) {
    const auto texts = reviews.texts.find({"train", label});
    const auto films = reviews.films.find(label);
    if (texts == reviews.texts.end())
      refuse_missing_part("imdb", fmt::format("train/{}/0_3.txt and the like", label));
    if (films == reviews.films.end())
      refuse_missing_part("imdb", fmt::format("train/urls_{}.txt", label));
    for (const auto& [id, review] : texts->second) {
      if (id < 0 || static_cast<std::size_t>(id) >= films->second.size())
        throw DataError(
            fmt::format("expected the film of the review {}/{} in urls_{}.txt, found "
                        "{} lines",
                        label, id, label, films->second.size()));
      const std::string& film = films->second[static_cast<std::size_t>(id)];
      const int number = numbers.emplace(film, static_cast<int>(numbers.size())).first->second;
      (number % kFilmsPerValidationFilm == 0 ? valid : train).push_back(row_of(label, review));
    }
  }
  write_shuffled(std::move(train), "train.tsv", seed, out);
  write_shuffled(std::move(valid), "valid.tsv", seed, out);
}

void prepare_imdb(std::span<const std::string> downloads, const PublicSetOptions& options,
                  SetFolder& out) {
  Reviews reviews;
  visit_files(downloads, [&](ArchiveReader& file) { take_review(file, reviews); });
  write_training(reviews, options.seed, out);
  std::vector<std::string> test;
  for (const std::string label : {"neg", "pos"})
    for (const auto& [id, review] : reviews.texts[{"test", label}])
      test.push_back(row_of(label, review));
  if (!test.empty()) write_shuffled(std::move(test), "test.tsv", options.seed, out);
}

constexpr std::array<SetDownload, 1> kImdbDownloads{
    {{"https://ai.stanford.edu/~amaas/data/sentiment/", "aclImdb_v1.tar.gz",
      "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"}}};
constexpr std::array<PublishedFile, 3> kImdbPublished{
    {{"train.tsv", 20303}, {"valid.tsv", 4697}, {"test.tsv", 25000}}};
constexpr std::array<std::string_view, 1> kImdbOptions{"seed"};

}  // namespace

constinit const PublicSet kImdb{
    .name = "imdb",
    .about = "film reviews, good or bad, split by film (Maas et al. 2011)",
    .size = "50,000 reviews",
    .license = "for research",
    .page = "https://ai.stanford.edu/~amaas/data/sentiment/",
    .downloads = kImdbDownloads,
    .published = kImdbPublished,
    .options = kImdbOptions,
    .prepare = prepare_imdb};

}  // namespace attend
