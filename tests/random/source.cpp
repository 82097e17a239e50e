#include "source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ompdm::random_programs {
namespace {

using Lines = std::vector<std::string>;

/// Whether a pointer is swapped in a function that is called, for that alone.
bool swaps_in_call(const Statement& one, bool is_in_call) {
  if (one.what == Do::kSwap && is_in_call) return true;
  return std::ranges::any_of(one.body, [&](const Statement& inner) {
    return swaps_in_call(inner, is_in_call || one.what == Do::kCall);
  });
}

bool has(const Statement& one, Do what) {
  return one.what == what ||
         std::ranges::any_of(one.body, [&](const Statement& inner) { return has(inner, what); });
}

class Printer {
 public:
  Printer(const Program& program, Spelling spelling)
      : program_(program),
        names_(spelling.names),
        has_two_files_(spelling.has_two_files),
        has_swaps_(has(program.root, Do::kSwap)) {
    const bool is_alone = swaps_in_call(program.root, false) || has(program.root, Do::kThreads);
    if (names_ == Names::kClass && is_alone) names_ = Names::kMembers;
  }

  /// Its functions, then "run()".
  Source print() {
    Lines body;
    print(program_.root, 1, body);
    Source source;
    source.main = {"#include <cstdint>", "#include <cstdio>",  "#include <cstdlib>",
                   "#include <omp.h>",   "#include <utility>", "extern int once, input;"};
    declare_data(source.main);
    if (has_two_files_) {
      source.other = source.main;
      std::ranges::copy(prototypes_, std::back_inserter(source.main));
    }
    Lines& functions = has_two_files_ ? source.other : source.main;
    std::ranges::move(functions_, std::back_inserter(functions));
    const bool is_class = names_ == Names::kClass;
    source.main.push_back(fmt::format("__attribute__((noinline)) {}std::uint64_t {}run() {{",
                                      is_class ? "" : "static ", is_class ? "Solver::" : ""));
    source.main.emplace_back("  std::uint64_t check = 1, tick = 0;");
    if (names_ == Names::kMembers) source.main.emplace_back("  Fields f = {};");
    std::ranges::move(body, std::back_inserter(source.main));
    source.main.emplace_back("  return check;");
    source.main.emplace_back("}");
    if (is_class) {
      source.main.emplace_back("static Solver solver;");
      source.main.emplace_back("static std::uint64_t run() { return solver.run(); }");
    }
    return source;
  }

 private:
  static void line(Lines& to, int depth, const std::string& text) {
    to.push_back(std::string(static_cast<std::size_t>(depth) * 2, ' ') + text);
  }

  /// The struct or class of the arrays.
  void declare_data(Lines& to) const {
    if (names_ == Names::kLocal) return;
    const bool is_class = names_ == Names::kClass;
    to.emplace_back(is_class ? "class Solver {" : "struct Fields {");
    if (is_class) {
      to.emplace_back(" public:");
      to.emplace_back("  std::uint64_t run();");
      to.emplace_back(" private:");
      std::ranges::copy(prototypes_, std::back_inserter(to));
    }
    for (std::size_t a = 0; a < program_.elements.size(); ++a) {
      line(to, 1, fmt::format("std::uint64_t* a{0} = nullptr;", a));
      line(to, 1, fmt::format("int n{0} = 0, h{0} = 0;", a));
    }
    to.emplace_back("};");
  }

  /// The object that has the arrays: "f.", or nothing.
  [[nodiscard]] const char* owner() const { return names_ == Names::kMembers ? "f." : ""; }

  /// What a directive or kernel calls an array, and its extents.
  struct Name {
    std::string pointer;
    std::string whole;
    std::string half;
  };
  using NamesOf = std::map<int, Name>;

  [[nodiscard]] Name own_name(int array) const {
    return {fmt::format("{}a{}", owner(), array), fmt::format("{}n{}", owner(), array),
            fmt::format("{}h{}", owner(), array)};
  }

