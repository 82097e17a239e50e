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

bool is_fixed_form(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f", "for", "ftn", "fpp", "f77"};
  return std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

void remove_comments(std::string& text) {
  for (std::size_t at = 0; (at = text.find(" /*", at)) != std::string::npos;) {
    const std::size_t end = text.find("*/", at);
    if (end == std::string::npos) return;
    text.erase(at, end + 2 - at);
  }
}

}  // namespace

bool is_fortran_source(std::string_view file) {
  constexpr std::string_view kEndings[] = {"f90", "f95", "f03", "f08", "f18"};
  return is_fixed_form(file) || std::ranges::find(kEndings, ending_of(file)) != std::end(kEndings);
}

std::string in_fortran(std::string_view file, std::string advice) {
  remove_comments(advice);
  replace_all(advice, " \\\n      ", is_fixed_form(file) ? "\n  !$omp& " : " &\n  !$omp   ");
  replace_all(advice, "#pragma omp ", "!$omp ");
  replace_all(advice, "target teams distribute parallel for",
              "target teams distribute parallel do");
  return advice;
}

}  // namespace ompdm::report
