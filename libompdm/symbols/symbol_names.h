// Names that clang and flang give to functions, variables and target regions.
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

/// ";heat.cpp;main;12;3;;": where a directive stands.
struct SourceName {
  std::string file;
  std::string function;
  int line = 0;
  int column = 0;
};

/// ";u[0:n*n];heat.cpp;13;32;;": a mapped item and where its variable is declared.
struct ItemName {
  std::string expression;  ///< empty if the compiler gave none
  std::string base;        ///< without array sections: "u"
  std::string file;
  int line = 0;
  bool operator==(const ItemName&) const = default;
};

/// "__omp_offloading_fd00_1234__Z4heatv_l41": a kernel.
struct KernelName {
  std::string function;  ///< as the linker knows it: "_Z4heatv"
  int line = 0;
};

/// Nothing if the text is none or names no real place (line 0).
std::optional<SourceName> parse_source(std::string_view psource);

/// Unknown parts are empty.
ItemName parse_item(std::string_view name);

/// Nothing if this is no kernel's name.
std::optional<KernelName> parse_kernel(std::string_view entry);

/// The function of the program that a function made by the compiler comes from: "main" for
/// "main.omp_outlined", "heat" for a kernel's entry. Empty if the name does not show it. Other
/// names are returned as they are. Linker names.
std::string written_function(const std::string& name);

/// The struct that a member expression is of: "s" of "s.b", "*p" of "p->b", "c" of Fortran's "c%t";
/// empty if this is no member.
std::string struct_of(std::string_view member);

/// The C++ or Fortran name of a linker name; the text itself where it is none.
std::string demangle(const std::string& name);

/// A function's name without parameters, template arguments and scopes: "run" of
/// "a::V<int>::run(double*)".
std::string plain_function(std::string_view name);

}  // namespace ompdm::trace
