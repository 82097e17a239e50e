// What web/ holds, put into the library when it is built (embed.cmake).
#pragma once

#include <string_view>

namespace ompdm::report::page {

extern const std::string_view kBody;
extern const std::string_view kStyle;
extern const std::string_view kScript;
extern const std::string_view kStyleHash;   ///< SHA-256, hexadecimal
extern const std::string_view kScriptHash;  ///< SHA-256, hexadecimal

}  // namespace ompdm::report::page
