#include "printable.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <iterator>
#include <numeric>
#include <set>

#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/summary.h"
#include "output.h"
#include "report/units.h"

namespace ompdm::cli {

namespace {

/// The escape sequences of report::title() and report::warning().
constexpr std::string_view kColors[] = {"\x1b[1m", "\x1b[33m", "\x1b[0m"};

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

/// Whether an ASCII byte can be printed.
bool is_plain(char byte) { return byte == '\n' || byte == '\t' || (byte >= ' ' && byte < 0x7f); }

struct Piece {
  std::size_t size = 1;
  bool is_plain = false;
  bool is_cut = false;  ///< with more bytes it may be another piece
};

/// A UTF-8 character of several bytes. C2 with 80 to 9F are controls.
Piece character_at(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte_at(0);
  const std::size_t size = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const unsigned least = lead == 0xc2 || lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;  // of the second byte
  for (std::size_t i = 1; i < size; ++i) {
    if (i == text.size()) return {i, false, true};
    if (byte_at(i) < (i == 1 ? least : 0x80) || byte_at(i) > (i == 1 ? most : 0xbf)) return {};
  }
  return {std::max<std::size_t>(size, 1), size > 0};
}

/// The piece at the beginning of a text whose first byte is not plain.
Piece piece_at(std::string_view text, bool has_colors) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte >= 0x80) return character_at(text);
  for (const std::string_view color : kColors) {
    if (!has_colors) break;
    if (text.starts_with(color)) return {color.size(), true};
    if (color.starts_with(text)) return {text.size(), false, true};
  }
  return {};
}

struct Stream {
  int descriptor;
  Printable text{};
};

ssize_t write_printable(void* cookie, const char* bytes, std::size_t size) {
  auto& stream = *static_cast<Stream*>(cookie);
  const std::string text = stream.text.part({bytes, size});
  if (!write_all(stream.descriptor, text)) return 0;
  return static_cast<ssize_t>(size);
}

std::FILE* printable_stream(Stream& stream, int buffering) {
  std::FILE* file = ::fopencookie(&stream, "w", {nullptr, write_printable, nullptr, nullptr});
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

std::FILE* given_stdout = nullptr;  ///< before it was made printable

using State = RealtimeClock::State;
using Processes = std::span<const Process>;

constexpr std::size_t kMostNamed = 4;

/// The first few words, and the number of the others.
std::string listed_briefly(std::vector<std::string> words) {
  if (words.size() > kMostNamed) {
    const std::size_t others = words.size() - kMostNamed + 1;
    words.resize(kMostNamed - 1);
    words.push_back(fmt::format("{} others", others));
  }
  return report::spoken_list(words);
}

bool are_ranks(const std::vector<std::size_t>& of, Processes processes) {
  return std::ranges::all_of(of, [&](std::size_t at) { return processes[at].rank >= 0; });
}

/// "0-3". For processes of no job: "heat 4711 and heat 4712".
std::string members(const std::vector<std::size_t>& of, Processes processes) {
  if (are_ranks(of, processes)) {
    summary::RankSet ranks;
    for (const std::size_t at : of) ranks.add(summary::RankSet(processes[at].rank));
    return ranks.text();
  }
  if (of.size() > kMostNamed) return fmt::format("{} processes", of.size());
  std::vector<std::string> names;
  for (const std::size_t at : of) {
    const std::string& program = processes[at].program;
    names.push_back(
        fmt::format("{} {}", program.substr(program.rfind('/') + 1), processes[at].pid));
  }
  return report::spoken_list(names);
}

/// The hosts of a group of processes. Containers on one machine have names of their own.
std::string host_of(const ClockGroup& group, Processes processes) {
  std::set<std::string> hosts;
  for (const std::size_t at : group.processes) hosts.insert(processes[at].host);
  return listed_briefly({hosts.begin(), hosts.end()});
}

std::string who(const OneClock& clock, Processes processes) {
  std::vector<std::size_t> all(processes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::string kind = !are_ranks(all, processes) ? "" : all.size() == 1 ? "rank " : "ranks ";
  if (clock.groups.size() > kMostNamed) {
    return fmt::format("{}{} of {} hosts", kind, members(all, processes), clock.groups.size());
  }
  std::vector<std::string> parts;
  for (const ClockGroup& group : clock.groups) {
    const bool is_mixed = kind.empty() && are_ranks(group.processes, processes);
    parts.push_back(fmt::format("{}{} of {}", is_mixed ? "ranks " : "",
                                members(group.processes, processes), host_of(group, processes)));
  }
  return kind + report::spoken_list(parts);
}

std::string why_unknown(const OneClock& clock, Processes processes) {
  const bool is_known = clock.agreement == Agreement::kUnsynchronized;
  std::vector<std::string> hosts;  // hosts whose clocks are in that state
  for (const ClockGroup& group : clock.groups) {
    std::string host = host_of(group, processes);
    if (group.realtime.state != (is_known ? State::kUnsynchronized : State::kUnknown)) continue;
    if (std::ranges::count(hosts, host) == 0) hosts.push_back(std::move(host));
  }
  const bool is_one = hosts.size() == 1;
  return is_known
             ? fmt::format("the {} of {} {} not synchronized", is_one ? "clock" : "clocks",
                           listed_briefly(hosts), is_one ? "is" : "are")
             : fmt::format("the traces of {} do not say whether {} synchronized",
                           listed_briefly(hosts), is_one ? "its clock is" : "their clocks are");
}

}  // namespace

std::string Printable::part(std::string_view bytes) {
  const std::string all = waiting_ + std::string(bytes);
  waiting_.clear();
  std::string text;
  for (std::string_view left = all; !left.empty();) {
    const auto* const end = std::ranges::find_if(left, [](char byte) { return !is_plain(byte); });
    text.append(left.begin(), end);
    left.remove_prefix(static_cast<std::size_t>(end - left.begin()));
    if (left.empty()) break;
    const Piece piece = piece_at(left, has_colors_);
    const std::string_view taken = left.substr(0, piece.size);
    if (piece.is_cut) {
      waiting_ = left;
      break;
    }
    text += piece.is_plain ? std::string(taken) : escaped(taken);
    left.remove_prefix(taken.size());
  }
  return text;
}

std::string Printable::rest() {
  const std::string waiting = std::exchange(waiting_, {});
  return escaped(waiting);
}

std::string printable(std::string_view text) {
  Printable whole;
  std::string all = whole.part(text);
  return all + whole.rest();
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char byte : printable(text)) {
    line += byte == '\n' ? escaped("\n") : std::string{byte};
  }
  return line;
}

