#include "source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace ompdm::random_programs {
namespace {

using Lines = std::vector<std::string>;

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  /// Its functions, then "run()".
  Lines print() {
    Lines body;
    print(program_.root, 1, body);
    Lines all = std::move(functions_);
    all.emplace_back("__attribute__((noinline)) static void run() {");
    std::ranges::move(body, std::back_inserter(all));
    all.emplace_back("}");
    return all;
  }

 private:
  static void line(Lines& to, int depth, const std::string& text) {
    to.push_back(std::string(static_cast<std::size_t>(depth) * 2, ' ') + text);
  }

  /// All names that the array's storage may have.
  [[nodiscard]] std::string names_of(int array) const {
    for (const std::vector<int>& group : program_.groups) {
      if (std::ranges::find(group, array) == group.end()) continue;
      std::vector<std::string> names;
      for (const int one : group) names.push_back(fmt::format("a{}", one));
      return fmt::format("{}", fmt::join(names, " "));
    }
    return "";
  }

  static std::string clause_text(const std::string& head, const std::vector<int>& arrays) {
    std::vector<std::string> items;
    for (const int one : arrays) items.push_back(fmt::format("a{}[0:n{}]", one, one));
    return fmt::format("{}{})", head, fmt::join(items, ", "));
  }

  static std::string directive(const std::string& name, const std::vector<Clause>& clauses,
                               bool is_update = false) {
    std::string text = "#pragma omp " + name;
    for (const Clause& clause : clauses) {
      const std::string head = is_update ? clause.kind + '(' : fmt::format("map({}: ", clause.kind);
      text += ' ' + clause_text(head, clause.arrays);
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
      case Do::kKernel:
        return print_kernel(one, depth, to);
      case Do::kHost:
        return print_host(one, depth, to);
      case Do::kSwap:
        return line(to, depth, fmt::format("std::swap(a{}, a{});", one.array, one.other));
      case Do::kData:
        line(to, depth, directive("target data", one.clauses));
        line(to, depth, "{");
        print_all(one, depth + 1, to);
        return line(to, depth, "}");
      case Do::kEnter:
        return line(to, depth, directive("target enter data", one.clauses));
      case Do::kExit:
        return line(to, depth, directive("target exit data", one.clauses));
      case Do::kUpdate:
        return line(to, depth, directive("target update", one.clauses, true));
    }
  }

  void print_array(const Statement& one, int depth, Lines& to) {
    const int a = one.array;
    line(to, depth, fmt::format("int n{} = {};", a, program_.elements[a]));
    line(to, depth, fmt::format("auto* a{0} = new std::uint64_t[n{0}];", a));
    line(to, depth,
         fmt::format("for (int i = 0; i < n{0}; ++i) a{0}[i] = i + ++tick;  // host: changes {1}",
                     a, names_of(a)));
    known_.push_back(a);
    print_all(one, depth, to);
    known_.pop_back();
    if (one.flag) {
      line(to, depth,
           fmt::format("for (int i = 0; i < n{0}; ++i) check = check * 31 + a{0}[i];  // host: "
                       "reads {1}",
                       a, names_of(a)));
    }
    line(to, depth, fmt::format("delete[] a{};", a));
  }

  void print_call(const Statement& one, int depth, Lines& to) {
    const int number = ++calls_;
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    for (const int a : known_) {
      parameters.push_back(fmt::format("std::uint64_t* a{0}, int n{0}", a));
      arguments.push_back(fmt::format("a{0}, n{0}", a));
    }
    parameters.push_back(fmt::format("int t{}", pass_));
    arguments.push_back(fmt::format("t{}", pass_));
    Lines body;
    print_all(one, 1, body);
    functions_.push_back(fmt::format("{}static void f{}({}) {{",
                                     one.form % 2 == 0 ? "__attribute__((noinline)) " : "", number,
                                     fmt::join(parameters, ", ")));
    std::ranges::move(body, std::back_inserter(functions_));
    functions_.emplace_back("}");
    line(to, depth, fmt::format("f{}({});", number, fmt::join(arguments, ", ")));
  }

  void print_kernel(const Statement& one, int depth, Lines& to) {
    const Access& first = one.accesses.front();
    const char* name = "target teams distribute parallel for";
    std::string value = first.reads ? fmt::format("a{}[i] * 3", first.array) : "i * 5ULL";
    for (const Access& access : one.accesses) {
      if (&access != &first) value += fmt::format(" + a{0}[i % n{0}]", access.array);
    }
    const std::string pass = pass_ > 0 ? fmt::format("t{}", pass_) : "7";
    const std::string loop = fmt::format("for (int i = 0; i < n{}; ++i) ", first.array);
    if (first.writes) {
      line(to, depth, directive(name, one.clauses));
      line(to, depth,
           fmt::format("{}a{}[i] = {} + {} + {};", loop, first.array, value, one.id, pass));
      return;
    }
    line(to, depth, fmt::format("sum = {};", one.id));
    line(to, depth, directive(name, one.clauses) + " map(tofrom: sum) reduction(+: sum)");
    line(to, depth, fmt::format("{}sum += {};", loop, value));
    line(to, depth, "check = check * 31 + sum;");
  }

  void print_host(const Statement& one, int depth, Lines& to) {
    const Access& access = one.accesses.front();
    const int a = access.array;
    const std::string names = names_of(a);
    if (access.reads && access.writes) {
      return line(
          to, depth,
          fmt::format("for (int i = 0; i < n{0}; i += 3) a{0}[i] += ++tick;  // host: reads, "
                      "changes {1}",
                      a, names));
    }
    if (access.writes) {
      return line(to, depth,
                  fmt::format("for (int i = 0; i < n{0}; ++i) a{0}[i] = i * ++tick;  // host: "
                              "changes {1}",
                              a, names));
    }
    line(to, depth,
         fmt::format(
             "for (int i = 0; i < n{0}; i += 7) check = check * 31 + a{0}[i];  // host: reads "
             "{1}",
             a, names));
  }

  const Program& program_;
  Lines functions_;
  std::vector<int> known_;
  int pass_ = 0;
  int loops_ = 0;
  int calls_ = 0;
};

}  // namespace

std::vector<std::string> source_of(const std::vector<Program>& programs) {
  Lines lines = {"#include <cstdint>", "#include <cstdio>", "#include <cstdlib>",
                 "#include <utility>", "static int once = 1;"};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    lines.push_back(fmt::format("namespace p{} {{", i));
    lines.emplace_back("static std::uint64_t check = 1, tick = 0, sum = 0;");
    lines.emplace_back("static int input = 0;");
    std::ranges::move(Printer(programs[i]).print(), std::back_inserter(lines));
    lines.emplace_back("}");
  }
  lines.emplace_back("int main(int count, char** words) {");
  lines.emplace_back("  if (count != 3) return 2;");
  lines.emplace_back("  once = count - 2;");
  lines.emplace_back("  std::uint64_t check = 0;");
  lines.emplace_back("  switch (std::atoi(words[1])) {");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    lines.push_back(fmt::format(
        "    case {0}: p{0}::input = std::atoi(words[2]); p{0}::run(); check = p{0}::check; break;",
        i));
  }
  lines.emplace_back("  }");
  lines.emplace_back("  std::printf(\"%llu\\n\", static_cast<unsigned long long>(check));");
  lines.emplace_back("}");
  return lines;
}

}  // namespace ompdm::random_programs
