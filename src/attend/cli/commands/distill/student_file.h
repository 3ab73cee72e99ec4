// The file to use a student by, beside the model of its run.
#pragma once

#include <filesystem>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/core/options/options.h"

namespace attend {

struct StudentFileOptions {
  int bits = 0;
};

template <class Visitor>
void fields(StudentFileOptions& o, Visitor&& visit) {
  visit("bits", o.bits, between(0, 16),
        "bits per weight of a second file with the student, such as model-8bit.safetensors: 4, 8 "
        "or 16; 0: no such file");
}

// Throws ConfigError for bits that no weight has.
void validate(const StudentFileOptions& options);

// Writes the model of a finished run as its lesson wants it to be used, in fewer bits. Throws
// IoError.
void write_student_file(const std::filesystem::path& run, const StudentFileOptions& options,
                        const Lesson& lesson, const SettledOptions& student);

}  // namespace attend
