#include "edit_text.h"

#include <algorithm>
#include <sstream>

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

/// What a reader writes where an insertion is in words: its directive, with the object of a member
/// before it on entry, and released at the exit.
std::string as_told(const Json& edit) {
  const std::string name = edit["directive"];
  std::string text = "#pragma omp " + name;
  if (edit["devices"].size() == 1 && edit["devices"][0] != 0) {
    text += " device(" + edit["devices"][0].dump() + ")";
  }
  std::string items;
  std::string objects;
  for (const Json& clause : edit["clauses"]) {
    const std::string kind = clause["kind"];
    std::string list;
    for (const Json& item : clause["items"]) {
      const std::string here = " /* in " + item["named_at"]["function"].get<std::string>() + " */";
      list += (list.empty() ? "" : ", ") + item["expression"].get<std::string>() + here;
      for (const std::string object : item["objects"]) {
        if (kind != "delete") objects += (objects.empty() ? "" : ", ") + object + here;
      }
    }
    items += name == "target update" ? " " + kind + "(" + list + ")"
                                     : " map(" + kind + ": " + list + ")";
  }
  if (objects.empty() || name == "target update") return text + items;
  return name == "target enter data" ? text + " map(to: " + objects + ")" + items
                                     : text + items + " map(release: " + objects + ")";
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
  std::vector<std::string> texts = edit["pragmas"];
  if (texts.empty()) texts.push_back(as_told(edit));
  for (const std::string& text : texts) {
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
