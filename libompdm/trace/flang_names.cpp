#include "trace/flang_names.h"

#include <fmt/format.h>

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

}  // namespace

std::optional<std::string> fortran_name(std::string_view linker) {
  if (linker == "_QQmain") return std::string(kMainProgram);
  if (!linker.starts_with("_Q") || linker.size() < 4 || !is_upper(linker[2]) || linker[2] == 'Q') {
    return std::nullopt;
  }
  // Names are in lower case, what they name is told by a capital before each: M(odule),
  // S(ubmodule), F(unction that holds what follows), B(lock, by its number), P(rocedure), E(ntity),
  // C(ommon).
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

}  // namespace ompdm::trace
