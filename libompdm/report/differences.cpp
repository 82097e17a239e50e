#include "report/differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "ompdm/agreement.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;

constexpr std::size_t kMostTold = 6;  // values in a row

std::vector<std::string> arguments_of(const Analysis& one) {
  const std::vector<std::string>& all = one.process.arguments;
  return all.empty() ? all : std::vector<std::string>(all.begin() + 1, all.end());
}

/// What each has in turn; empty where all have the same, or some do not tell.
std::string in_turn(std::string_view what, const std::vector<std::string>& values,
                    std::string_view between) {
  const bool known = std::ranges::none_of(values, &std::string::empty);
  const bool alike = std::ranges::all_of(
      values, [&](const std::string& value) { return value == values.front(); });
  if (alike || !known) return {};
  if (values.size() > kMostTold) return fmt::format("{} not the same", what);
  return fmt::format("{} {}", what, fmt::join(values, between));
}

template <class Of>
std::vector<std::string> each(Analyses analyses, Of of) {
  std::vector<std::string> values;
  for (const Analysis& one : analyses) values.push_back(of(one));
  return values;
}

std::string other_arguments(Analyses analyses, std::string_view between) {
  const std::size_t count = arguments_of(analyses.front()).size();
  const bool as_many = std::ranges::all_of(
      analyses, [&](const Analysis& one) { return arguments_of(one).size() == count; });
  if (!as_many) {
    return in_turn("arguments",
                   each(analyses,
                        [](const Analysis& one) {
                          return fmt::format("'{}'", fmt::join(arguments_of(one), " "));
                        }),
                   between);
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = in_turn(fmt::format("argument {}:", i + 1),
                                    each(analyses,
                                         [&](const Analysis& of) {
                                           const std::string argument = arguments_of(of)[i];
                                           return argument.empty() ? std::string("''") : argument;
                                         }),
                                    between);
    if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

std::string program_of(const Analysis& one) {
  return one.process.arguments.empty() ? one.process.program : one.process.arguments.front();
}

std::string other_program(Analyses analyses, std::string_view between) {
  bool other_build = false;
  bool other_program = false;
  for (const Analysis& one : analyses) {
    const analysis::SameProgram same = analysis::same_program(analyses.front(), one);
    other_build = other_build || same == analysis::SameProgram::kOtherBuild;
    other_program = other_program || same == analysis::SameProgram::kOtherProgram;
  }
  if (other_program) return in_turn("program", each(analyses, program_of), between);
  return other_build ? "the program was built anew" : "";
}

}  // namespace

std::string differences(Analyses analyses, std::string_view between) {
  std::string text;
  for (const std::string& one :
       {other_program(analyses, between), other_arguments(analyses, between),
        in_turn("runtime", each(analyses, [](const Analysis& of) { return of.recording.runtime; }),
                between),
        in_turn("machine", each(analyses, [](const Analysis& of) { return of.process.host; }),
                between)}) {
    if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

}  // namespace ompdm::report
