#include "conditionals.h"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <functional>
#include <span>

namespace ompdm::edit {
namespace {

using clang::Token;
namespace tok = clang::tok;

/// Reads the tokens of a file, and the preprocessor's directives among them.
class DirectiveReader {
 public:
  DirectiveReader(const clang::SourceManager& sources, clang::FileID file,
                  const clang::LangOptions& language)
      : sources_(sources),
        file_(file),
        lexer_(file, sources.getBufferOrFake(file), sources, language) {}

  /// Calls `line` with the offset of each `#`, the directive's word and its other tokens. Calls
  /// `text` with each token outside of directives.
  void read(const std::function<void(unsigned, llvm::StringRef, const std::vector<Token>&)>& line,
            const std::function<void(const Token&)>& text) {
    next();
    while (!token_.is(tok::eof)) {
      if (!token_.is(tok::hash) || !token_.isAtStartOfLine()) {
        text(token_);
        next();
        continue;
      }
      const unsigned offset = offset_of(token_);
      std::vector<Token> all;
      for (next(); !token_.is(tok::eof) && !token_.isAtStartOfLine(); next()) all.push_back(token_);
      if (all.empty() || !all.front().is(tok::raw_identifier)) continue;
      const llvm::StringRef word = all.front().getRawIdentifier();
      all.erase(all.begin());
      line(offset, word, all);
    }
  }

  [[nodiscard]] unsigned offset_of(const Token& token) const {
    return sources_.getFileOffset(token.getLocation());
  }
  [[nodiscard]] unsigned line_of(unsigned offset) const {
    return sources_.getLineNumber(file_, offset);
  }
  [[nodiscard]] std::string spelled(const Token& token) const {
    return sources_.getBufferData(file_).substr(offset_of(token), token.getLength()).str();
  }

 private:
  void next() { lexer_.LexFromRawLexer(token_); }

  const clang::SourceManager& sources_;
  clang::FileID file_;
  clang::Lexer lexer_;
  Token token_;
};

std::set<std::string> names_of(const std::vector<Token>& tokens) {
  std::set<std::string> names;
  for (const Token& token : tokens) {
    if (token.is(tok::raw_identifier)) names.insert(token.getRawIdentifier().str());
  }
  return names;
}

/// Whether a token calls a function that compilers neither remove nor move. Assignments they do: a
/// pointer that is set by `if (w) p = q;` has no line of its own.
bool leaves_code(const Token& token) {
  static const std::set<std::string> kCalled = {"printf", "fprintf", "puts", "fputs",
                                                "perror", "abort",   "exit", "__builtin_trap"};
  return token.is(tok::raw_identifier) && kCalled.contains(token.getRawIdentifier().str());
}

class FileReader {
 public:
  FileReader(const clang::SourceManager& sources, clang::FileID file,
             const clang::LangOptions& language)
      : reader_(sources, file, language) {}

  FileText read() {
    reader_.read([this](unsigned offset, llvm::StringRef word,
                        const std::vector<Token>& rest) { add_line(offset, word, rest); },
                 [this](const Token& token) { add_text(token); });
    // Nothing stands behind the last `#endif`.
    if (!text_.conditionals.empty() && is_closed_last_) {
      Conditional& last = text_.conditionals.back();
      last.is_guard = last.begin == first_ && last.branches.size() == 1 && last.names.size() == 1;
    }
    return std::move(text_);
  }

 private:
  void add_line(unsigned offset, llvm::StringRef word, const std::vector<Token>& rest) {
    const bool begins = word == "if" || word == "ifdef" || word == "ifndef";
    const bool goes_on = word.starts_with("elif") || word == "else";
    if (word == "pragma") return add_pragma(rest);
    if (begins) {
      const bool is_not = word == "ifndef" || (!rest.empty() && rest.front().is(tok::exclaim));
      if (is_empty_ && is_not) first_ = offset;
      open_.emplace_back().begin = offset;
    }
    is_empty_ = false;
    is_closed_last_ = false;
    if (begins || goes_on || word == "endif") {
      if (open_.empty()) return;
      const unsigned line = reader_.line_of(offset);
      if (!begins) open_.back().branches.back().end = line;
      if (word == "endif") return close(offset);
      open_.back().branches.push_back({line, line});
      std::set<std::string> names = names_of(rest);
      // The language decides whether `__cplusplus` is defined, the standard decides its value.
      const bool is_defined = names.erase("defined") > 0 || word.ends_with("def");
      if (is_defined) names.erase("__cplusplus");
      open_.back().names.merge(names);
    } else if ((word == "define" || word == "undef") && !rest.empty() &&
               rest.front().is(tok::raw_identifier)) {
      add_change(offset, word == "define", rest);
    } else if (word == "include" && !rest.empty()) {
      add_include(offset, rest);
      mark_text(false);
    }
  }

  void close(unsigned offset) {
    open_.back().end = offset;
    text_.conditionals.push_back(std::move(open_.back()));
    open_.pop_back();
    is_closed_last_ = open_.empty();
  }

