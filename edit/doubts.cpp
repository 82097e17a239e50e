#include "doubts.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <map>

#include "outcomes.h"
#include "reach.h"

namespace ompdm::edit {

class Doubts::Search {
 public:
  Search(const Program& program, const Request& request)
      : program_(program),
        sources_(program.context().getSourceManager()),
        language_(program.context().getLangOpts()),
        source_(request.file),
        outcomes_(program, request) {
    if (may_doubt()) read_declarations(*program.context().getTranslationUnitDecl());
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::set<std::string> names;
    for (const auto& [id, file] : outcomes_.files()) names.insert(outcomes_.path_of(id));
    return {names.begin(), names.end()};
  }

  std::optional<Doubt> about(const Stmt& code) {
    if (!may_doubt()) return std::nullopt;
    if (!outcomes_.unread().empty()) {
      return Doubt{
          outcomes_.unread() + " was compiled with it, and is not found to be included: give -p",
          {source_, 0}};
    }
    const Reached reached = reached_by(program_, code);
    number_.reset();
    seen_.clear();
    makes_names_ = false;
    if (!reached.is_whole) return Doubt{"leads to too much code", place(code.getBeginLoc())};
    for (const Part& part : reached.parts) {
      if (Maybe doubt = about(part)) return doubt;
    }
    if (reached.depends_on_numbers || makes_names_) {
      if (Maybe doubt = about_macros(!makes_names_)) return doubt;
    }
    for (const std::string& name : reached.made_of) {
      if (Maybe doubt = about_uses_of(name)) return doubt;
    }
    return std::nullopt;
  }

 private:
  using FileID = clang::FileID;
  using SourceLocation = clang::SourceLocation;
  using Maybe = std::optional<Doubt>;
  using State = Outcomes::State;

  [[nodiscard]] bool may_doubt() const { return outcomes_.is_rebuilt() || outcomes_.has_devices(); }

  [[nodiscard]] Place place(SourceLocation at) const {
    const Spot spot = spot_of(program_.context(), at);
    return {spot.file, spot.line};
  }

  /// Declarations by name. For a type that is named through another, the syntax tree tells only
  /// that.
  void read_declarations(const clang::DeclContext& around) {
    for (const clang::Decl* one : around.decls()) {
      const SourceLocation at = sources_.getExpansionLoc(one->getLocation());
      if (at.isInvalid() || !outcomes_.files().contains(sources_.getFileID(at))) {
        if (!isa<clang::LinkageSpecDecl>(one)) continue;
      }
      const clang::TemplateDecl* made = dyn_cast<clang::TemplateDecl>(one);
      if (made != nullptr && made->getTemplatedDecl() != nullptr) one = made->getTemplatedDecl();
      if (const auto* record = dyn_cast<clang::RecordDecl>(one)) {
        // Members are looked up by themselves.
        const SourceLocation end = record->isCompleteDefinition()
                                       ? record->getBraceRange().getBegin()
                                       : record->getEndLoc();
        declared_[record->getNameAsString()].push_back({record->getBeginLoc(), end});
      } else if (isa<clang::TypedefNameDecl, clang::EnumDecl, clang::EnumConstantDecl,
                     clang::UsingDecl, clang::NamespaceAliasDecl>(one) ||
                 is_constant(*one)) {
        declared_[cast<clang::NamedDecl>(one)->getNameAsString()].push_back(one->getSourceRange());
      }
      if (const auto* inner = dyn_cast<clang::DeclContext>(one)) read_declarations(*inner);
    }
  }

  static bool is_constant(const clang::Decl& one) {
    const auto* variable = dyn_cast<VarDecl>(&one);
    return variable != nullptr &&
           (variable->hasGlobalStorage() || variable->getType().isConstQualified());
  }

  Doubt open(const std::string& macro, SourceLocation at) const {
    if (macro.find('/') != std::string::npos || macro.find('.') != std::string::npos) {
      return {fmt::format("depends on {}, which debug information does not tell: give -p",
                          macro.substr(macro.rfind('/') + 1)),
              place(at)};
    }
    return {
        fmt::format("depends on macro {}, which debug information does not tell: give -p", macro),
        place(at)};
  }

  Doubt of_devices(const std::string& macro, SourceLocation at) const {
    return {fmt::format("depends on macro {}, which compilers for devices set: they may run other "
                        "code",
                        macro),
            place(at)};
  }

