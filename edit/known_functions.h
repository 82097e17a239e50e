// What functions of libraries do with data that they are given.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

#include "source_text.h"

namespace ompdm::edit {

/// A library function and what it does with the data of its pointer arguments, a letter each. 'r'
/// reads, 'w' writes, 'x' does both, 'f' frees, 'm' sets a pointer there to new memory, '.' does
/// nothing. '*' reads the characters that this and all later arguments point to. The result leads
/// to the data of the first argument, or to new data, or is the first argument's place.
struct KnownFunction {
  llvm::StringRef name;
  llvm::StringRef arguments;
  enum class Result : std::uint8_t { kNoData, kFirst, kFresh, kPlace } result = Result::kNoData;
};

/// The entry of a function. Null: it is not known.
const KnownFunction* known_function(const FunctionDecl& function);

/// Whether a function whose body is not seen uses its arguments only until it returns. So do
/// functions of the C library and BLAS, and functions of MPI that wait for their transfers.
bool forgets_arguments(const FunctionDecl& function);

/// Whether the body of a library's function shows in a few steps what it does with its arguments.
/// So it is for containers, smart pointers and plain algorithms. Other functions, as those of
/// streams, are known by their types.
bool is_worth_walking(const FunctionDecl& function);

/// Whether objects of a type have no data but their own, and their destructors run no code of the
/// program. So it is for numbers, and for the library's types that are made of them, as strings.
bool is_plain(clang::QualType type);

/// Whether a class is one of the library's containers with nodes or characters, made with plain
/// types. Its members use the container and their arguments alone.
bool is_container_of_plain(const clang::CXXRecordDecl& record);

/// Whether a member of a library's class may keep, use or return data that the object was given
/// before. The class is then made with pointers, with functions, or with such types of the program.
bool may_use_kept_data(const FunctionDecl& function);

/// Whether a function of the system returns, and calls no function of the program. Its parameters
/// are then no functions and no objects of the program's classes.
bool runs_no_other_code(const FunctionDecl& function);

}  // namespace ompdm::edit
