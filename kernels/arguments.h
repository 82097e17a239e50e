// What every kernel does before it computes: read the command line, choose a device, print both.
// Nothing here may launch a target region or move a byte: the profile must show the kernel alone.
#pragma once

#include <omp.h>
#include <strings.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

// A positional argument; `value` holds the default until the command line changes it.
struct Size {
  const char* name;
  int value;
  int largest;
};

// One rung of the ladder. Each program has its own type of function for `run`.
template <typename Function>
struct Variant {
  const char* name;
  const char* lesson;
  Function* run;
  bool offloads;
};

// `what` is followed by the word it is about; the wording suits all of them.
[[noreturn]] inline void usage_error(const char* program, const char* what, const char* word) {
  std::fprintf(stderr, "%s: %s '%s': --help shows the usage\n", program, what, word);
  std::exit(2);
}

inline int parse_number(const char* program, const char* what, const char* word, int smallest,
                        int largest) {
  int number = 0;
  const char* end = word + std::strlen(word);
  const auto [stop, error] = std::from_chars(word, end, number);
  if (error != std::errc{} || stop != end || number < smallest || number > largest) {
    char message[100];
    std::snprintf(message, sizeof message, "%s must be between %d and %d, not", what, smallest,
                  largest);
    usage_error(program, message, word);
  }
  return number;
}

template <typename Function>
void print_help(const char* program, std::span<const Size> sizes,
                std::span<const Variant<Function>> variants, const char* default_variant) {
  std::printf("usage: %s [--variant NAME] [--device N]", program);
  for (const Size& size : sizes) std::printf(" [%s]", size.name);
  std::printf("\n       %s --list | --help\n\n", program);
  for (const Size& size : sizes) std::printf("  %s: default %d\n", size.name, size.value);
  std::printf("  NAME: default %s\n\n", default_variant);
  for (const auto& variant : variants) std::printf("  %-11s %s\n", variant.name, variant.lesson);
}

// Tells where the target regions will run. Asking a target region for omp_is_initial_device() would
// be surer, but it would show up in the profile: one more launch, and a flag that crosses twice.
// So ask the host's runtime instead, which counts the devices that have an image in this program.
inline void print_device() {
  const char* policy = std::getenv("OMP_TARGET_OFFLOAD");
  const int device = omp_get_default_device();
  const int devices = omp_get_num_devices();
  if (policy != nullptr && strcasecmp(policy, "DISABLED") == 0) {
    std::printf("device: the host: OMP_TARGET_OFFLOAD is DISABLED\n");
  } else if (devices == 0) {
    std::printf("device: the host: no device can run this program\n");
  } else if (device == omp_get_initial_device()) {
    std::printf("device: the host: %d is the initial device\n", device);
  } else {
    std::printf("device: %d of 0 to %d\n", device, devices - 1);
  }
}

// Returns the chosen variant, by default the first that offloads, and leaves the sizes in `sizes`.
template <typename Function>
const Variant<Function>& parse_arguments(int argc, char** argv, std::span<Size> sizes,
                                         std::span<const Variant<Function>> variants) {
  const char* slash = std::strrchr(argv[0], '/');
  const char* program = slash != nullptr ? slash + 1 : argv[0];
  const Variant<Function>* chosen = &variants[0];
  while (!chosen->offloads) ++chosen;

  std::size_t given = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help") {
      print_help<Function>(program, sizes, variants, chosen->name);
      std::exit(0);
    } else if (word == "--list") {
      for (const auto& variant : variants) std::printf("%-11s %s\n", variant.name, variant.lesson);
      std::exit(0);
    } else if ((word == "--variant" || word == "--device") && i + 1 == argc) {
      usage_error(program, "a value must follow", argv[i]);
    } else if (word == "--variant") {
      chosen = nullptr;
      ++i;
      for (const auto& variant : variants) {
        if (std::string_view(argv[i]) == variant.name) chosen = &variant;
      }
      if (chosen == nullptr) usage_error(program, "there is no variant", argv[i]);
    } else if (word == "--device") {
      // The initial device, which is the host, has the number after the last.
      omp_set_default_device(
          parse_number(program, "the device", argv[++i], 0, omp_get_initial_device()));
    } else if (word.starts_with('-') || given == sizes.size()) {
      usage_error(program, "unexpected argument", argv[i]);
    } else {
      Size& size = sizes[given++];
      size.value = parse_number(program, size.name, argv[i], 1, size.largest);
    }
  }

  const int device = omp_get_default_device();
  if (device < 0 || device > omp_get_initial_device()) {
    usage_error(program, "OMP_DEFAULT_DEVICE: no such device", std::to_string(device).c_str());
  }

  std::printf("%s:", program);
  for (const Size& size : sizes) std::printf(" %s = %d", size.name, size.value);
  std::printf("\nvariant: %s (%s)\n", chosen->name, chosen->lesson);
  if (chosen->offloads) {
    print_device();
  } else {
    std::printf("device: none: the host, without target regions\n");
  }
  std::fflush(stdout);
  return *chosen;
}

// Each version is timed alone: setting up and checking belong to the program, not to the lesson.
inline void print_solve_time(double seconds) { std::printf("solve time: %f s\n", seconds); }