  Maybe doubt_of(State state, const std::string& macro, SourceLocation at) const {
    if (state == State::kDevice) return of_devices(macro, at);
    if (state == State::kOpen && outcomes_.is_rebuilt()) return open(macro, at);
    return std::nullopt;
  }

  Maybe about(const Part& part) {
    const SourceLocation first = sources_.getExpansionLoc(part.range.getBegin());
    SourceLocation last = sources_.getExpansionRange(part.range.getEnd()).getEnd();
    if (first.isInvalid()) return std::nullopt;
    const FileID id = sources_.getFileID(first);
    if (!outcomes_.files().contains(id)) return std::nullopt;
    // The part may end in a file that it includes.
    while (last.isValid() && !sources_.isInFileID(last, id)) {
      last = sources_.getIncludeLoc(sources_.getFileID(last));
    }
    if (last.isInvalid()) return Doubt{"ends in another file", place(first)};
    std::vector<Span> holes;
    for (const clang::SourceRange& hole : part.without) {
      holes.push_back({sources_.getFileOffset(sources_.getExpansionLoc(hole.getBegin())),
                       sources_.getFileOffset(sources_.getExpansionLoc(hole.getEnd()))});
    }
    return about(id, {sources_.getFileOffset(first), sources_.getFileOffset(last) + 1}, holes);
  }

  struct Span {
    unsigned begin = 0;
    unsigned end = 0;
    [[nodiscard]] bool holds(unsigned offset) const { return begin <= offset && offset <= end; }
  };

  /// The doubt about a part of a file, with all files that it includes.
  Maybe about(FileID id, Span part, const std::vector<Span>& holes) {
    const Outcomes::Entered& file = outcomes_.files().at(id);
    const auto is_outside = [&](unsigned offset) {
      return !part.holds(offset) ||
             std::ranges::any_of(holes, [&](const Span& hole) { return hole.holds(offset); });
    };
    std::string macro;
    const SourceLocation first = outcomes_.location(id, part.begin);
    if (Maybe doubt = doubt_of(outcomes_.state_around(id, part.begin, macro), macro, first))
      return doubt;
    if (Maybe doubt = about_conditionals(id, part, holes)) return doubt;
    for (const auto& [from, to] : file.text->metadirectives) {
      if (part.begin <= to && from < part.end) {
        return Doubt{"depends on a metadirective: devices may run other code",
                     place(outcomes_.location(id, from))};
      }
    }
    for (const NameAt& name : names_in(sources_, id, part.begin, part.end, language_)) {
      if (is_outside(name.offset)) continue;
      if (Maybe doubt = about_use(name.name, outcomes_.location(id, name.offset))) return doubt;
    }
    for (const auto& [inner, included] : outcomes_.files()) {
      const SourceLocation at = included.included_at;
      if (at.isInvalid() || !sources_.isInFileID(at, id)) continue;
      if (is_outside(sources_.getFileOffset(at))) continue;
      if (Maybe doubt = about(inner, {0, sources_.getFileIDSize(inner)}, {})) return doubt;
    }
    return std::nullopt;
  }

  Maybe about_conditionals(FileID id, Span part, const std::vector<Span>& holes) {
    const Outcomes::Entered& file = outcomes_.files().at(id);
    for (std::size_t i = 0; i < file.text->conditionals.size(); ++i) {
      const Conditional& one = file.text->conditionals[i];
      const bool is_in_hole =
          std::ranges::any_of(holes, [&](const Span& hole) { return hole.holds(one.begin); });
      const bool is_inside = part.begin < one.end && one.begin < part.end && !is_in_hole;
      if (!is_inside || one.names.empty() || !one.has_text() || is_dead(file, one)) continue;
      std::string macro;
      const State state = outcomes_.state_of({id, i}, nullptr, macro);
      const bool is_shown = state == State::kOpen &&
                            outcomes_.is_shown_left_out(file, one, outcomes_.line(id, part.begin),
                                                        outcomes_.line(id, part.end));
      if (is_shown) continue;
      if (Maybe doubt = doubt_of(state, macro, outcomes_.location(id, one.begin))) return doubt;
    }
    return std::nullopt;
  }

  [[nodiscard]] static bool is_dead(const Outcomes::Entered& file, const Conditional& one) {
    return std::ranges::any_of(file.left_out, [&](const auto& skipped) {
      return skipped.first < one.branches.front().begin && one.branches.back().end < skipped.second;
    });
  }

