#include "report/fortran_wording.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ompdm::report {
namespace {

std::string ending_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  std::string ending(dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

bool is_fixed_form(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f", "for", "ftn", "fpp", "f77"};
  return std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

bool is_fortran_source(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f90", "f95", "f03", "f08", "f18"};
  return is_fixed_form(file) || std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

std::string in_fortran(std::string text) {
  replace_all(text, "#pragma omp ", "!$omp ");
  replace_all(text, "target teams distribute parallel for", "target teams distribute parallel do");
  return text;
}

}  // namespace ompdm::report