  /// Pointers of the place, which members are read into there: a region has no use for the rest of
  /// their object. Where no pointer is ever swapped, directives of the host name the members.
  NamesOf names_of(const Statement& one, int depth, Lines& to) {
    NamesOf all;
    std::set<int> arrays;
    for (const Access& access : one.accesses) arrays.insert(access.array);
    for (const Clause& clause : one.clauses)
      arrays.insert(clause.arrays.begin(), clause.arrays.end());
    const bool is_kernel = one.what == Do::kKernel;
    for (const int array : arrays) {
      const Name own = own_name(array);
      if (names_ == Names::kLocal || (!is_kernel && !has_swaps_)) {
        all[array] = own;
        continue;
      }
      const int number = ++pointers_;
      Name& name = all[array] = {fmt::format("p{}", number), own.whole, own.half};
      line(to, depth, fmt::format("auto* {} = {};", name.pointer, own.pointer));
      if (!is_kernel) continue;
      name.whole = fmt::format("m{}", number);
      name.half = fmt::format("g{}", number);
      line(to, depth,
           fmt::format("const int {} = {}, {} = {};", name.whole, own.whole, name.half, own.half));
    }
    return all;
  }

  static std::string section(const Name& name, Part part) {
    const char* text = part == Part::kWhole   ? "{0}[0:{1}]"
                       : part == Part::kFirst ? "{0}[0:{2}]"
                                              : "{0}[{2}:{2}]";
    return fmt::format(fmt::runtime(text), name.pointer, name.whole, name.half);
  }

  static std::string clause_text(const std::string& head, const Clause& clause,
                                 const NamesOf& names) {
    std::vector<std::string> items;
    for (const int one : clause.arrays) items.push_back(section(names.at(one), clause.part));
    return fmt::format("{}{})", head, fmt::join(items, ", "));
  }

  /// A loop's head over that part of the array.
  static std::string loop_text(const Access& access, const Name& name, int step = 1) {
    const char* text = access.part == Part::kWhole   ? "for (int i = 0; i < {0}; i += {2}) "
                       : access.part == Part::kFirst ? "for (int i = 0; i < {1}; i += {2}) "
                                                     : "for (int i = {1}; i < {0}; i += {2}) ";
    return fmt::format(fmt::runtime(text), name.whole, name.half, step);
  }

  /// "if(t1 % 3 != 0)", or nothing.
  [[nodiscard]] std::string if_text(const Condition& condition, const char* head = "if(") const {
    if (condition.count == 0) return "";
    const bool negated = condition.negated;
    std::string test = fmt::format("t{} % {} {} {}", pass_, condition.count,
                                   negated ? "==" : "!=", condition.phase);
    if (condition.second_input) test += negated ? " && input != 0" : " || input == 0";
    return fmt::format(" {}{})", head, test);
  }

  [[nodiscard]] std::string device_text(const Device& device) const {
    if (device.alternates) return fmt::format(" device(t{} % {})", pass_, kDevices);
    return device.number > 0 ? fmt::format(" device({})", device.number) : "";
  }

  [[nodiscard]] std::string directive(const std::string& name, const Statement& one,
                                      const NamesOf& names) const {
    const bool is_kernel = one.what == Do::kKernel;
    std::string text = "#pragma omp " + name + (one.nowait ? " nowait" : "");
    text += device_text(one.device);
    text += if_text(one.condition, is_kernel && one.form % 2 == 0 ? "if(target: " : "if(");
    for (const Clause& clause : one.clauses) {
      const std::string head =
          one.what == Do::kUpdate ? clause.kind + '(' : fmt::format("map({}: ", clause.kind);
      text += ' ' + clause_text(head, clause, names);
    }
    return text;
  }

  void print_all(const Statement& one, int depth, Lines& to) {
    for (const Statement& inner : one.body) print(inner, depth, to);
  }

