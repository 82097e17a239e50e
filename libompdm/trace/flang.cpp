#include "trace/flang.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "trace/flang_names.h"
#include "trace/offload_names.h"

namespace ompdm::trace {
namespace {

using Files = std::set<std::string>;

// The files that a site's items name, by their whole paths.
Files files_of(const SiteNote& note) {
  Files files;
  for (const std::string& name : note.names) {
    const auto item = parse_flang_item(name);
    if (item && module_of_file(item->file).empty()) files.insert(item->file);
  }
  return files;
}

// The one that "heat.f90" or "src/heat.f90" means; `given` itself if none or several may be meant.
std::string whole_path(const std::string& given, const Files& files) {
  const auto is_meant = [&](const std::string& file) {
    return file == given || file.ends_with('/' + given);
  };
  const auto first = std::ranges::find_if(files, is_meant);
  return std::ranges::count_if(files, is_meant) == 1 ? *first : given;
}

// Names of modules' variables come with their places in the module's file, which are no source.
std::string clang_name(const std::string& name, Index<Module> module, Symbols& symbols) {
  const auto item = parse_flang_item(name);
  if (!item) return name;
  const std::string fortran_module = module_of_file(item->file);
  if (fortran_module.empty()) return ';' + item->expression + ';' + item->file + item->place;
  const std::string variable = item->expression.substr(0, item->expression.find_first_of("(%"));
  const Declaration declared = symbols.fortran_variable(module, fortran_module, variable);
  if (declared.line == 0) return ';' + item->expression + ";unknown;0;0;;";
  return ';' + item->expression + ';' + declared.file + ';' + std::to_string(declared.line) +
         ";0;;";
}

class Flang {
 public:
  Flang(Draft& draft, Symbols& symbols) : draft_(draft), symbols_(symbols) {
    for (const SiteNote& note : draft.site_notes) {
      own_.push_back(files_of(note));
      all_.insert(own_.back().begin(), own_.back().end());
    }
  }

  void rewrite() {
    for (std::size_t i = 0; i < draft_.site_notes.size(); ++i) {
      SiteNote& note = draft_.site_notes[i];
      note.is_fortran = is_flang_source(note.psource) || !own_[i].empty() ||
                        std::ranges::any_of(note.names, [](const std::string& name) {
                          return parse_flang_item(name).has_value();
                        });
      if (is_flang_source(note.psource)) locate(i);
    }
    lend_files();
    for (std::size_t i = 0; i < draft_.site_notes.size(); ++i) {
      for (std::string& name : draft_.site_notes[i].names) {
        name = clang_name(name, draft_.trace.sites[i].module, symbols_);
      }
    }
    for (std::string& name : draft_.mapper_names) name = clang_name(name, {}, symbols_);
  }

 private:
  // A procedure of a module of the program.
  using Procedure = std::pair<std::uint32_t, std::string>;

  void locate(std::size_t i) {
    SiteNote& note = draft_.site_notes[i];
    const Site& site = draft_.trace.sites[i];
    const CodePlace place = symbols_.at(site.module, site.address - 1);
    std::string function = function_in(note.psource);
    // By the main program's own name in capitals, or by its linker name.
    const bool is_main = place.functions.empty() ? function == "_QQmain" || is_in_capitals(function)
                                                 : place.functions.back() == kMainProgram;
    if (is_main) function = kMainProgram;
    std::string file = whole_path(place.file, own_[i]);
    if (file == place.file) file = whole_path(place.file, all_);
    if (file.empty() && own_[i].size() == 1) file = *own_[i].begin();
    const Procedure procedure(site.module.value, function);
    if (file.empty()) {
      fileless_.emplace_back(i, procedure);
    } else {
      files_[procedure].insert(file);
    }
    note.psource = with_place(note.psource, file, function);
  }

  // Of procedures that only one file is known to have.
  void lend_files() {
    for (const auto& [i, procedure] : fileless_) {
      const auto at = files_.find(procedure);
      if (at == files_.end() || at->second.size() != 1) continue;
      std::string& psource = draft_.site_notes[i].psource;
      psource = with_place(psource, *at->second.begin(), procedure.second);
    }
  }

  static std::string function_in(const std::string& psource) {
    const auto source = parse_source(psource);
    return source ? source->function : std::string();
  }

  static bool is_in_capitals(const std::string& name) {
    return !name.empty() && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  }

  Draft& draft_;
  Symbols& symbols_;
  std::vector<Files> own_;  // beside site_notes
  Files all_;
  std::map<Procedure, Files> files_;
  std::vector<std::pair<std::size_t, Procedure>> fileless_;
};

}  // namespace

void read_flang(Draft& draft, Symbols& symbols) { Flang(draft, symbols).rewrite(); }

}  // namespace ompdm::trace