std::FILE* exact_stdout() { return given_stdout != nullptr ? given_stdout : stdout; }

void make_stdio_printable() {
  given_stdout = stdout;
  static Stream out{STDOUT_FILENO};
  static Stream errors{STDERR_FILENO};
  const bool is_seen = ::isatty(STDOUT_FILENO) == 1;
  if (std::FILE* file = printable_stream(out, is_seen ? _IOLBF : _IOFBF)) stdout = file;
  if (std::FILE* file = printable_stream(errors, _IONBF)) stderr = file;
}

void print_exactly(std::string_view text) {
  std::fflush(stdout);
  std::cout << (::isatty(STDOUT_FILENO) == 1 ? printable(text) : std::string(text));
  std::cout.flush();
  if (std::cout.good()) return;
  if (const std::string lost = lost_output(); !lost.empty()) throw Error(lost);
}

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char character : word) quoted += character == '\'' ? "'\\''" : std::string{character};
  return quoted + '\'';
}

std::string typed_command(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string typed_path(const std::string& path) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  const auto relative = std::filesystem::path(path).lexically_relative(here);
  if (error || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

std::string local_time(std::time_t seconds) {
  std::tm broken_down = {};
  ::localtime_r(&seconds, &broken_down);
  std::array<char, 40> text;
  const std::size_t size = std::strftime(text.data(), text.size(), "%F %T %z", &broken_down);
  return std::string(text.data(), size);
}

std::optional<Nanoseconds> time_of(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"m", 60e9}, {"h", 3600e9}};
  constexpr double kMost = 9e18;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || known == std::end(kUnits)) return std::nullopt;
  const double time = value * known->second;
  // The condition is false for NaN, too.
  if (!(time >= 0 && time <= kMost)) return std::nullopt;
  return std::llround(time);
}

Nanoseconds parse_instant(const char* option, const std::string& text) {
  if (const std::optional<Nanoseconds> time = time_of(text)) return *time;
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("{} {}: {}", option, text, why), Error::Kind::kUsage);
  };
  if (time_of(text + "ns")) {
    throw refuse(fmt::format("has no unit: write it as {0}ms or {0}s", text));
  }
  if (text.starts_with('-') && time_of(text.substr(1))) {
    throw refuse("is before the run: times are counted from its start");
  }
  throw refuse("is no time: write it as 12.5ms, 3s, 800us, 40ns or 2min");
}

std::string clock_words(const OneClock& clock, Processes processes) {
  const std::string all = who(clock, processes);
  if (clock.agreement == Agreement::kOneClock) return all + ": times are of one clock";
  if (clock.agreement == Agreement::kWithin) {
    return fmt::format("{}: times agree to ±{}", all, report::spoken_time(clock.within));
  }
  return fmt::format("{}: how far times agree is not known: {}", all,
                     why_unknown(clock, processes));
}

std::string clock_words(const RealtimeClock& clock) {
  if (clock.state == State::kUnknown) return {};
  if (clock.state == State::kUnsynchronized) return "not synchronized";
  return fmt::format("synchronized, at most {} off", report::spoken_time(clock.max_error));
}

}  // namespace ompdm::cli