  void print(const Statement& one, int depth, Lines& to) {
    switch (one.what) {
      case Do::kBlock:
        return print_all(one, depth, to);
      case Do::kLoop: {
        const int outer = pass_;
        pass_ = ++loops_;
        // The compiler is rarely told how often.
        line(to, depth,
             fmt::format("for (int t{0} = 0; t{0} < {1}{2}; ++t{0}) {{", pass_, one.count,
                         one.form % 8 == 0 ? "" : " * once"));
        print_all(one, depth + 1, to);
        line(to, depth, "}");
        pass_ = outer;
        return;
      }
      case Do::kBranch:
        line(to, depth,
             fmt::format("if (t{} % {} == {}{}) {{", pass_, one.count, one.phase,
                         one.flag ? " && input != 0" : ""));
        print_all(one, depth + 1, to);
        line(to, depth, "}");
        return;
      case Do::kArray:
        return print_array(one, depth, to);
      case Do::kCall:
        return print_call(one, depth, to);
      case Do::kThreads:
        return print_threads(one, depth, to);
      case Do::kKernel:
        return print_kernel(one, depth, to);
      case Do::kHost:
        return print_host(one, depth, to);
      case Do::kSwap:
        return line(to, depth,
                    fmt::format("std::swap({0}a{1}, {0}a{2});", owner(), one.array, one.other));
      case Do::kData:
        print_directive("target data", one, depth, to);
        line(to, depth, "{");
        print_all(one, depth + 1, to);
        return line(to, depth, "}");
      case Do::kEnter:
        return print_directive("target enter data", one, depth, to);
      case Do::kExit:
        return print_directive("target exit data", one, depth, to);
      case Do::kUpdate:
        return print_directive("target update", one, depth, to);
      case Do::kWait:
        return line(to, depth, "#pragma omp taskwait");
    }
  }

  void print_directive(const char* text, const Statement& one, int depth, Lines& to) {
    const NamesOf names = names_of(one, depth, to);
    line(to, depth, directive(text, one, names));
  }

  void print_array(const Statement& one, int depth, Lines& to) {
    const int a = one.array;
    const Name name = own_name(a);
    const bool is_local = names_ == Names::kLocal;
    line(to, depth,
         fmt::format("{}{} = {};", is_local ? "int " : "", name.whole, program_.elements[a]));
    line(to, depth, fmt::format("{}{} = {} / 2;", is_local ? "int " : "", name.half, name.whole));
    line(to, depth,
         fmt::format("{}{} = new std::uint64_t[{}];", is_local ? "auto* " : "", name.pointer,
                     name.whole));
    line(to, depth,
         fmt::format("for (int i = 0; i < {}; ++i) {}[i] = i + ++tick;", name.whole, name.pointer));
    known_.push_back(a);
    print_all(one, depth, to);
    known_.pop_back();
    if (one.flag) {
      line(to, depth,
           fmt::format("for (int i = 0; i < {}; ++i) check = check * 31 + {}[i];", name.whole,
                       name.pointer));
    }
    line(to, depth, fmt::format("delete[] {};", name.pointer));
  }

  void print_call(const Statement& one, int depth, Lines& to) {
    const int number = ++calls_;
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    if (names_ == Names::kMembers) {
      parameters.emplace_back("Fields f");
      arguments.emplace_back("f");
    }
    for (const int a : known_) {
      if (names_ != Names::kLocal) break;
      parameters.push_back(fmt::format("std::uint64_t* a{0}, int n{0}, int h{0}", a));
      arguments.push_back(fmt::format("a{0}, n{0}, h{0}", a));
    }
    parameters.push_back(fmt::format("std::uint64_t& check, std::uint64_t& tick, int t{}", pass_));
    arguments.push_back(pass_ > 0 ? fmt::format("check, tick, t{}", pass_) : "check, tick, 7");
    Lines body;
    print_all(one, 1, body);
    const bool is_class = names_ == Names::kClass;
    const bool is_static = !is_class && !has_two_files_;
    const std::string head = fmt::format("({})", fmt::join(parameters, ", "));
    prototypes_.push_back(fmt::format("  void f{}{};", number, head));
    functions_.push_back(
        fmt::format("{}{}void {}f{}{} {{", one.form % 2 == 0 ? "__attribute__((noinline)) " : "",
                    is_static ? "static " : "", is_class ? "Solver::" : "", number, head));
    std::ranges::move(body, std::back_inserter(functions_));
    functions_.emplace_back("}");
    line(to, depth, fmt::format("f{}({});", number, fmt::join(arguments, ", ")));
  }

