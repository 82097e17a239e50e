#include "ledger.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "offload_build.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "//=";
constexpr int kEveryVersion = 0;

struct Marked {
  int version = kEveryVersion;  ///< of LLVM, from which on the text is true
  std::string text;
};

std::optional<Marked> marked(const std::string& line) {
  if (!line.starts_with(kMark)) return std::nullopt;
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return std::nullopt;
  Marked found{.text = line.substr(space + 1)};
  std::from_chars(line.data() + kMark.size(), line.data() + space, found.version);
  return found;
}

class Entries {
 public:
  void add(const std::string& name, const Json& count, const Json& bytes = 0) {
    if (count == 0 && bytes == 0) return;
    text_ += (text_.empty() ? " " : ", ") + name + ' ' + count.dump();
    if (bytes != 0) text_ += ' ' + bytes.dump();
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string marker_in(const std::string& line) {
  const std::size_t at = line.rfind("// @");
  return at == std::string::npos ? "" : line.substr(at + 3);
}

// "@work", or the place itself where there is no such comment.
std::string place_of(const Json& row, const fs::path& sources) {
  const fs::path file = row["file"].get<std::string>();
  const auto line = row["line"].get<std::size_t>();
  const std::vector<std::string> lines = lines_of(text_of(sources / file.filename()));
  if (line > 0 && line <= lines.size()) {
    if (const std::string marker = marker_in(lines[line - 1]); !marker.empty()) return marker;
    const std::string above = line > 1 ? marker_in(lines[line - 2]) : "";
    if (!above.empty() && lines[line - 2].find_first_not_of(' ') == lines[line - 2].find("// @")) {
      return above;
    }
  }
  if (line == 0) return "@(unknown)";
  return '@' + file.filename().string() + ':' + std::to_string(line);
}

std::string total_line(const Json& totals) {
  Entries entries;
  for (const std::string name : {"HtoD", "DtoH", "DtoD", "memset", "alloc", "delete"}) {
    entries.add(name, totals[name]["count"], totals[name]["bytes"]);
  }
  entries.add("kernel", totals["kernel"]["count"]);
  const Json& internal = totals["runtime_internal"];
  entries.add("internal", internal["count"], internal["bytes"]);
  return "total:" + entries.text();
}

void add_ways(Entries& entries, const Json& row) {
  for (const std::string way : {"HtoD", "DtoH", "DtoD"}) {
    if (!row.contains(way + "_count")) continue;
    entries.add(way, row[way + "_count"], row[way + "_bytes"]);
  }
}

std::string directive_line(const Json& row, const fs::path& sources) {
  const std::string name = row[row["api"] == "" ? "directive" : "api"];
  const std::string line = name + place_of(row, sources) + " x" + row["count"].dump() + ':';
  Entries entries;
  add_ways(entries, row);
  entries.add("alloc", row["alloc_count"]);
  entries.add("kernel", row["kernel_count"]);
  entries.add("fallback", row["fallback_count"]);
  return line + entries.text();
}

std::string variable_line(const Json& row) {
  std::string line = row["name"] == "" ? "(unnamed)" : row["name"].get<std::string>();
  for (const Json& alias : row["aliases"]) line += " = " + alias.get<std::string>();
  Entries entries;
  add_ways(entries, row);
  return line + ':' + entries.text();
}

}  // namespace

std::string ledger(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string ledger_of(const Json& report, const fs::path& sources) {
  std::vector<std::string> lines = {total_line(report["totals"])};
  for (const Json& row : report["directives"]) lines.push_back(directive_line(row, sources));
  for (const Json& row : report["variables"]) lines.push_back(variable_line(row));
  for (const Json& loss : report["traces"][0]["losses"]) {
    const auto name = loss["name"].get<std::string>();
    // What is not looked at depends on the budget; every event is there all the same.
    if (loss["count"] == 0 || name.starts_with("contents_")) continue;
    lines.push_back("lost: " + name + ' ' + loss["count"].dump());
  }
  return ledger(std::move(lines));
}

std::string ledger_in(const fs::path& source) {
  std::vector<Marked> all;
  int version = kEveryVersion;
  for (const std::string& line : lines_of(text_of(source))) {
    const std::optional<Marked> found = marked(line);
    if (!found || found->version > offload_build().llvm) continue;
    version = std::max(version, found->version);
    all.push_back(*found);
  }
  std::vector<std::string> lines;
  for (const Marked& one : all) {
    if (one.version == kEveryVersion || one.version == version) lines.push_back(one.text);
  }
  return ledger(std::move(lines));
}

}  // namespace ompdm::e2e
