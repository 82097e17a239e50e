#include "applier.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "edit_text.h"
#include "pragmas/item.h"
#include "run.h"

namespace ompdm::e2e {

SourcePatch* Applier::source_of(const Json& place) {
  // Of a loop without a line not even that is known.
  const std::string file = place["file"];
  const std::filesystem::path path = file.empty() ? file_ : file;
  if (const auto known = sources_.find(path); known != sources_.end()) return &known->second;
  std::string text = text_of(path);
  if (text.empty()) return nullptr;
  return &sources_.try_emplace(path, std::move(text)).first->second;
}

std::optional<Applier::Written> Applier::directive_at(const Json& place) {
  SourcePatch* source = source_of(place);
  const PragmaLine* pragma = source == nullptr ? nullptr : source->code().pragma_at(place["line"]);
  if (pragma == nullptr) return std::nullopt;
  return Written{*source, *pragma};
}

Applied Applier::apply(const Json& finding, const Reading* reading) {
  if (finding["edits"].empty()) {
    return {finding["unreached"].empty() ? "advice in words alone"
                                         : "the code leads to directives that were not reached"};
  }
  const std::map<std::filesystem::path, SourcePatch> before = sources_;
  deeds_.clear();
  file_ = finding["file"];
  for (const Json& edit : finding["edits"]) {
    Applied applied = {apply_edit(edit, reading)};
    if (applied.left.empty()) continue;
    sources_ = before;
    return applied;
  }
  return {"", deeds_};
}

std::string Applier::apply_edit(const Json& edit, const Reading* reading) {
  const std::string kind = edit["kind"];
  if (kind == "keep") return "";
  if (kind == "insert") return insert(edit, reading);
  if (!edit["in_scope"] && reading == nullptr) return why_in_words(edit);
  if (kind == "replace") return replace(edit);
  return take_out(edit);
}

std::optional<Applier::Span> Applier::span_of(SourcePatch& source, const Json& edit, int line,
                                              const Reading* reading) const {
  const CodeText& code = source.code();
  const auto one = [](std::optional<Extent> only) -> std::optional<Span> {
    if (!only) return std::nullopt;
    return Span{*only, *only};
  };
  if (edit["of"] == "directive") {
    const PragmaLine* pragma = code.pragma_at(line);
    if (pragma == nullptr) return std::nullopt;
    return one(code.statement_of(*pragma));
  }
  if (reading == nullptr || reading->around.empty()) return one(code.loop_at(line));
  const std::optional<Extent> first = code.statement_with(reading->around);
  if (!first || reading->until.empty()) return one(first);
  const std::optional<Extent> last = code.statement_with(reading->until);
  if (!last) return std::nullopt;
  return Span{*first, *last};
}

std::string Applier::insert(const Json& edit, const Reading* reading) {
  const std::string when = edit["when"];
  const bool is_for_host = when == "host_uses" || when == "host_changed";
  if (when == "kernel_changed") return insert_for_kernels(edit);
  if (!edit["in_scope"] && reading == nullptr) return is_for_host ? "" : why_in_words(edit);
  const bool is_at_directive = edit["of"] == "directive";
  for (const Json& place : edit["places"]) {
    // What the reader names may be all that is known.
    SourcePatch* source = source_of(place);
    if (source == nullptr) return "a source that is not known";
    const std::optional<Span> span = span_of(*source, edit, place["line"], reading);
    if (!span) return is_at_directive ? "a directive of a macro" : "no one loop in its line";
    if (is_for_host) {
      insert_for_host(*source, edit, {span->first.begin, span->last.end}, reading);
    } else {
      insert_around(*source, edit, *span, reading);
    }
    // And what the reader names is one place.
    if (reading != nullptr && !is_at_directive) break;
  }
  return "";
}

void Applier::insert_around(SourcePatch& source, const Json& edit, const Span& span,
                            const Reading* reading) {
  const bool after = edit["side"] == "after";
  const bool is_waited_for = edit["after_taskwait"];
  for (const std::string& text : pragmas_of(edit, reading)) {
    const Inserted inserted = {text, edit["when"] != "always"};
    const auto insert = [&](Extent statement, bool behind) {
      if (is_waited_for) source.insert(statement, behind, {"#pragma omp taskwait"});
      source.insert(statement, behind, inserted);
    };
    deeds_.push_back(text);
    insert(after ? span.last : span.first, after);
    // However the loop is left.
    if (!after || edit["of"] == "directive") continue;
    for (const Extent leaves : source.code().returns_in({span.first.begin, span.last.end})) {
      insert(leaves, false);
    }
  }
}

void Applier::insert_for_host(SourcePatch& source, const Json& edit, Extent extent,
                              const Reading* reading) {
  const bool is_read = edit["when"] == "host_uses";
  const CodeText& code = source.code();
  for (int line = code.line_of(extent.begin); line <= code.line_of(extent.end); ++line) {
    const Names names = marked(code, line, "host", is_read ? "reads" : "changes");
    for (const std::string& item : items_of(edit, reading)) {
      if (!names.contains(pragmas::variable_of(item))) continue;
      const std::string update = update_of(edit, item, reading);
      source.insert(code.statement_at(line), !is_read, {update, true});
      deeds_.push_back(update);
    }
  }
}

std::string Applier::insert_for_kernels(const Json& edit) {
  for (const Json& place : edit["places"]) {
    const std::optional<Written> written = directive_at(place);
    if (!written) continue;
    const CodeText& code = written->source.code();
    // Behind the last of its lines.
    const int last = code.line_of(written->pragma.extent.end - 1);
    const Names names = marked(code, last, "kernel", "changes");
    for (const std::string& item : items_of(edit)) {
      if (!names.contains(pragmas::variable_of(item))) continue;
      const std::string update = update_of(edit, item, nullptr);
      written->source.insert(code.statement_of(written->pragma), edit["side"] == "after",
                             {update, true});
      deeds_.push_back(update);
    }
  }
  return "";
}

std::string Applier::take_out(const Json& edit) {
  for (const Json& place : edit["places"]) {
    const std::optional<Written> written = directive_at(place);
    if (!written) return "no directive in its line";
    pragmas::Directive& directive = written->source.change(written->pragma);
    const std::vector<std::string> items = items_of(edit);
    for (const std::string& item : items) {
      if (!directive.take(item)) return "no item " + item + " in its directive";
      deeds_.push_back("without " + item);
    }
    if (!items.empty() && !directive.is_idle()) continue;
    written->source.remove(written->pragma);
    deeds_.push_back("without " + written->pragma.text);
  }
  return "";
}

std::string Applier::replace(const Json& edit) {
  for (const Json& place : edit["places"]) {
    const std::optional<Written> written = directive_at(place);
    if (!written) return "no directive in its line";
    pragmas::Directive& directive = written->source.change(written->pragma);
    for (const Json& clause : edit["clauses"]) {
      for (const Json& item : clause["items"]) {
        // What has no clause is mapped as the language has it, and gets one.
        const std::string name = item["expression"];
        if (!directive.take(name) && directive.is_for_data_alone()) {
          return "no item " + name + " in its directive";
        }
        directive.add(clause["kind"], name);
        deeds_.push_back(fmt::format("{}: {}", clause["kind"].get<std::string>(), name));
      }
    }
  }
  return "";
}

std::map<std::filesystem::path, SourcePatch::Result> Applier::results() const {
  std::map<std::filesystem::path, SourcePatch::Result> all;
  for (const auto& [path, source] : sources_) all.emplace(path, source.result());
  return all;
}

}  // namespace ompdm::e2e
