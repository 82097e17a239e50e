#include "fix/source_units.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

bool is_header(const fs::path& file) {
  static constexpr std::array<std::string_view, 6> kHeaders = {".h",   ".hh",  ".hpp",
                                                               ".hxx", ".inc", ".cuh"};
  return std::ranges::find(kHeaders, file.extension().string()) != kHeaders.end();
}

/// Of another program, which may call the same functions.
bool has_main(const fs::path& source) {
  static const std::regex kMain(R"(\bmain\s*\()");
  std::ifstream in(source);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return std::regex_search(text, kMain);
}

/// Those that are compiled as the home source is, which comes last. One alone is none.
SourceUnit joined(const CompileCommands& commands, const std::vector<fs::path>& sources,
                  const fs::path& home) {
  const CompileArguments own = commands.of(home);
  SourceUnit unit;
  unit.is_whole = true;
  for (const fs::path& one : sources) {
    CompileArguments arguments = commands.of(one);
    if (arguments.file == own.file) continue;
    const bool is_alike = arguments.arguments == own.arguments &&
                          arguments.directory == own.directory &&
                          one.extension() == home.extension();
    unit.is_whole = unit.is_whole && is_alike;
    if (!is_alike) continue;
    if (unit.compiled.file.empty()) {
      unit.compiled = std::move(arguments);
    } else {
      unit.beside.push_back(one);
    }
  }
  if (!unit.compiled.file.empty()) unit.beside.push_back(home);
  return unit;
}

}  // namespace

std::vector<SourceUnit> single_units(const CompileCommands& commands,
                                     const std::vector<fs::path>& named) {
  std::vector<fs::path> sources;
  std::ranges::copy_if(named, std::back_inserter(sources),
                       [](const fs::path& one) { return !is_header(one); });
  if (sources.empty()) sources = commands.sources();
  std::vector<SourceUnit> units;
  for (const fs::path& one : sources) units.push_back({commands.of(one), {}, false});
  return units;
}

std::vector<SourceUnit> joined_units(const CompileCommands& commands,
                                     const std::vector<fs::path>& named, const fs::path& home) {
  constexpr std::size_t kMost = 100;
  if (is_header(home)) return {};
  std::vector<fs::path> few;
  std::ranges::copy_if(named, std::back_inserter(few),
                       [](const fs::path& one) { return !is_header(one); });
  std::vector<fs::path> all;
  bool has_others = false;
  for (const fs::path& one : commands.sources()) {
    const bool is_named = std::ranges::find(few, one) != few.end();
    const bool is_another = !is_named && has_main(one);
    has_others = has_others || is_another;
    if (!is_another) all.push_back(one);
  }
  std::vector<SourceUnit> units;
  units.push_back(joined(commands, few, home));
  units.back().is_whole = false;
  if (all.size() <= kMost) {
    units.push_back(joined(commands, all, home));
    units.back().is_whole = units.back().is_whole && !has_others;
  }
  std::erase_if(units, [](const SourceUnit& unit) { return unit.beside.empty(); });
  return units;
}

}  // namespace ompdm::cli
