#include "source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

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
    all.emplace_back("__attribute__((noinline)) static std::uint64_t run() {");
    all.emplace_back("  std::uint64_t check = 1, tick = 0;");
    std::ranges::move(body, std::back_inserter(all));
    all.emplace_back("  return check;");
    all.emplace_back("}");
    return all;
  }

 private:
  static void line(Lines& to, int depth, const std::string& text) {
    to.push_back(std::string(static_cast<std::size_t>(depth) * 2, ' ') + text);
  }

  static std::string section(int array, Part part) {
    const char* text = part == Part::kWhole   ? "a{0}[0:n{0}]"
                       : part == Part::kFirst ? "a{0}[0:h{0}]"
                                              : "a{0}[h{0}:h{0}]";
    return fmt::format(fmt::runtime(text), array);
  }

  static std::string clause_text(const std::string& head, const Clause& clause) {
    std::vector<std::string> items;
    for (const int one : clause.arrays) items.push_back(section(one, clause.part));
    return fmt::format("{}{})", head, fmt::join(items, ", "));
  }

  /// A loop's head over that part of the array.
  static std::string loop_text(const Access& access, int step = 1) {
    const char* text = access.part == Part::kWhole   ? "for (int i = 0; i < n{}; i += {}) "
                       : access.part == Part::kFirst ? "for (int i = 0; i < h{}; i += {}) "
                                                     : "for (int i = h{0}; i < n{0}; i += {1}) ";
    return fmt::format(fmt::runtime(text), access.array, step);
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

  [[nodiscard]] std::string directive(const std::string& name, const Statement& one) const {
    const bool is_kernel = one.what == Do::kKernel;
    std::string text = "#pragma omp " + name + (one.nowait ? " nowait" : "");
    text += device_text(one.device);
    text += if_text(one.condition, is_kernel && one.form % 2 == 0 ? "if(target: " : "if(");
    for (const Clause& clause : one.clauses) {
      const std::string head =
          one.what == Do::kUpdate ? clause.kind + '(' : fmt::format("map({}: ", clause.kind);
      text += ' ' + clause_text(head, clause);
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
        return line(to, depth, fmt::format("std::swap(a{}, a{});", one.array, one.other));
      case Do::kData:
        line(to, depth, directive("target data", one));
        line(to, depth, "{");
        print_all(one, depth + 1, to);
        return line(to, depth, "}");
      case Do::kEnter:
        return line(to, depth, directive("target enter data", one));
      case Do::kExit:
        return line(to, depth, directive("target exit data", one));
      case Do::kUpdate:
        return line(to, depth, directive("target update", one));
      case Do::kWait:
        return line(to, depth, "#pragma omp taskwait");
    }
  }

  void print_array(const Statement& one, int depth, Lines& to) {
    const int a = one.array;
    line(to, depth, fmt::format("int n{0} = {1}, h{0} = n{0} / 2;", a, program_.elements[a]));
    line(to, depth, fmt::format("auto* a{0} = new std::uint64_t[n{0}];", a));
    line(to, depth, fmt::format("for (int i = 0; i < n{0}; ++i) a{0}[i] = i + ++tick;", a));
    known_.push_back(a);
    print_all(one, depth, to);
    known_.pop_back();
    if (one.flag) {
      line(to, depth,
           fmt::format("for (int i = 0; i < n{0}; ++i) check = check * 31 + a{0}[i];", a));
    }
    line(to, depth, fmt::format("delete[] a{};", a));
  }

  void print_call(const Statement& one, int depth, Lines& to) {
    const int number = ++calls_;
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    for (const int a : known_) {
      parameters.push_back(fmt::format("std::uint64_t* a{0}, int n{0}, int h{0}", a));
      arguments.push_back(fmt::format("a{0}, n{0}, h{0}", a));
    }
    parameters.push_back(fmt::format("std::uint64_t& check, std::uint64_t& tick, int t{}", pass_));
    arguments.push_back(pass_ > 0 ? fmt::format("check, tick, t{}", pass_) : "check, tick, 7");
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
    // LLVM's runtime ends some programs that have teams on the host beside threads of its own.
    const char* name = in_threads_ ? "target parallel for" : "target teams distribute parallel for";
    std::string value = first.reads ? fmt::format("a{}[i] * 3", first.array) : "i * 5ULL";
    for (const Access& access : one.accesses) {
      if (&access != &first) value += fmt::format(" + a{0}[i % n{0}]", access.array);
    }
    const std::string pass = pass_ > 0 ? fmt::format("t{}", pass_) : "7";
    const std::string loop = loop_text(first);
    if (first.writes) {
      line(to, depth, directive(name, one));
      line(to, depth,
           fmt::format("{}a{}[i] = {} + {} + {};", loop, first.array, value, one.id, pass));
      return;
    }
    line(to, depth, fmt::format("std::uint64_t sum{0} = {0};", one.id));
    line(to, depth,
         directive(name, one) + fmt::format(" map(tofrom: sum{0}) reduction(+: sum{0})", one.id));
    line(to, depth, fmt::format("{}sum{} += {};", loop, one.id, value));
    line(to, depth, fmt::format("check = check * 31 + sum{};", one.id));
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
    const char* text = access.reads && access.writes ? "a{0}[i] += ++tick;"
                       : access.writes               ? "a{0}[i] = i * ++tick;"
                                                     : "check = check * 31 + a{0}[i];";
    const int step = !access.reads ? 1 : access.writes ? 3 : 7;
    line(to, depth, loop_text(access, step) + fmt::format(fmt::runtime(text), access.array));
  }

  const Program& program_;
  Lines functions_;
  std::vector<int> known_;
  bool in_threads_ = false;
  int pass_ = 0;
  int loops_ = 0;
  int calls_ = 0;
};

}  // namespace

std::vector<std::string> source_of(const Program& program) {
  Lines lines = {"#include <cstdint>",   "#include <cstdio>",  "#include <cstdlib>",
                 "#include <omp.h>",     "#include <utility>", "static int once = 1;",
                 "static int input = 0;"};
  std::ranges::move(Printer(program).print(), std::back_inserter(lines));
  for (const char* text :
       {"int main(int count, char** words) {", "  if (count != 2) return 2;", "  once = count - 1;",
        "  input = std::atoi(words[1]);", "  const std::uint64_t check = run();",
        "  std::printf(\"%llu\\n\", static_cast<unsigned long long>(check));", "}"}) {
    lines.emplace_back(text);
  }
  return lines;
}

}  // namespace ompdm::random_programs
