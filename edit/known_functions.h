// What functions of libraries do with the data that they are handed.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

#include "source_text.h"

namespace ompdm::edit {

/// What a known function does to what its arguments point to: 'r' reads, 'w' writes, 'x' does both,
/// 'f' frees, 'm' sets a pointer there to new memory, '.' does nothing; '*' reads the characters
/// that this and all later arguments point to. The result leads to what the first argument does, or
/// to new data, or is where the first argument is.
struct KnownFunction {
  llvm::StringRef name;
  llvm::StringRef arguments;
  enum class Result : std::uint8_t { kNoData, kFirst, kFresh, kPlace } result = Result::kNoData;
};

/// Null of what is not known.
const KnownFunction* known_function(const FunctionDecl& function);

/// Whether a function that is not seen uses only what it is handed, and forgets it when it returns:
/// the C library's, MPI's that wait for their transfers, BLAS's.
bool forgets_arguments(const FunctionDecl& function);

/// Whether the body of a library's function tells in a few steps what it does with its arguments:
/// containers, smart pointers and plain algorithms. Of others, as of streams, their types tell it.
bool is_worth_walking(const FunctionDecl& function);

/// Whether objects of a type have no data but their own, and their end runs no code of the program:
/// numbers, and the library's types that are made of them, texts among them.
bool is_plain(clang::QualType type);

/// Whether a class is one of the library's containers whose elements are nodes or texts, and plain:
/// what its members do is done to it alone, and to what they are handed.
bool is_container_of_plain(const clang::CXXRecordDecl& record);

/// Whether a member of a library's class may keep, use or return data that it was handed before:
/// the class is made with pointers, with functions, or with the program's own types that have such
/// or that run code of their own.
bool may_use_kept_data(const FunctionDecl& function);

/// Whether a function of the system comes back, and calls none of the program's: it is handed no
/// function, and no object of a class of the program.
bool runs_no_other_code(const FunctionDecl& function);

}  // namespace ompdm::edit
