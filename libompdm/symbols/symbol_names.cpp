#include "symbols/symbol_names.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace ompdm::trace {

namespace {

constexpr std::string_view kNoFile = ";FIRModule;";

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Where the line and column begin, ";6;14;;" of ";/src/heat.f90;u;6;14;;"; npos if there are none.
std::size_t place_in(std::string_view text) {
  const std::size_t last = text.find_last_not_of(';');
  const std::size_t column = last == std::string_view::npos ? last : text.rfind(';', last);
  if (column == std::string_view::npos || column == 0) return std::string_view::npos;
  return text.rfind(';', column - 1);
}

// ";a;b;1;2;;" -> a, b, 1, 2. Split from the right, since only the first field can hold a
// semicolon.
std::optional<std::array<std::string_view, 4>> split(std::string_view text) {
  if (!text.starts_with(';')) return std::nullopt;
  text.remove_prefix(1);
  while (text.ends_with(';')) text.remove_suffix(1);
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 3; i > 0; --i) {
    const std::size_t at = text.rfind(';');
    if (at == std::string_view::npos) return std::nullopt;
    fields[i] = text.substr(at + 1);
    text = text.substr(0, at);
  }
  fields[0] = text;
  return fields;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 ? value : 0;
}

std::string known(std::string_view text) {
  return text == "unknown" ? std::string() : std::string(text);
}

// `text` without its last balanced group, if it ends in one: "run(int)" -> "run".
std::string_view without_group(std::string_view text, char open, char close) {
  if (!text.ends_with(close)) return text;
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == close) ++depth;
    if (text[at] == open && --depth == 0) return text.substr(0, at);
  }
  return text;
}

// Where the section of a Fortran array begins that an expression ends in: that of "(1:n)" in
// "s%w(1:n)"; npos if it ends in none. In C a call alone ends so, and is no list item.
std::size_t fortran_section(std::string_view expression) {
  const std::string_view name = without_group(expression, '(', ')');
  if (name.empty() || expression.find(':', name.size()) == std::string_view::npos) {
    return std::string_view::npos;
  }
  const auto last = static_cast<unsigned char>(name.back());
  return std::isalnum(last) != 0 || last == '_' ? name.size() : std::string_view::npos;
}

// "u[0:n*n][:m]" -> "u"; an index that is followed by a member is part of the name: "a[i].b[0:n]"
// -> "a[i].b".
std::string_view without_sections(std::string_view expression) {
  if (const std::size_t at = fortran_section(expression); at != std::string_view::npos) {
    return expression.substr(0, at);
  }
  for (std::string_view name = without_group(expression, '[', ']');
       !name.empty() && name.size() < expression.size(); name = without_group(name, '[', ']')) {
    expression = name;
  }
  return expression;
}