  /// The doubt about a name in code, with the names in its declarations and macros.
  Maybe about_use(const std::string& name, SourceLocation at, int depth = 0) {
    constexpr int kDeepest = 32;
    if (outcomes_.variants().contains(name)) {
      return Doubt{fmt::format("calls {}(), which has a variant: devices may run other code", name),
                   place(at)};
    }
    const auto declared = declared_.find(name);
    if (declared != declared_.end() && seen_.insert(name).second) {
      for (const clang::SourceRange& range : declared->second) {
        if (Maybe doubt = about(Part{range, {}})) return doubt;
      }
    }
    const std::vector<Outcomes::Change> changes = outcomes_.changes_of(name, at);
    makes_names_ = makes_names_ || std::ranges::any_of(changes, [](const Outcomes::Change& one) {
                     return one.change->makes_names;
                   });
    const bool is_macro = !changes.empty() || outcomes_.definition_at(name, at) != nullptr;
    if (!is_macro || depth > kDeepest) return std::nullopt;
    std::string macro = name;
    const State state = outcomes_.state_of(name, at, macro);
    if (state != State::kSettled) {
      const Maybe doubt = doubt_of(state, macro, at);
      if (!outcomes_.is_number(name, at)) return doubt;
      if (!number_) number_ = doubt;
      return std::nullopt;
    }
    for (const Outcomes::Change& one : changes) {
      if (outcomes_.is_left_out(one)) continue;
      for (const std::string& inner : one.change->names) {
        if (inner == name) continue;
        if (Maybe doubt = about_use(inner, at, depth + 1)) return doubt;
      }
    }
    return std::nullopt;
  }

  /// A template's argument may be a number from any macro. A name that a macro makes may be any
  /// macro.
  Maybe about_macros(bool of_numbers) {
    if (number_) return number_;
    const SourceLocation end = sources_.getLocForEndOfFile(sources_.getMainFileID());
    for (const auto& [name, changes] : outcomes_.changes()) {
      std::string macro = name;
      if (of_numbers && !outcomes_.is_number(name, end)) continue;
      const State state = outcomes_.state_of(name, end, macro);
      if (Maybe doubt = doubt_of(state, macro, changes.front().at)) return doubt;
    }
    return std::nullopt;
  }

  /// Code that is left out may use a template with other arguments.
  Maybe about_uses_of(const std::string& name) {
    for (const auto& [id, file] : outcomes_.files()) {
      for (std::size_t i = 0; i < file.text->conditionals.size(); ++i) {
        const Conditional& one = file.text->conditionals[i];
        if (one.names.empty() || !one.has_text()) continue;
        const auto uses = names_in(sources_, id, one.begin, one.end, language_);
        const bool is_used = std::ranges::find(uses, name, &NameAt::name) != uses.end();
        std::string macro;
        if (!is_used) continue;
        const State state = outcomes_.state_of({id, i}, nullptr, macro);
        if (Maybe doubt = doubt_of(state, macro, outcomes_.location(id, one.begin))) return doubt;
      }
    }
    return std::nullopt;
  }

  const Program& program_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::string source_;
  Outcomes outcomes_;
  Maybe number_;              ///< about a number in the code
  bool makes_names_ = false;  ///< a macro in the code makes names by ##
  std::map<std::string, std::vector<clang::SourceRange>> declared_;
  std::set<std::string> seen_;  ///< names of `declared_` that the code leads to
};

Doubts::Doubts(const Program& program, const Request& request)
    : search_(std::make_unique<Search>(program, request)) {}

Doubts::~Doubts() = default;

std::optional<Doubt> Doubts::about(const Stmt& code) { return search_->about(code); }

std::vector<std::string> Doubts::files() const { return search_->files(); }

void doubt_regions(const Program& program, Doubts& doubts, Facts& facts) {
  for (RegionFacts& region : facts.regions) {
    for (const Directive* directive : program.directives_at(region.place)) {
      if (!runs_on_device(*directive) || !region.doubt.empty()) continue;
      const std::optional<Doubt> doubt = doubts.about(*directive);
      if (!doubt) continue;
      region.doubt = doubt->why;
      region.doubt_at = doubt->at;
    }
    if (region.doubt.empty()) continue;
    region.own_copies.clear();
    for (ItemFacts& item : region.items) {
      ItemFacts unknown;
      unknown.name = item.name;
      unknown.use = "unknown";
      unknown.why = region.doubt;
      unknown.at = region.doubt_at;
      item = std::move(unknown);
    }
  }
}

}  // namespace ompdm::edit
