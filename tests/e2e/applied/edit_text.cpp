#include "edit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "pragmas/directive.h"
#include "pragmas/item.h"

namespace ompdm::e2e {
namespace {

/// Names as the reader has them, in a text of the finding's.
std::string as_read(std::string text, const Reading* reading) {
  if (reading == nullptr) return text;
  for (const auto& [name, there] : reading->names) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + there.size())) {
      text.replace(at, name.size(), there);
    }
  }
  return text;
}

/// What a reader writes where an insertion is in words: with the objects of members before them on
/// entry, and released with them; of `this` by itself. Empty: it names no such data.
std::string as_told(const Json& edit, bool of_this) {
  const std::string name = edit["directive"];
  std::string text = "#pragma omp " + name;
  const Json& devices = edit["devices"];
  if (devices.size() > 1) text += " device(d)";
  if (devices.size() == 1 && devices[0] != 0) text += " device(" + devices[0].dump() + ")";
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  std::vector<std::string> objects;
  const auto add_once = [](std::vector<std::string>& items, const std::string& item) {
    if (std::ranges::find(items, item) == items.end()) items.push_back(item);
  };
  for (const Json& clause : edit["clauses"]) {
    std::vector<std::string> items;
    for (const Json& item : clause["items"]) {
      const bool is_of_this = !item["objects"].empty() && item["objects"][0] == "this[0:1]";
      if (is_of_this != of_this) continue;
      const std::string here = " /* in " + item["named_at"]["function"].get<std::string>() + " */";
      add_once(items, item["expression"].get<std::string>() + here);
      if (clause["kind"] == "delete") continue;
      for (const std::string object : item["objects"]) add_once(objects, object + here);
    }
    std::ranges::sort(items);
    if (!items.empty()) lists.emplace_back(clause["kind"], std::move(items));
  }
  if (lists.empty()) return {};
  const bool is_update = name == "target update";
  if (!objects.empty() && !is_update) {
    const bool enters = name == "target enter data";
    const std::string kind = enters ? "to" : "release";
    auto list = std::ranges::find(lists, kind, [](const auto& one) { return one.first; });
    if (list == lists.end()) list = lists.insert(enters ? lists.begin() : lists.end(), {kind, {}});
    std::vector<std::string>& items = list->second;
    std::erase_if(items, [&](const std::string& one) {
      return std::ranges::find(objects, one) != objects.end();
    });
    items.insert(enters ? items.begin() : items.end(), objects.begin(), objects.end());
  }
  for (const auto& [kind, items] : lists) {
    text += is_update ? fmt::format(" {}({})", kind, fmt::join(items, ", "))
                      : fmt::format(" map({}: {})", kind, fmt::join(items, ", "));
  }
  return text;
}

}  // namespace

std::string why_in_words(const Json& edit) {
  const std::string of = edit["of"];
  if (of == "stay") return "from the first to the last time that its directives are reached";
  if (of == "uses") return "behind the last use";
  if (edit["places"].empty() || edit["places"][0]["line"] == 0) return "a loop without a line";
  if (of == "calls") return "around calls, where the code has no loop";
  if (edit["devices"].size() > 1) return "on several devices";
  for (const Json& clause : edit["clauses"]) {
    for (const Json& item : clause["items"]) {
      if (item["pieces"].size() > 1) return "a name that stands for several pieces of storage";
      if (!item["objects"].empty()) return "a member of an object";
      if (item["named_at"]["function"] != edit["places"][0]["function"]) {
        return "names of another function";
      }
    }
  }
  return "a name that debug information does not place";
}

std::vector<std::string> directives_of(const Json& edit) {
  std::vector<std::string> texts = edit["pragmas"];
  for (const bool of_this : {false, true}) {
    std::string told = edit["pragmas"].empty() ? as_told(edit, of_this) : std::string();
    if (!told.empty()) texts.push_back(std::move(told));
  }
  return texts;
}

std::vector<std::string> items_of(const Json& edit, const Reading* reading) {
  std::vector<std::string> all;
  for (const Json& clause : edit["clauses"]) {
    for (const Json& item : clause["items"]) {
      const std::string expression = item["expression"];
      const std::string function = item["named_at"]["function"];
      const std::string name =
          pragmas::plain_item(as_read(expression + " /* in " + function + " */", reading));
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

std::vector<std::string> pragmas_of(const Json& edit, const Reading* reading) {
  std::vector<std::string> lines;
  for (const std::string& text : directives_of(edit)) {
    pragmas::Directive directive(as_read(text, reading));
    directive.name_once();
    lines.push_back(directive.line());
  }
  return lines;
}

std::string update_of(const Json& edit, const std::string& item, const Reading* reading) {
  for (const std::string& text : pragmas_of(edit, reading)) {
    pragmas::Directive update(text);
    bool has_item = false;
    for (const std::string& one : items_of(edit, reading)) {
      if (one != item) {
        update.take(one);
      } else {
        has_item = pragmas::Directive(update).take(one);
      }
    }
    if (has_item) return update.line();
  }
  return {};
}

Names marked(const CodeText& code, int line, const std::string& who, const std::string& verb) {
  const Extent extent = code.line(line);
  const std::string text = code.text().substr(extent.begin, extent.end - extent.begin);
  const std::size_t at = text.find("// " + who + ": ");
  if (at == std::string::npos) return {};
  Names names;
  std::string current;
  std::istringstream words(text.substr(at + who.size() + 5));
  for (std::string word; words >> word;) {
    while (word.ends_with(',')) word.pop_back();
    if (word == "reads" || word == "changes") {
      current = word;
    } else if (current == verb) {
      names.insert(word);
    }
  }
  return names;
}

}  // namespace ompdm::e2e
