# Warnings and sanitizers for the project's own targets: link `ompdm_options` privately.

# Errors by default with the compilers that are known to find nothing, so that scripts/demo and scripts/test build with
# the same flags, and a compiler that nobody has tried yet builds all the same.
set(ompdm_werror OFF)
if(PROJECT_IS_TOP_LEVEL AND ((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.") OR
    (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^19\\.")))
  set(ompdm_werror ON)
endif()
option(OMPDM_WERROR "Treat warnings as errors" ${ompdm_werror})

# Most of a source's compile time goes into the standard library's templates, which each source instantiates again. So a
# library's sources are compiled sixteen at once. Names in anonymous namespaces are unique in a library.
set(CMAKE_UNITY_BUILD ${OMPDM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# The command line, the words of a report and parts of tests need no speed: -O1 takes two thirds of the time to compile.
function(ompdm_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

add_library(ompdm_options INTERFACE)
target_compile_options(ompdm_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion
  # g++ 12 takes a moved-from std::variant of strings for uninitialised (GCC bug 105593 and its kin), and at -O3 a
  # text put before a std::string for one that overlaps it (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # clang speaks of the deprecated function that std::stable_sort calls in the headers of GCC 12.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict> $<$<BOOL:${OMPDM_WERROR}>:-Werror>)

# Link target of what is instrumented: with the preset's sanitizers, in a preset without with ThreadSanitizer, for the
# recorder's own tests. OMPDM_TSAN_RUNS: programs with ThreadSanitizer start here, which some kernels prevent.
set(ompdm_sanitizers "${OMPDM_SANITIZE}")
if(NOT OMPDM_SANITIZE)
  set(ompdm_sanitizers thread)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
  check_cxx_source_runs("int main() { return 0; }" OMPDM_TSAN_RUNS)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
list(JOIN ompdm_sanitizers "," ompdm_sanitizers)
add_library(ompdm_sanitized INTERFACE)
target_compile_definitions(ompdm_sanitized INTERFACE OMPDM_SANITIZED)
target_compile_options(ompdm_sanitized INTERFACE -fsanitize=${ompdm_sanitizers} -fno-sanitize-recover=all
  -fno-omit-frame-pointer)
target_link_options(ompdm_sanitized INTERFACE -fsanitize=${ompdm_sanitizers})
if(OMPDM_SANITIZE)
  target_link_libraries(ompdm_options INTERFACE ompdm_sanitized)
endif()
