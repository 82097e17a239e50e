// What functions of libraries do with the data that they are handed.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

#include "source_text.h"

namespace ompdm::edit {

/// What a known function does to what its arguments point to: 'r' reads, 'w' writes, '.' nothing;
/// '*' reads the characters that this and all later arguments point to. The result leads to what
/// the first argument does, or to new data, or is where the first argument is.
struct KnownFunction {
  llvm::StringRef name;
  llvm::StringRef arguments;
  enum class Result : std::uint8_t { kNoData, kFirst, kFresh, kPlace } result = Result::kNoData;
};

/// Null of what is not known.
const KnownFunction* known_function(const FunctionDecl& function);

}  // namespace ompdm::edit
