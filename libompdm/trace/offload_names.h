// What the compiler writes into names: kernel entries, `ident_t` sources and the names of mapped
// items. Pure text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ompdm::trace {

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
/// "main.omp_outlined", "heat" for a kernel's entry, "" where the name does not tell. Other names
/// are returned as they are. Linker names.
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
