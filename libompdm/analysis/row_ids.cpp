#include "analysis/row_ids.h"

#include <fmt/format.h>

#include <string>

#include "analysis/function_names.h"
#include "ompdm/analysis.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::analysis {

std::string row_id(std::string_view what) {
  return fmt::format("{:016x}", XXH3_64bits(what.data(), what.size()));
}

std::string RowIds::of(const std::string& what) {
  const std::uint64_t number = known_[what]++;
  return row_id(number == 0 ? what : fmt::format("{}\n{}", what, number));
}

namespace {

/// Builds in other folders name the same file by another path.
}  // namespace

void identify(std::vector<DirectiveRow>& rows) {
  RowIds ids;
  for (DirectiveRow& row : rows) {
    std::string what =
        fmt::format("directive\n{}\n{}\n{}\n{}\n{}\n{}", directive_name(row.directive),
                    last_name(row.file), row.line, row.column, row.function, row.api);
    if (row.line == 0) what += fmt::format("\n{}\n{:x}", last_name(row.module), row.address);
    row.id = ids.of(what);
    RowIds path_ids;
    for (DirectivePath& path : row.paths) {
      std::string frames = "path\n" + row.id;
      for (const Frame& frame : path.frames) {
        frames += fmt::format("\n{}\n{}\n{}\n{}", frame.function, last_name(frame.file), frame.line,
                              frame.column);
      }
      path.id = path_ids.of(frames);
    }
  }
}

void identify(std::vector<VariableRow>& rows) {
  RowIds ids;
  for (VariableRow& row : rows) {
    row.id = ids.of(fmt::format("variable\n{}\n{}\n{}", row.name, last_name(row.file), row.line));
  }
}

void identify(std::vector<Iteration>& rows, const std::vector<DirectiveRow>& directives) {
  RowIds ids;
  for (Iteration& row : rows) {
    std::string what = fmt::format("loop\n{}\n{}\n{}\n{}\n{}", row.from_code, row.unrolled,
                                   last_name(row.file), row.line + row.inside, row.function);
    if (row.line + row.inside == 0) {
      for (const std::size_t directive : row.directives) what += '\n' + directives[directive].id;
    }
    row.id = ids.of(what);
  }
}

void identify(std::vector<Activity>& rows) {
  RowIds ids;
  for (Activity& row : rows) {
    row.id = ids.of(fmt::format("activity\n{}\n{}\n{}\n{}\n{}", activity_type_name(row.type),
                                static_cast<int>(row.clock), row.function, last_name(row.file),
                                row.line));
  }
}

}  // namespace ompdm::analysis
