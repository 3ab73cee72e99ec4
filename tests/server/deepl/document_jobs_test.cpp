#include "attend/server/deepl/document_jobs.h"

#include <gtest/gtest.h>

#include "attend/server/http/message.h"

namespace attend {
namespace {

TEST(DocumentJobs, AreFoundWithTheirKeys) {
  DocumentJobs jobs;
  const DocumentJob job = jobs.add("a.txt", 5), other = jobs.add("b.txt", 6);
  EXPECT_NE(job.id, other.id);
  EXPECT_NE(job.key, job.id);
  EXPECT_FALSE(jobs.find(job.id, other.key));
  ASSERT_TRUE(jobs.find(job.id, job.key));
  EXPECT_EQ(jobs.find(job.id, job.key)->state, DocumentJob::State::translating);
  jobs.finish(job.id, "file");
  EXPECT_EQ(jobs.find(job.id, job.key)->download, "file");
  jobs.fail(other.id, "why");
  EXPECT_EQ(jobs.find(other.id, other.key)->error, "why");
}

TEST(DocumentJobs, MakeRoomByForgettingThoseThatAreDone) {
  DocumentJobs jobs;
  const DocumentJob first = jobs.add("", 0), second = jobs.add("", 0);
  while (true) {
    try {
      jobs.add("", 0);
    } catch (const HttpError& full) {
      EXPECT_EQ(full.status, 503);
      break;
    }
  }
  jobs.finish(second.id, "file");
  jobs.add("", 0);
  EXPECT_TRUE(jobs.find(first.id, first.key));
  EXPECT_FALSE(jobs.find(second.id, second.key));
}

}  // namespace
}  // namespace attend
