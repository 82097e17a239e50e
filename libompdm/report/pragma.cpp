#include "report/pragma.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "report/advice.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditClause;
using analysis::EditData;

/// A directive in lines of at most `widest` characters, or as wide as one item is: broken before a
/// clause or an item.
std::string folded(const std::string& directive, std::size_t widest) {
  std::string text;
  std::size_t used = 0;
  int depth = 0;
  for (std::size_t begin = 0; begin < directive.size();) {
    // A part ends behind a blank that is in no item and no comment.
    std::size_t end = begin;
    bool in_comment = false;
    for (; end < directive.size(); ++end) {
      const char c = directive[end];
      if (directive.compare(end, 2, "/*") == 0) in_comment = true;
      if (directive.compare(end, 2, "*/") == 0) in_comment = false;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      const bool after_item = depth == 1 && end > 0 && directive[end - 1] == ',';
      const bool after_clause = depth == 0 && end > 0 && directive[end - 1] == ')';
      if (c == ' ' && !in_comment && (after_item || after_clause)) break;
    }
    const std::string part = directive.substr(begin, end - begin);
    if (used > 0 && used + 1 + part.size() > widest) {
      text += " \\\n      ";
      used = 4;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += part;
    used += part.size();
    begin = end + 1;
  }
  return text;
}

/// Each text once, in the order in which they came.
class Items {
 public:
  void add(std::string text) {
    if (known_.insert(text).second) texts_.push_back(std::move(text));
  }
  std::vector<std::string> sorted() const {
    std::vector<std::string> texts = texts_;
    std::ranges::sort(texts);
    return texts;
  }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::set<std::string> known_;
};

using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The object comes before its members, and goes with them.
void add_objects(const std::vector<std::string>& objects, bool enters, Lists& lists) {
  if (objects.empty()) return;
  const std::string with = enters ? "to" : "release";
  const auto list = std::ranges::find(lists, with, [](const auto& one) { return one.first; });
  if (list == lists.end()) {
    lists.insert(enters ? lists.begin() : lists.end(), {with, objects});
    return;
  }
  std::vector<std::string>& items = list->second;
  const std::set<std::string> leading(objects.begin(), objects.end());
  std::erase_if(items, [&](const std::string& one) { return leading.contains(one); });
  items.insert(enters ? items.begin() : items.end(), objects.begin(), objects.end());
}

bool is_update(const Edit& edit) { return edit.directive == Directive::kTargetUpdate; }

}  // namespace

bool is_of_this(const EditData& data) {
  return !data.objects.empty() && data.objects.front() == "this[0:1]";
}

std::string function_of(const Edit& edit) {
  if (edit.anchor.places.empty()) return {};
  const std::string& function = edit.anchor.places.front().function;
  const bool is_one = std::ranges::all_of(
      edit.anchor.places, [&](const auto& place) { return place.function == function; });
  return is_one ? function : std::string();
}

std::string directive_text(const Edit& edit) {
  std::string text = fmt::format("#pragma omp {}", analysis::directive_name(edit.directive));
  if (edit.devices.size() > 1) {
    text += fmt::format(" device(d /* each of {} */)", fmt::join(edit.devices, ", "));
  } else if (!edit.devices.empty() && edit.devices.front() != 0) {
    text += fmt::format(" device({})", edit.devices.front());
  }
  return text;
}

Pragmas::Pragmas(const analysis::Finding& finding, std::size_t widest)
    : finding_(finding), widest_(widest) {
  for (const EditData& data : finding.data) {
    if (!is_of_this(data)) functions_.insert(data.named_at.function);
  }
}

/// Names of one function alone are told whose they are by a note.
std::string Pragmas::item(const EditData& data, const std::string& text,
                          const std::string& here) const {
  const std::string& function = data.named_at.function;
  const bool needs_function =
      !is_of_this(data) && !function.empty() && function != here && functions_.size() > 1;
  return needs_function ? fmt::format("{} /* in {} */", text, function) : text;
}

std::string Pragmas::written(const Edit& edit, bool of_this) const {
  const std::string here = function_of(edit);
  Items objects;
  Lists lists;
  for (const EditClause& clause : edit.clauses) {
    Items items;
    for (const std::uint32_t number : clause.data) {
      const EditData& data = finding_.data[number];
      if (data.expression.empty() || is_of_this(data) != of_this) continue;
      items.add(item(data, data.expression, here));
      // What ends a mapping ends its part of the object, too: a release more would end another's.
      if (clause.kind == "delete") continue;
      for (const std::string& object : data.objects) objects.add(item(data, object, here));
    }
    if (!items.all().empty()) lists.emplace_back(clause.kind, items.sorted());
  }
  if (lists.empty()) return {};
  std::string text = directive_text(edit);
  if (!is_update(edit)) {
    add_objects(objects.all(), edit.directive == Directive::kTargetEnterData, lists);
  }
  for (const auto& [kind, items] : lists) {
    text += is_update(edit) ? fmt::format(" {}({})", kind, clause_list(items))
                            : fmt::format(" map({}: {})", kind, clause_list(items));
  }
  return folded(text, widest_);
}

std::string Pragmas::plain(const Edit& edit) const { return written(edit, false); }

std::string Pragmas::of_this(const Edit& edit) const { return written(edit, true); }

std::string Pragmas::in_words(const Edit& edit) const {
  std::vector<std::string> parts;
  for (const EditClause& clause : edit.clauses) {
    std::vector<std::string> items;
    for (const std::uint32_t number : clause.data) {
      const EditData& data = finding_.data[number];
      if (!data.expression.empty() || data.pieces.empty()) continue;
      items.push_back(fmt::format(
          "the {} that {} maps", spoken_size(data.pieces.front()),
          data.named_at == analysis::SourcePlace() ? "a directive" : place_text(data.named_at)));
    }
    if (items.empty()) continue;
    parts.push_back(fmt::format(
        "{} for {}",
        fmt::format(is_update(edit) ? fmt::runtime("{}(...)") : fmt::runtime("map({}: ...)"),
                    clause.kind),
        spoken_list(items)));
  }
  if (parts.empty()) return {};
  return fmt::format("write {} with {}", directive_text(edit), spoken_list(parts));
}

}  // namespace ompdm::report
