// An edit of a finding in text: what it names, what is to be written, and why it is in words.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "code_text.h"
#include "reading.h"

namespace ompdm::e2e {

using Json = nlohmann::json;
using Names = std::set<std::string>;

/// Why an edit is in words only.
std::string why_in_words(const Json& edit);

/// The directives of an insertion: as they are printed; or as a reader writes them where they are
/// in words, with the function of each name in a comment.
std::vector<std::string> directives_of(const Json& edit);

/// What an edit names, as the reader (null: nobody) calls it there.
std::vector<std::string> items_of(const Json& edit, const Reading* reading = nullptr);

/// The directives of an insertion, with the names that they have there, each once.
std::vector<std::string> pragmas_of(const Json& edit, const Reading* reading);

/// An update of that item alone.
std::string update_of(const Json& edit, const std::string& item, const Reading* reading);

/// What a comment "// WHO: reads a, changes b" behind a line says of a verb.
Names marked(const CodeText& code, int line, const std::string& who, const std::string& verb);

}  // namespace ompdm::e2e
