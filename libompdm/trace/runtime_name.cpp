#include "trace/runtime_name.h"

#include <fmt/format.h>

namespace ompdm::trace {
namespace {

constexpr std::string_view kLibrary = "libomptarget.so.";

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.front() != '.' && text.back() != '.';
}

}  // namespace

std::string runtime_name(std::string_view told, std::string_view library) {
  if (library.empty()) return std::string(told);
  const std::string_view file = library.substr(library.rfind('/') + 1);
  if (file.starts_with(kLibrary) && (told.empty() || told.starts_with("LLVM"))) {
    const std::string_view version = file.substr(kLibrary.size());
    if (is_version(version)) return fmt::format("LLVM {} ({})", version, file);
  }
  return fmt::format("{}{}({})", told, told.empty() ? "" : " ", library);
}

}  // namespace ompdm::trace
