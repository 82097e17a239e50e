// All known translation units of a program as one: which body a call runs, and which declarations
// in two units are the same.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "program.h"

namespace ompdm::edit {

class WholeProgram {
 public:
  /// `is_whole`: no code of the program is missing. The programs of `units` must outlive this.
  WholeProgram(std::vector<const Program*> units, bool is_whole);

  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] const std::vector<const Program*>& units() const { return units_; }
  /// The body that a call of a function runs. Null: it is not seen.
  [[nodiscard]] const FunctionDecl* definition_of(const FunctionDecl& called) const;
  /// Bodies that may run at a call by a pointer of this type, or of a virtual function.
  [[nodiscard]] std::vector<const FunctionDecl*> pointed_to(clang::QualType function) const;
  /// Whether a lambda is converted to a pointer to a function somewhere.
  [[nodiscard]] bool has_lambda_pointers() const { return has_lambda_pointers_; }
  [[nodiscard]] std::vector<const FunctionDecl*> overriders(
      const clang::CXXMethodDecl& called) const;
  /// The representative of all declarations of one field, or of one variable.
  [[nodiscard]] const clang::FieldDecl* same(const clang::FieldDecl& field) const;
  [[nodiscard]] const VarDecl* same(const VarDecl& variable) const;
  /// The function `main`. Null: it is not seen.
  [[nodiscard]] const FunctionDecl* main() const { return main_; }
  /// Whether the program has code that runs without a call. Such code runs at the end of variables
  /// with a cleanup, of objects that live as long as the program, or of the program.
  [[nodiscard]] bool has_late_code() const;
  /// Variables of namespaces and classes.
  [[nodiscard]] const std::vector<const VarDecl*>& globals() const { return globals_; }

 private:
  std::vector<const Program*> units_;
  bool is_whole_ = false;
  bool has_lambda_pointers_ = false;
  const FunctionDecl* main_ = nullptr;
  std::vector<const VarDecl*> globals_;
  std::map<std::string, const FunctionDecl*> definitions_;              // by the linker's name
  std::map<std::string, std::vector<const FunctionDecl*>> pointed_to_;  // by type
  std::vector<const FunctionDecl*> cast_;  // functions whose address is cast
  std::map<std::string, std::vector<const FunctionDecl*>> overriders_;
  mutable std::map<const clang::FieldDecl*, const clang::FieldDecl*> fields_;
  mutable std::map<std::string, const clang::FieldDecl*> field_of_name_;
  mutable std::map<std::string, const VarDecl*> variable_of_name_;
  // Caches, as mangled names take long to make.
  mutable std::map<const FunctionDecl*, const FunctionDecl*> defined_;
  mutable std::map<const VarDecl*, const VarDecl*> same_;
};

}  // namespace ompdm::edit