  void print_kernel(const Statement& one, int depth, Lines& to) {
    const Access& first = one.accesses.front();
    if (!first.writes) line(to, depth, fmt::format("std::uint64_t sum{0} = {0};", one.id));
    const bool has_names = names_ != Names::kLocal;
    if (has_names) line(to, depth++, "{");
    const NamesOf names = names_of(one, depth, to);
    const Name& array = names.at(first.array);
    // LLVM's runtime ends some programs that have teams on the host beside threads of its own.
    const char* name = in_threads_ ? "target parallel for" : "target teams distribute parallel for";
    std::string value = first.reads ? fmt::format("{}[i] * 3", array.pointer) : "i * 5ULL";
    for (const Access& access : one.accesses) {
      if (&access == &first) continue;
      const Name& other = names.at(access.array);
      value += fmt::format(" + {}[i % {}]", other.pointer, other.whole);
    }
    const std::string pass = pass_ > 0 ? fmt::format("t{}", pass_) : "7";
    const std::string loop = loop_text(first, array);
    if (first.writes) {
      line(to, depth, directive(name, one, names));
      line(to, depth,
           fmt::format("{}{}[i] = {} + {} + {};", loop, array.pointer, value, one.id, pass));
    } else {
      line(to, depth,
           directive(name, one, names) +
               fmt::format(" map(tofrom: sum{0}) reduction(+: sum{0})", one.id));
      line(to, depth, fmt::format("{}sum{} += {};", loop, one.id, value));
    }
    if (has_names) line(to, --depth, "}");
    if (!first.writes) line(to, depth, fmt::format("check = check * 31 + sum{};", one.id));
  }

  void print_threads(const Statement& one, int depth, Lines& to) {
    if (one.flag) line(to, depth, fmt::format("std::uint64_t checks{}[2] = {{}};", one.id));
    line(to, depth, "#pragma omp parallel num_threads(2)");
    line(to, depth, "{");
    const std::vector<int> known = known_;
    const bool outer = std::exchange(in_threads_, true);
    if (one.flag) {
      known_.clear();
      line(to, depth + 1, "std::uint64_t check = 1, tick = omp_get_thread_num() * 11;");
      if (names_ == Names::kMembers) line(to, depth + 1, "Fields f = {};");
    } else {
      line(to, depth + 1, "if (omp_get_thread_num() == 1) {");
    }
    print_all(one, depth + 2, to);
    if (one.flag) {
      line(to, depth + 1, fmt::format("checks{}[omp_get_thread_num()] = check;", one.id));
    } else {
      line(to, depth + 1, "}");
    }
    known_ = known;
    in_threads_ = outer;
    line(to, depth, "}");
    if (one.flag)
      line(to, depth, fmt::format("check = check * 31 + checks{0}[0] * 7 + checks{0}[1];", one.id));
  }

  void print_host(const Statement& one, int depth, Lines& to) {
    const Access& access = one.accesses.front();
    const char* text = access.reads && access.writes ? "{0}[i] += ++tick;"
                       : access.writes               ? "{0}[i] = i * ++tick;"
                                                     : "check = check * 31 + {0}[i];";
    const int step = !access.reads ? 1 : access.writes ? 3 : 7;
    const Name name = own_name(access.array);
    line(to, depth, loop_text(access, name, step) + fmt::format(fmt::runtime(text), name.pointer));
  }

  const Program& program_;
  Names names_;
  bool has_two_files_;
  bool has_swaps_;
  Lines functions_;
  Lines prototypes_;
  std::vector<int> known_;
  bool in_threads_ = false;
  int pass_ = 0;
  int loops_ = 0;
  int calls_ = 0;
  int pointers_ = 0;
};

}  // namespace

Source source_of(const Program& program, Spelling spelling) {
  Source source = Printer(program, spelling).print();
  for (const char* text :
       {"int once = 1, input = 0;", "int main(int count, char** words) {",
        "  if (count != 2) return 2;", "  once = count - 1;", "  input = std::atoi(words[1]);",
        "  const std::uint64_t check = run();",
        "  std::printf(\"%llu\\n\", static_cast<unsigned long long>(check));", "}"}) {
    source.main.emplace_back(text);
  }
  return source;
}

}  // namespace ompdm::random_programs
