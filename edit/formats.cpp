#include "formats.h"

namespace ompdm::edit {

bool may_write_arguments(const Expr& format) {
  const auto* literal = dyn_cast<clang::StringLiteral>(format.IgnoreParenImpCasts());
  if (literal == nullptr || literal->getCharByteWidth() != 1) return true;
  const llvm::StringRef text = literal->getString();
  for (std::size_t at = text.find('%'); at != llvm::StringRef::npos; at = text.find('%', at + 1)) {
    // Flags, width, precision and size stand before the conversion.
    at = text.find_first_not_of("0123456789$-+ #'*.hlLqjztI", at + 1);
    if (at == llvm::StringRef::npos) return false;
    if (text[at] == 'n') return true;
  }
  return false;
}

}  // namespace ompdm::edit
