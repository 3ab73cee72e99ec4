// A tokenizer.json as hostile bytes, with a text: refused with a DataError, or a tokenizer that
// encodes and decodes any text.
#include "attend/interchange/tokenizers/tokenizer_directory.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "fuzz/tokenizer_use.h"

namespace attend::tokenizer_json_fuzz {
namespace {

const char* const kWordPiece = R"({"version":"1.0","truncation":null,"padding":null,
"added_tokens":[{"id":0,"content":"[PAD]","special":true},{"id":3,"content":"[SEP]","special":true}],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,
"strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},
"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},
{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],"pair":[],
"special_tokens":{}},"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
"max_input_chars_per_word":100,"vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"the":4,"##s":5}}})";

const char* const kByteBpe = R"({"added_tokens":[{"id":0,"content":"<unk>","special":true},
{"id":5,"content":"<t>","special":false}],"normalizer":{"type":"NFC"},
"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\s+|\\p{L}+"},
"behavior":"Isolated","invert":false},{"type":"Digits","individual_digits":true},
{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]},"post_processor":null,
"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","unk_token":"<unk>","ignore_merges":true,
"vocab":{"<unk>":0,"a":1,"b":2,"ab":3,"Ġ":4},"merges":["a b"]}})";

const char* const kUnigram = R"({"added_tokens":[{"id":1,"content":"</s>","special":true}],
"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":""},
{"type":"Replace","pattern":{"Regex":" {2,}"},"content":"▁"}]},
"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true},
"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["</s>",0.0],["▁the",-1.5],["a",-2]]}})";

const char* const kBpe = R"({"added_tokens":[{"id":0,"content":"<unk>","special":true}],
"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},
{"type":"Replace","pattern":{"String":" "},"content":"▁"}]},"pre_tokenizer":null,
"decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"}]},
"model":{"type":"BPE","unk_token":"<unk>","fuse_unk":true,
"vocab":{"<unk>":0,"▁":1,"a":2,"▁a":3},"merges":[["▁","a"]]}})";

std::vector<std::string> corpus() {
  const std::string text = std::string("\0", 1) + "the ab  <t> 12 京";
  return {kWordPiece + text, kByteBpe + text, kUnigram + text, kBpe + text};
}

std::vector<std::string> dictionary() {
  return {"Sequence", "ByteLevel", "Metaspace", "Split",  "NFC",   "Lowercase", "Unigram", "BPE",
          "A",        "[CLS]",     "<unk>",     "a",      "▁",     "",          "##s",     "a b",
          "AAAA",     "AAECAw==",  "(",         "\\p{L}", "[0,1]", "\xFF",      "null"};
}

void repair(std::string& input) { repair_json(input, corpus(), dictionary()); }

void use(std::string_view input) {
  const std::size_t end = input.find('\0');
  const std::string content(input.substr(0, end));
  try {
    use_tokenizer(read_tokenizer_json(content, {}, "fuzz").tokenizer,
                  end == input.npos ? "" : input.substr(end + 1));
    // The files of older directories.
    read_tokenizer_directory(
        [&](std::string_view name) -> std::optional<std::string> {
          if (name.ends_with(".txt") || name == "tokenizer_config.json") return content;
          return std::nullopt;
        },
        "fuzz");
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"tokenizer_json", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::tokenizer_json_fuzz