// The last of the `wanted` characters that is in no brackets; npos if there is none.
std::size_t last_outside(std::string_view text, std::string_view wanted, std::string_view open,
                         std::string_view close) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    const char c = text[at];
    if (close.find(c) != std::string_view::npos) ++depth;
    if (open.find(c) != std::string_view::npos) --depth;
    if (depth == 0 && wanted.find(c) != std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string> fortran_name(std::string_view linker) {
  if (linker == "_QQmain") return std::string(kMainProgram);
  if (!linker.starts_with("_Q") || linker.size() < 4 || !is_upper(linker[2]) || linker[2] == 'Q') {
    return std::nullopt;
  }
  // Names are in lower case. A capital before each says what it names: M(odule), S(ubmodule),
  // F(unction that holds the next name), B(lock, by its number), P(rocedure), E(ntity), C(ommon).
  std::string name;
  for (std::size_t at = 2; at < linker.size();) {
    if (std::string_view("MSFBPEC").find(linker[at]) == std::string_view::npos) return std::nullopt;
    std::size_t end = at + 1;
    while (end < linker.size() && !is_upper(linker[end])) ++end;
    // The main program holds procedures as a function without a name.
    if (end > at + 1 && linker[at] != 'B') {
      if (!name.empty()) name += "::";
      name += linker.substr(at + 1, end - at - 1);
    }
    at = end;
  }
  return name.empty() ? std::nullopt : std::optional(name);
}

bool is_flang_source(std::string_view psource) { return psource.starts_with(kNoFile); }

std::string with_place(std::string_view psource, const std::string& file,
                       const std::string& function) {
  const std::size_t place = place_in(psource);
  const std::string_view end = place == std::string_view::npos ? ";0;0;;" : psource.substr(place);
  return fmt::format(";{};{}{}", file.empty() ? "unknown" : file,
                     function.empty() ? "unknown" : function, end);
}

std::optional<FlangItem> parse_flang_item(std::string_view name) {
  if (!name.starts_with(";/")) return std::nullopt;
  const std::size_t place = place_in(name);
  if (place == std::string_view::npos || place == 0) return std::nullopt;
  const std::size_t expression = name.rfind(';', place - 1);
  if (expression == std::string_view::npos || expression == 0) return std::nullopt;
  return FlangItem{std::string(name.substr(1, expression - 1)),
                   std::string(name.substr(expression + 1, place - expression - 1)),
                   std::string(name.substr(place))};
}

std::string module_of_file(std::string_view file) {
  constexpr std::string_view kSuffix = ".mod";
  if (!file.ends_with(kSuffix)) return {};
  file.remove_suffix(kSuffix.size());
  return std::string(file.substr(file.rfind('/') + 1));
}

std::optional<SourceName> parse_source(std::string_view psource) {
  const auto fields = split(psource);
  if (!fields) return std::nullopt;
  const auto& [file, function, line, column] = *fields;
  if (number(line) == 0) return std::nullopt;
  return SourceName{known(file), known(function), number(line), number(column)};
}

ItemName parse_item(std::string_view name) {
  const auto fields = split(name);
  if (!fields) return {};
  ItemName item{known((*fields)[0]), {}, known((*fields)[1]), number((*fields)[2])};
  item.base = without_sections(item.expression);
  return item;
}

std::optional<KernelName> parse_kernel(std::string_view entry) {
  constexpr std::string_view kPrefix = "__omp_offloading_";
  if (!entry.starts_with(kPrefix)) return std::nullopt;
  entry.remove_prefix(kPrefix.size());
  for (int field = 0; field < 2; ++field) {  // device and inode of the source file
    const std::size_t at = entry.find('_');
    if (at == std::string_view::npos) return std::nullopt;
    entry.remove_prefix(at + 1);
  }
  const std::size_t at = entry.rfind("_l");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  // A second kernel on the line has a suffix: "_l41_1".
  const int line = number(entry.substr(at + 2));
  if (line == 0) return std::nullopt;
  return KernelName{std::string(entry.substr(0, at)), line};
}

std::string written_function(const std::string& name) {
  std::string_view rest(name);
  if (constexpr std::string_view kDebug = "_debug__"; rest.ends_with(kDebug)) {
    rest.remove_suffix(kDebug.size());
  }
  if (const auto kernel = parse_kernel(rest)) return kernel->function;
  const std::size_t at = rest.find(".omp_");
  return at == std::string_view::npos ? name : std::string(rest.substr(0, at));
}

std::string struct_of(std::string_view member) {
  // In an index, C has a remainder where Fortran has a component.
  const std::size_t component = last_outside(member, "%", "([", ")]");
  if (component != std::string_view::npos) return std::string(member.substr(0, component));
  const std::size_t dot = member.rfind('.');
  const std::size_t arrow = member.rfind("->");
  if (dot != std::string_view::npos && (arrow == std::string_view::npos || dot > arrow)) {
    return std::string(member.substr(0, dot));
  }
  if (arrow == std::string_view::npos) return {};
  return '*' + std::string(member.substr(0, arrow));
}

std::string demangle(const std::string& name) {
  if (const auto fortran = fortran_name(name)) return *fortran;
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string plain_function(std::string_view name) {
  if (name.ends_with(" const")) name.remove_suffix(6);
  name = without_group(name, '(', ')');
  name = without_group(name, '<', '>');
  const std::size_t scope = last_outside(name, ": ", "<(", ">)");
  return std::string(name.substr(scope == std::string_view::npos ? 0 : scope + 1));
}

}  // namespace ompdm::trace
