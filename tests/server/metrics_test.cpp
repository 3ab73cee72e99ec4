#include "attend/server/metrics.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, CountRequestsByRouteAndStatus) {
  Metrics metrics;
  metrics.add_request("/translate", 200, 0.02);
  metrics.add_request("/translate", 200, 0.3);
  metrics.add_request("/translate", 503, 100);
  const std::string text = metrics.text({});
  EXPECT_TRUE(has_line(text, R"(attend_http_requests_total{route="/translate",code="200"} 2)"))
      << text;
  EXPECT_TRUE(has_line(text, R"(attend_http_requests_total{route="/translate",code="503"} 1)"))
      << text;
}

TEST(Metrics, CountEveryRequestInAllBucketsThatItFits) {
  Metrics metrics;
  metrics.add_request("/x", 200, 0.02);
  metrics.add_request("/x", 200, 0.3);
  metrics.add_request("/x", 200, 100);
  const std::string text = metrics.text({});
  const std::string bucket = R"(attend_http_request_duration_seconds_bucket{route="/x",le=")";
  EXPECT_TRUE(has_line(text, bucket + R"(0.01"} 0)")) << text;
  EXPECT_TRUE(has_line(text, bucket + R"(0.025"} 1)")) << text;
  EXPECT_TRUE(has_line(text, bucket + R"(0.5"} 2)")) << text;
  EXPECT_TRUE(has_line(text, bucket + R"(60"} 2)")) << text;
  EXPECT_TRUE(has_line(text, bucket + R"(+Inf"} 3)")) << text;
  EXPECT_TRUE(has_line(text, R"(attend_http_request_duration_seconds_count{route="/x"} 3)"))
      << text;
}

TEST(Metrics, TellWhatTheEngineIsDoing) {
  Metrics metrics;
  Metrics::Gauges gauges;
  gauges.connections = 3;
  gauges.jobs.waiting_tokens = 40;
  gauges.jobs.running_rows = 7;
  const std::string text = metrics.text(gauges);
  EXPECT_TRUE(has_line(text, "attend_queue_tokens 40")) << text;
  EXPECT_TRUE(has_line(text, "attend_running_rows 7")) << text;
  EXPECT_TRUE(has_line(text, "attend_connections 3")) << text;
}

}  // namespace
}  // namespace attend
