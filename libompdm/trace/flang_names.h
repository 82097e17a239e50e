// What flang (19 to 22) writes into names where clang writes something else: linker names of
// Fortran procedures, `ident_t` sources and the names of mapped items. Pure text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ompdm::trace {

/// What a main program is called here: flang tells its name in some places only.
inline constexpr std::string_view kMainProgram = "main program";

/// "fields::outer::inner" of "_QMfieldsFouterPinner" (a module's procedure in another), "sub" of
/// "_QPsub", kMainProgram of "_QQmain"; also of variables ("_QMfieldsEgrid"). Nothing if this is no
/// such linker name (flang's docs/BijectiveInternalNameUniquing.md).
std::optional<std::string> fortran_name(std::string_view linker);

/// Whether an `ident_t` source was written by a flang that knows no file:
/// ";FIRModule;push;15;11;;".
bool is_flang_source(std::string_view psource);

/// The same with the directive's file ("" if unknown) and function.
std::string with_place(std::string_view psource, const std::string& file,
                       const std::string& function);

/// ";/src/heat.f90;w(1:n,1);6;14;;": a mapped item and where its variable is declared. Flang tells
/// the file first, and always by its whole path; clang tells the expression first, which no slash
/// begins.
struct FlangItem {
  std::string
      file;  ///< of a module's variable in other files: the module's file, "/src/fields.mod"
  std::string expression;  ///< "unknown" if there is none
  std::string place;       ///< ";6;14;;"
};

/// Nothing if the name is not flang's.
std::optional<FlangItem> parse_flang_item(std::string_view name);

/// The module that a module file stands for: "fields" of "/src/fields.mod"; empty for other files.
std::string module_of_file(std::string_view file);

}  // namespace ompdm::trace
