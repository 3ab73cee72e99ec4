// `attend serve` as a process: what it says, what it answers, and how it ends.
#include <gtest/gtest.h>

#include "cli/started_program.h"

namespace attend {
namespace {

// A shell function that starts the server in the background, with its process in $server and its
// address in $url.
constexpr const char* kServe = R"(
serve() {
  $attend serve "$@" --listen 127.0.0.1:0 --threads 1 2> log.err > log.out &
  server=$!
  for i in $(seq 1200); do
    url=$(sed -n 's/^attend: listening on //p' log.err)
    [ -n "$url" ] && return
    kill -0 $server 2> /dev/null || { cat log.err >&2; exit 1; }
    sleep 0.05
  done
}
)";

class ServeCommand : public StartedProgramTest {};

TEST_F(ServeCommand, AnswersWithTheBytesOfTranslateAndStopsOnSigterm) {
  train("run");
  EXPECT_EQ(shell(std::string(kServe) + R"(
head -n 3 valid.en > in.txt
$attend translate run --threads 1 < in.txt > expected.txt
serve run
while read -r line; do
  curl -s $url/translate --data-urlencode "q=$line" -d source=en -d target=de |
    sed 's/^{"translatedText":"//; s/"}$//'
  echo
done < in.txt > served.txt
kill -TERM $server
wait $server || exit 9
cmp expected.txt served.txt || exit 8
)"),
            0)
      << error_ << read(path("log.err"));
  const std::string said = read(path("log.err"));
  EXPECT_NE(said.find("attend: run: translation (en to de)\n"), said.npos) << said;
  EXPECT_NE(said.find("attend: memory: models 1 MiB, explored models at most 1 MiB, requests at "
                      "most "),
            said.npos)
      << said;
  const std::string log = read(path("log.out"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3) << log;
}

TEST_F(ServeCommand, ServesAModelOfAnotherProgramUnderItsName) {
  const std::string directory =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/bert_sentences";
  EXPECT_EQ(shell(std::string(kServe) + R"(
export ATTEND_CACHE=$PWD/cache
serve )" + directory +
                  R"(
curl -sf $url/v1/models > models.json || exit 8
kill -TERM $server
wait $server
)"),
            0)
      << error_ << read(path("log.err"));
  EXPECT_NE(read(path("models.json")).find("\"bert_sentences\""), std::string::npos)
      << read(path("models.json"));
}

TEST_F(ServeCommand, LoadsModelsAgainOnSighup) {
  train("run");
  EXPECT_EQ(shell(std::string(kServe) + R"(
serve run,name=x --no-access-log
kill -HUP $server
for i in $(seq 1200); do grep -q 'loaded again' log.err && break; sleep 0.05; done
curl -sf $url/health > /dev/null || exit 7
echo broken > run/model.safetensors
kill -HUP $server
for i in $(seq 1200); do grep -q 'kept as it was' log.err && break; sleep 0.05; done
curl -sf $url/translate -d q=dog -d source=en -d target=de > /dev/null || exit 8
kill -INT $server
wait $server || exit 9
)"),
            0)
      << error_;
  EXPECT_NE(read(path("log.err")).find("x: kept as it was"), std::string::npos)
      << read(path("log.err"));
  EXPECT_EQ(read(path("log.out")), "");
}

TEST_F(ServeCommand, SpeaksTlsAndSaysHowManyThreadsItHas) {
  if (std::system("command -v openssl > /dev/null") != 0) GTEST_SKIP() << "no openssl";
  train("run");
  EXPECT_EQ(shell(std::string(kServe) + R"(
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 \
  -subj /CN=localhost 2> /dev/null
serve run --certificate cert.pem --key key.pem
case $url in https://*) ;; *) exit 5 ;; esac
curl -sf --cacert cert.pem --resolve localhost:${url##*:}:127.0.0.1 \
  https://localhost:${url##*:}/health > health || exit 6
curl -s http://${url#https://}/health && exit 7
kill -TERM $server
wait $server || exit 9
)"),
            0)
      << error_;
  EXPECT_EQ(read(path("health")), "{\"status\":\"ok\"}");
}

TEST_F(ServeCommand, StartsAsTheSystemdUnitSays) {
  train("run");
  EXPECT_EQ(shell(std::string(kServe) + R"(
mkdir models
mv run models
unit=)" ATTEND_SOURCE_DIR R"(/deploy/attend.service
serve $(sed -n 's|^ExecStart=/usr/bin/attend serve ||p' $unit |
  sed 's|/var/lib/attend/models|models|; s| --listen [^ ]*||')
curl -sf $url/translate -d q=dog -d source=en -d target=de > /dev/null || exit 8
kill -TERM $server
wait $server || exit 9
)"),
            0)
      << error_ << read(path("log.err"));
}

TEST_F(ServeCommand, SaysWhatIsWrongBeforeItServes) {
  expect_usage_error({"serve"}, {"expected a model, or --models-dir; got none"});
  expect_usage_error({"serve", "x,language=en"}, {"'language=en'"});
  expect_failure({"serve", path("nothing"), "--listen", "127.0.0.1:0"}, {"nothing"});
  expect_usage_error({"serve", path("nothing"), "--listen", "here"}, {"--listen", "'here'"});
  expect_usage_error({"serve", path("nothing"), "--listen", "127.0.0.1:0", "--key", "k.pem"},
                     {"--certificate and --key"});
}

}  // namespace
}  // namespace attend
