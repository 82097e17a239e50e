#include "printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <span>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "pragmas/directive.h"
#include "run.h"
#include "source_lines.h"

namespace ompdm::e2e {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

/// In one line, with one blank between words.
std::string plain(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

bool is_condition(const Json& edit) {
  const std::string when = edit["when"];
  return edit["kind"] == "insert" &&
         (when == "host_uses" || when == "host_changed" || when == "kernel_changed");
}

std::multiset<std::string> items_of(const Json& clause) {
  std::multiset<std::string> items;
  for (const Json& item : clause["items"]) items.insert(plain(item["expression"]));
  return items;
}

/// The clauses of an edit as they are written: "map(to: a, b)".
std::string clauses_of(const Json& edit, const std::string& only = {}) {
  std::string text;
  for (const Json& clause : edit["clauses"]) {
    const std::string kind = clause["kind"];
    std::set<std::string> items;
    for (const std::string& item : items_of(clause)) {
      if (only.empty() || item == only) items.insert(item);
    }
    if (items.empty()) continue;
    const bool is_map = edit["directive"] != "target update" && kind != "firstprivate";
    text += fmt::format("{}{}({}{}{})", text.empty() ? "" : " ", is_map ? "map" : kind,
                        is_map ? kind : "", is_map ? ": " : "", fmt::join(items, ", "));
  }
  return text;
}

/// Whether what is printed parses to the same edit.
bool is_edit(const std::string& code, const Json& edit) {
  if (edit["kind"] == "replace") return code == clauses_of(edit);
  const pragmas::Directive directive(code);
  std::string line = directive.line();
  const std::string name = "#pragma omp " + edit["directive"].get<std::string>();
  if (!line.starts_with(name + ' ')) return false;
  const std::string device = directive.argument("device");
  const std::string wanted = edit["devices"].empty() ? "" : edit["devices"][0].dump();
  if (device != (wanted == "0" ? "" : wanted)) return false;
  line = plain(line);
  const Json& clauses = edit["clauses"];
  if (!is_condition(edit)) return line.ends_with(' ' + plain(clauses_of(edit)));
  return std::ranges::any_of(clauses, [&](const Json& clause) {
    return std::ranges::any_of(items_of(clause), [&](const std::string& item) {
      return line.ends_with(' ' + clauses_of(edit, item));
    });
  });
}

/// Code of one form of the report, where a line of it is known by what stands before it.
Texts code_in(const std::string& text, const std::string& before, const std::string& next) {
  Texts code;
  bool goes_on = false;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(goes_on ? next : before)) {
      goes_on = false;
      continue;
    }
    std::string part = line.substr((goes_on ? next : before).size());
    const bool is_last = !part.ends_with(" \\");
    if (!is_last) part.erase(part.size() - 2);
    if (goes_on) {
      code.back() += ' ' + part;
    } else {
      code.push_back(part);
    }
    goes_on = !is_last;
  }
  for (std::string& one : code) one = plain(one);
  return code;
}

/// Lines of an explanation or of Markdown that are code: indented, and a pragma or a clause.
Texts indented_code(const std::string& text) {
  Texts code;
  bool goes_on = false;
  for (const std::string& line : lines_of(text)) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos) continue;
    std::string part = line.substr(at);
    const bool begins = part.starts_with("#pragma ") || part.starts_with("map(") ||
                        part.starts_with("firstprivate(") || part.starts_with("to(") ||
                        part.starts_with("from(");
    if (!goes_on && (!begins || at < 7)) continue;
    const bool is_last = !part.ends_with(" \\");
    if (!is_last) part.erase(part.size() - 2);
    if (goes_on) {
      code.back() += ' ' + part;
    } else {
      code.push_back(part);
    }
    goes_on = !is_last;
  }
  for (std::string& one : code) one = plain(one);
  return code;
}

class Printed {
 public:
  explicit Printed(const std::filesystem::path& path)
      : trace_(read_trace(path)), analyses_{analysis::analyze(trace_, picture_)} {
    cli::keep_code_that_fits(analyses_.front());
    report_ = Json::parse(report::render(analyses_, report::Format::kJson));
    for (const Json& finding : report_["findings"]) expect_json(finding);
  }

  Texts faults() {
    for (const std::size_t width : {60, 80, 100, 120, 200}) expect_text(width);
    expect(indented_code(report::render(analyses_, report::Format::kMarkdown)), all_, "Markdown");
    expect_page();
    return std::move(faults_);
  }

 private:
  void fault(const std::string& what) { faults_.push_back(what); }

