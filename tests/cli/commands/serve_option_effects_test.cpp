// Every option of `attend serve`, alone: what it changes in what clients see.
#include <sys/wait.h>

#include <cstdlib>
#include <initializer_list>

#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

const std::vector<OptionCase> kServedPreparation{
    {"lowercase", "yes", "", "score translation?"},
    {"normalize-punctuation", "yes", "--language en --tgt-language de", "score translation?"},
    {"tokenize", "moses", "--language en --tgt-language de", "score translation"},
    {"language", "fr", "--tokenize moses --language en --tgt-language de", "score"},
    {"tgt-language", "fr", "--tokenize moses --language en --tgt-language de", "score"},
    {"detokenize", "no", "--tokenize moses --language en --tgt-language de", "translation"},
};

class ServeOptionEffects : public CommandOptionEffects {
 protected:
  // Starts the program and runs lines of sh, which have its address in $url and call `stop`.
  void ask_server(const std::vector<std::string>& arguments, const std::string& lines) {
    std::string line;
    for (const std::string& argument : arguments) line += " '" + argument + "'";
    write("script.sh", "cd '" + folder_ + "'\nset --" + line + "\nattend='" ATTEND_PROGRAM "'\n" +
                           R"(
rm -f log.err
"$attend" "$@" > log.out 2> log.err &
server=$!
for i in $(seq 1200); do
  url=$(sed -n 's/^attend: listening on //p' log.err 2> /dev/null)
  [ -n "$url" ] && break
  kill -0 $server 2> /dev/null || exit 1
  sleep 0.05
done
ask="curl -s --max-time 20 -w %{http_code}"
stop() {
  kill -TERM $server
  wait $server
  echo $? > seen.status
}
)" + lines);
    [[maybe_unused]] const int status = std::system(("sh " + path("script.sh")).c_str());
  }
  Seen seen_files(std::initializer_list<const char*> names) const {
    Seen seen;
    for (const char* name : names) seen[name] = read(path(std::string("seen.") + name));
    return seen;
  }

  Seen observe_server(const std::vector<std::string>& arguments) {
    ask_server(arguments, R"(
echo "$url" | sed 's/:[0-9]*$//' > seen.address
$ask -D seen.header $url/translate -d q="The old dog." -d source=en -d target=de > seen.answer

head -c 3000 /dev/zero | tr '\0' a > large
$ask $url/detect --data-urlencode q@large > seen.large
code="curl -s --max-time 20 -o /dev/null -w %{http_code}"
$code $url/explore > seen.explore
printf 'The old dog.' > in.txt
curl -s --max-time 20 -H 'X-Forwarded-Host: example.org' -F file=@in.txt -F source=en -F target=de \
  $url/translate_file | sed 's|/download_file.*||; s/:[0-9]*$//' > seen.file
ls downloads 2> /dev/null | wc -l > seen.kept
curl -s --max-time 20 $url/v2/glossaries -d name=a -d source_lang=en -d target_lang=de \
  -d 'entries=a,b' -d entries_format=csv > /dev/null
ls glossaries 2> /dev/null | wc -l > seen.glossaries
rm -rf downloads glossaries
$ask $url/v1/models | sed 's/"created":[0-9]*//g' > seen.models
sleep 0.3
$ask $url/models | grep -o '"in_memory":[a-z]*' > seen.memory
port=$(echo $url | sed 's/.*://')
host=$(echo $url | sed 's|.*//||; s|:.*||')
# Two connections that stay open; how the first one fares.
perl -MIO::Socket::INET -e '
  sub open_one { IO::Socket::INET->new(PeerAddr => "'$host':'$port'") }
  my $first = open_one(); select undef, undef, undef, 0.1;
  my $second = open_one(); select undef, undef, undef, 0.4;
  my $ready = ""; vec($ready, fileno($first), 1) = 1;
  print select($ready, undef, undef, 0) ? "closed" : "open"' > seen.idle
# A request that does not end.
perl -MIO::Socket::INET -e '
  my $s = IO::Socket::INET->new(PeerAddr => "'$host':'$port'");
  print $s "POST /detect HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nq"; $s->flush;
  my $ready = ""; vec($ready, fileno($s), 1) = 1;
  print select($ready, undef, undef, 1) ? "closed" : "open"' > seen.slow
stop
grep -i '^access-control' seen.header > seen.cors
cut -c 1-8 log.out | sort -u > seen.log
)");
    return seen_files({"address", "answer", "large", "models", "idle", "slow", "status", "cors",
                       "log", "explore", "file", "kept", "memory", "glossaries"});
  }
  // What it answers to requests for raw text.
  Seen observe_requests(const std::vector<std::string>& arguments) {
    ask_server(arguments, R"(
post="$ask -H Content-Type:application/json"
$post $url/translate -d @text.json > seen.translation
$post $url/score -d @pair.json > seen.score
stop
)");
    return seen_files({"translation", "score", "status"});
  }
};

