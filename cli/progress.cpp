#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "printable.h"

namespace ompdm::cli {
namespace {

constexpr const char* kClearLine = "\r\033[K";

// What is said is not worth a failure.
void put(int terminal, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(terminal, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// As much of a line as does not wrap; whole characters, in so far as they are one column wide.
std::string fitted(std::string line, int terminal) {
  winsize size{};
  if (::ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  if (line.size() < size.ws_col) return line;
  std::size_t end = size.ws_col - 1;
  const auto continues = [&] { return (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80; };
  while (end > 0 && continues()) --end;
  line.resize(end);
  return line;
}

}  // namespace

std::string size_of_file(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return {};
  constexpr std::array kUnits = {"B", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr double kStep = 1000;
  for (; size >= kStep && unit + 1 < kUnits.size(); ++unit) size /= kStep;
  return fmt::format(" ({:.3g} {})", size, kUnits[unit]);
}

Progress::Progress(const std::string& doing, std::chrono::milliseconds after, int terminal)
    : text_(printable("ompdm: " + doing)), terminal_(terminal) {
  if (::isatty(terminal_) != 1) return;
  // A signal is for the thread that waits for it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  drawer_ = std::thread([this, after] { run(after); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  drawer_.join();
}

void Progress::run(std::chrono::milliseconds after) {
  std::unique_lock lock(mutex_);
  const auto is_done = [this] { return done_; };
  if (changed_.wait_for(lock, after, is_done)) return;
  constexpr std::chrono::milliseconds kRedraw{200};
  do {
    draw();
  } while (!changed_.wait_for(lock, kRedraw, is_done));
  put(terminal_, kClearLine);
}

void Progress::clear_line(int terminal) { put(terminal, kClearLine); }

void Progress::draw() const {
  const auto since = std::chrono::steady_clock::now() - begin_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  put(terminal_, kClearLine + fitted(fmt::format("{}, {} s", text_, seconds), terminal_));
}

}  // namespace ompdm::cli