  void add_change(unsigned offset, bool is_definition, const std::vector<Token>& rest) {
    const bool takes_arguments =
        rest.size() > 1 && rest[1].is(tok::l_paren) && !rest[1].hasLeadingSpace();
    const bool has_value = std::ranges::any_of(std::span(rest).subspan(1), [](const Token& token) {
      return token.isOneOf(tok::raw_identifier, tok::numeric_constant);
    });
    MacroChange change{offset, is_definition, {}, is_definition && has_value && !takes_arguments};
    std::set<std::string> parameters;
    bool is_parameter = takes_arguments;
    for (const Token& token : std::span(rest).subspan(1)) {
      if (token.is(tok::raw_identifier)) {
        (is_parameter ? parameters : change.names).insert(token.getRawIdentifier().str());
      }
      if (token.is(tok::r_paren)) is_parameter = false;
      if (token.is(tok::hashhash)) change.makes_names = true;
      const bool is_plain = token.isOneOf(tok::raw_identifier, tok::numeric_constant, tok::l_paren,
                                          tok::r_paren, tok::plus, tok::minus, tok::star) ||
                            token.isOneOf(tok::slash, tok::percent, tok::lessless);
      if (!is_plain) change.is_of_one_value = false;
    }
    for (const std::string& one : parameters) change.names.erase(one);
    text_.changes[rest.front().getRawIdentifier().str()].push_back(std::move(change));
  }

  void add_include(unsigned offset, const std::vector<Token>& rest) {
    const bool is_quoted = rest.front().is(tok::string_literal);
    std::string name;
    for (const Token& token : rest) name += reader_.spelled(token);
    if (is_quoted && name.size() > 2) name = name.substr(1, name.size() - 2);
    text_.includes[reader_.line_of(offset)] = {name, is_quoted};
  }

  void add_pragma(const std::vector<Token>& rest) {
    const std::set<std::string> names = names_of(rest);
    if (!names.contains("omp")) return;
    const bool is_of_variants = names.contains("declare") && names.contains("variant");
    is_empty_ = false;
    is_closed_last_ = false;
    mark_text(false);
    if (is_of_variants && names.contains("begin")) in_variant_ = true;
    if (is_of_variants && names.contains("end")) in_variant_ = false;
    if (names.contains("metadirective")) {
      text_.metadirectives.emplace_back(reader_.offset_of(rest.front()),
                                        reader_.offset_of(rest.back()));
    }
  }

  void mark_text(bool has_effect) {
    for (Conditional& one : open_) {
      one.branches.back().has_text = true;
      one.branches.back().has_effect = one.branches.back().has_effect || has_effect;
    }
  }

  void add_text(const Token& token) {
    is_empty_ = false;
    is_closed_last_ = false;
    if (!open_.empty()) mark_text(leaves_code(token));
    if (!in_variant_) return;
    if (depth_ == 0 && token.is(tok::l_paren) && before_.is(tok::raw_identifier)) {
      text_.variants.insert(before_.getRawIdentifier().str());
    }
    if (token.isOneOf(tok::l_paren, tok::l_brace)) ++depth_;
    if (token.isOneOf(tok::r_paren, tok::r_brace)) --depth_;
    before_ = token;
  }

  DirectiveReader reader_;
  FileText text_;
  std::vector<Conditional> open_;
  bool is_empty_ = true;         // nothing was read yet
  bool is_closed_last_ = false;  // nothing was read since the last `#endif`
  unsigned first_ = ~0U;         // offset of the `#if` that the file begins with
  bool in_variant_ = false;
  int depth_ = 0;  // of parentheses and braces, in a variant
  Token before_;
};

}  // namespace

bool Conditional::has_text() const { return std::ranges::any_of(branches, &Branch::has_text); }

FileText file_text(const clang::SourceManager& sources, clang::FileID file,
                   const clang::LangOptions& language) {
  return FileReader(sources, file, language).read();
}

std::vector<NameAt> names_in(const clang::SourceManager& sources, clang::FileID file,
                             unsigned begin, unsigned end, const clang::LangOptions& language) {
  const llvm::StringRef text = sources.getBufferData(file);
  const unsigned last = std::min<unsigned>(end, static_cast<unsigned>(text.size()));
  std::vector<NameAt> names;
  if (begin >= last) return names;
  clang::Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(),
                     text.begin() + begin, text.end());
  bool is_skipped = false;
  Token token;
  for (;;) {
    const bool was_hash = token.is(tok::hash) && token.isAtStartOfLine();
    lexer.LexFromRawLexer(token);
    const unsigned offset = sources.getFileOffset(token.getLocation());
    if (token.is(tok::eof) || offset >= last) return names;
    if (token.isAtStartOfLine()) is_skipped = false;
    if (!token.is(tok::raw_identifier)) continue;
    const llvm::StringRef name = token.getRawIdentifier();
    if (was_hash && !token.isAtStartOfLine()) is_skipped = name != "pragma";
    if (!is_skipped) names.push_back({name.str(), offset});
  }
}

}  // namespace ompdm::edit
