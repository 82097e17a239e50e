#include "known_functions.h"

#include <algorithm>
#include <array>
#include <string>

#include "program.h"

namespace ompdm::edit {
namespace {

constexpr auto kFirst = KnownFunction::Result::kFirst;
constexpr auto kFresh = KnownFunction::Result::kFresh;
constexpr auto kPlace = KnownFunction::Result::kPlace;

constexpr std::array kKnownFunctions = std::to_array<KnownFunction>({
    {"memcpy", "wr.", kFirst},
    {"memmove", "wr.", kFirst},
    {"memset", "w..", kFirst},
    {"memcmp", "rr."},
    {"strlen", "r"},
    {"strcmp", "rr"},
    {"strncmp", "rr."},
    {"strcpy", "wr", kFirst},
    {"fwrite", "r..."},
    {"fread", "w..."},
    {"printf", "*"},
    {"fprintf", ".*"},
    {"puts", "r"},
    {"malloc", ".", kFresh},
    {"calloc", "..", kFresh},
    {"aligned_alloc", "..", kFresh},
    {"assume_aligned", "...", kFirst},
    {"prefetch", "..."},
    {"frexp", ".w"},
    {"frexpf", ".w"},
    {"modf", ".w"},
    {"modff", ".w"},
    {"remquo", "..w"},
    {"sincos", ".ww"},
    {"sincosf", ".ww"},
    {"lgamma_r", ".w"},
    {"addressof", "", kPlace},
    {"std::__addressof", "", kPlace},
    {"std::move", "", kPlace},
    {"std::move_if_noexcept", "", kPlace},
    {"std::forward", "", kPlace},
    {"std::as_const", "", kPlace},
});

}  // namespace

const KnownFunction* known_function(const FunctionDecl& function) {
  const std::string whole = function.getQualifiedNameAsString();
  llvm::StringRef name = whole;
  name.consume_front("std::");
  name.consume_front("__builtin_");
  if (!is_of_system(&function) && !function.isExternC()) return nullptr;
  const auto* found = std::ranges::find_if(
      kKnownFunctions, [&](const auto& one) { return one.name == name || one.name == whole; });
  return found == kKnownFunctions.end() ? nullptr : found;
}

}  // namespace ompdm::edit
