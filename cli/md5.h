// MD5, by which DWARF tells what a compiler read. It proves nothing to somebody who forges files.
#pragma once

#include <string>
#include <string_view>

namespace ompdm::cli {

/// Of all bytes, lower-case hexadecimal.
std::string md5_of(std::string_view bytes);

}  // namespace ompdm::cli
