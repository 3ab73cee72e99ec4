// Bodies that browsers and older clients send: forms, and forms in parts with files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct FormField {
  std::string name;
  std::string value;
  std::string file = {};  // the name of an uploaded file; empty: not a file
};

// A part of a path, "a%20b", as text. Throws HttpError for a broken escape.
std::string decoded_path_text(std::string_view text);

// application/x-www-form-urlencoded, and queries: "q=a+b&source=en". Throws HttpError.
std::vector<FormField> parse_form(std::string_view body);

// multipart/form-data; `content_type` is the field of the header, with the boundary. Throws
// HttpError.
std::vector<FormField> parse_multipart(std::string_view body, std::string_view content_type);

// The value of a parameter of a header field: boundary in "multipart/form-data; boundary=x". Empty
// if there is none.
std::string header_parameter(std::string_view field, std::string_view name);

// The media type of a content type, in small letters: "application/json".
std::string media_type(std::string_view content_type);

}  // namespace attend
