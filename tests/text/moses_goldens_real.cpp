// Made by tools/make_moses_goldens.py with sacremoses 0.2.0; do not edit.
// clang-format off
#include "text/moses_goldens.h"

namespace goldens {

const std::vector<RealMoses> kRealMoses = {
    {"multi30k/train.en", "en", 5000, 0xd05771c10e368229u, 0xdd4119fc7a389bf9u, 0x17ef3bdf6fa62c79u},
    {"multi30k/train.de", "de", 5000, 0x99767e6d78469cb5u, 0xb56dfe79058fab81u, 0xf4546f03685a2677u},
    {"multi30k/train.fr", "fr", 5000, 0x42244a9c9b0d66f8u, 0xb848a5b8d0be27e6u, 0x221113d006bce5acu},
    {"newstest/newstest2013.en", "en", 3000, 0xaccfec217f991146u, 0xb7bcf6f72f763ed0u, 0x1942c5bb69a9b04du},
    {"newstest/newstest2013.de", "de", 3000, 0x2478d12bf5d67383u, 0x6f81ef2638c2733au, 0x5643dd26f5a6d27bu},
    {"europarl-sample/europarl20k.en", "en", 3000, 0xb6ffafc185a4d605u, 0x0166ae9241737425u, 0x5dce309ea1421e09u},
    {"europarl-sample/europarl20k.de", "de", 3000, 0x0b7824cfb8b50209u, 0xfd3381ad409799d8u, 0xb1e7c8007063f99bu},
};

}  // namespace goldens