TEST_F(ServeOptionEffects, OfServe) {
  train_translator();
  write("keys", "abcdefgh\n");
  std::filesystem::create_directory(path("more"));
  std::filesystem::copy_file(path("model"), path("more/other.safetensors"));
  std::filesystem::create_directory(path("many"));  // of more than a MiB
  for (std::uint64_t bytes = 0, i = 0; bytes <= 1 << 20;
       bytes += std::filesystem::file_size(path("model")))
    std::filesystem::copy_file(path("model"), path(fmt::format("many/{}.safetensors", ++i)));
  const std::vector<OptionCase> cases{
      {"listen", "127.0.0.2:0", "", "address file"},
      {"max-tokens-in-queue", "1", "", "answer file"},
      {"request-time-limit", "0.000001", "", "answer? file?"},
      {"max-body", "2000", "", "large"},
      {"max-connections", "1", "", "idle"},
      {"timeout", "0.3", "", "slow"},
      {"models-dir", "@more", "", "models memory"},
      {"idle", "0.1", "", "memory"},
      {"max-memory", "1", "--models-dir @many", "memory"},
      {"api-key", "@keys", "", "answer large models file memory"},
      {"cors", "*", "", "cors"},
      {"access-log", "no", "", "log"},
      {"explorer", "no", "", "explore"},
      {"trust-proxy", "yes", "", "file"},
      {"download-dir", "@downloads", "", "kept"},
      {"glossary-dir", "@glossaries", "", "glossaries"},
  };
  const auto base = with_paths("serve @model --threads 1 --listen 127.0.0.1:0");
  expect_effects(base, cases, [&](const std::vector<std::string>& arguments) {
    return observe_server(arguments);
  });
  const Seen seen = observe_server(base);
  EXPECT_EQ(seen.at("status"), "0\n");
  EXPECT_EQ(seen.at("log"), "{\"time\":\n");
  EXPECT_TRUE(seen.at("answer").ends_with("200")) << seen.at("answer");
  EXPECT_EQ(seen.at("idle") + seen.at("slow"), "openopen");
  // Tested in serve_command_test.cpp and in server/routes/openai_test.cpp.
  expect_a_case_for_every_option("serve", {cases, kServedPreparation},
                                 {"config", "threads", "certificate", "key", "max-new-tokens"});
}

// What requests do not say themselves. The model writes words and punctuation apart.
TEST_F(ServeOptionEffects, OfServeOnRequestsForRawText) {
  std::string tokens;
  for (std::string line : lines_of("train.de")) tokens += line.insert(line.size() - 1, " ") + "\n";
  write("train.de", tokens);
  train_translator();
  write("pair.json", R"({"sources": ["The man ( sees the dog's ) ."],
                         "targets": ["Der Mann ( sieht l'Hund ) ."]})");
  write("text.json", R"({"q": "The man sleeps .", "source": "en", "target": "de"})");
  expect_effects(
      with_paths("serve @model --threads 1 --listen 127.0.0.1:0"), kServedPreparation,
      [&](const std::vector<std::string>& arguments) { return observe_requests(arguments); });
}

}  // namespace
}  // namespace attend
