# Warnings and sanitizers for the project's own targets: link `ompdm_options` privately.
add_library(ompdm_options INTERFACE)
target_compile_options(ompdm_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion
  # g++ 12 takes a moved-from std::variant of strings for uninitialised (GCC bug 105593 and its kin), and at -O3 a
  # text put before a std::string for one that overlaps it (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict> $<$<BOOL:${OMPDM_WERROR}>:-Werror>)
if(OMPDM_SANITIZE)
  string(REPLACE ";" "," ompdm_sanitizers "${OMPDM_SANITIZE}")
  target_compile_options(ompdm_options INTERFACE -fsanitize=${ompdm_sanitizers}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ompdm_options INTERFACE -fsanitize=${ompdm_sanitizers})
endif()
