// A line that says what takes long: on a terminal only, after a second, gone when it is done.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace ompdm::cli {

/// How many bytes a file has, as one says it: " (412 MB)"; empty if that is not known.
std::string size_of_file(const std::string& path);

/// Says "ompdm: DOING, 12 s" for as long as it lives, once that is longer than `after`; nothing
/// where `terminal` is none. What else is written there meanwhile comes after clear_line().
class Progress {
 public:
  explicit Progress(const std::string& doing,
                    std::chrono::milliseconds after = std::chrono::seconds(1),
                    int terminal = STDERR_FILENO);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Back to the line's begin, and what stands there away.
  static void clear_line(int terminal = STDERR_FILENO);

 private:
  void run(std::chrono::milliseconds after);
  void draw() const;

  std::string text_;
  int terminal_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread drawer_;
};

}  // namespace ompdm::cli