  /// The code of each edit, as the JSON report has it; and as clauses, where an edit replaces some.
  void expect_json(const Json& finding) {
    Texts sure;
    Texts all;
    for (const Json& edit : finding["edits"]) {
      Texts code;
      if (edit["kind"] == "insert") {
        for (const std::string pragma : edit["pragmas"]) {
          std::string text = pragma;
          for (std::size_t at; (at = text.find(" \\\n")) != std::string::npos;) text.erase(at, 3);
          code.push_back(plain(text));
        }
      }
      for (const std::string& one : code) {
        if (!is_edit(one, edit)) fault("JSON: " + one + " is not " + edit.dump());
      }
      if (!code.empty() && !edit["in_scope"].get<bool>()) fault("JSON: not its names: " + code[0]);
      if (edit["kind"] == "replace" && prints_code(finding) && !clauses_of(edit).empty()) {
        code.push_back(clauses_of(edit));
      }
      all.insert(all.end(), code.begin(), code.end());
      if (!is_condition(edit)) sure.insert(sure.end(), code.begin(), code.end());
    }
    sure_.push_back(sure);
    all_of_.push_back(all);
    all_.insert(all_.end(), all.begin(), all.end());
  }

  /// Each is there as often as it is wanted, and nothing else is.
  void expect(Texts found, Texts wanted, const std::string& where) {
    std::ranges::sort(found);
    std::ranges::sort(wanted);
    if (found == wanted) return;
    fault(fmt::format("{}: prints [{}] instead of [{}]", where, fmt::join(found, " | "),
                      fmt::join(wanted, " | ")));
  }

  report::Layout layout(std::size_t width) {
    report::Layout layout = {.width = width, .findings = 0, .traces = "trace.json"};
    layout.source = [this](const std::string& file, int line) -> std::optional<std::string> {
      const Texts& lines = source(file);
      const auto at = static_cast<std::size_t>(line);
      if (line < 1 || at > lines.size()) return std::nullopt;
      return lines[at - 1];
    };
    return layout;
  }

  void expect_text(std::size_t width) {
    const std::string text = report::render(analyses_, report::Format::kText, layout(width));
    Texts wanted;
    for (std::size_t i = 0; i < sure_.size(); ++i) {
      const std::string elsewhere = fmt::format("code: ompdm explain trace.json {}\n", i + 1);
      if (text.find(elsewhere) != std::string::npos) continue;
      wanted.insert(wanted.end(), sure_[i].begin(), sure_[i].end());
    }
    const std::string before = "         + ";
    expect(code_in(text, before, before), wanted, fmt::format("text, {} columns", width));
    for (std::size_t i = 0; i < all_of_.size(); ++i) {
      expect(indented_code(report::explain(analyses_, std::to_string(i + 1), layout(width))),
             all_of_[i], fmt::format("explain {}, {} columns", i + 1, width));
    }
  }

  /// What the page's cards are made of.
  void expect_page() {
    const report::Pictured pictured[] = {{&trace_, &picture_}};
    const std::string page = report::render_page(pictured, analyses_, {});
    const std::string begin = "<script type=\"application/json\" id=\"page\">";
    const std::size_t at = page.find(begin) + begin.size();
    const Json shown = Json::parse(page.substr(at, page.find("</script>", at) - at));
    for (std::size_t i = 0; i < all_of_.size(); ++i) {
      Texts in_sight;
      Texts found;
      for (const Json& step : shown["advice"][i]) {
        for (const Json& line : step["lines"]) {
          if (!line.contains("code")) continue;
          std::string code;
          for (std::string part : line["code"]) {
            if (part.ends_with(" \\")) part.erase(part.size() - 2);
            code += part + ' ';
          }
          found.push_back(plain(code));
          if (!step["check"]) in_sight.push_back(plain(code));
        }
      }
      expect(found, all_of_[i], fmt::format("page, finding {}", i + 1));
      expect(in_sight, sure_[i], fmt::format("page in sight, finding {}", i + 1));
    }
  }

  const Texts& source(const std::string& file) {
    const auto known = sources_.find(file);
    if (known != sources_.end()) return known->second;
    return sources_.emplace(file, lines_of(text_of(file))).first->second;
  }

  Trace trace_;
  analysis::Picture picture_;
  std::vector<analysis::Analysis> analyses_;
  Json report_;
  std::vector<Texts> sure_;    ///< by finding: code of what is to be done in any case
  std::vector<Texts> all_of_;  ///< and of conditions, too
  Texts all_;
  std::map<std::string, Texts> sources_;
  Texts faults_;
};

}  // namespace

bool prints_code(const Json& finding) {
  const Json& edits = finding["edits"];
  const auto in_words = [](const Json& edit) { return !edit["in_scope"] && !is_condition(edit); };
  return std::ranges::none_of(edits, in_words) && std::ranges::any_of(edits, [](const Json& edit) {
           return edit["in_scope"] && (edit["kind"] == "insert" || edit["kind"] == "replace");
         });
}

std::vector<std::string> printed_faults(const std::filesystem::path& trace) {
  return Printed(trace).faults();
}

}  // namespace ompdm::e2e
