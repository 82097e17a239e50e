# How programs end, and what they do to the process that the recorder lives in.
set(ending_sources ${CMAKE_CURRENT_SOURCE_DIR}/endings)
set(ending_programs_folder ${CMAKE_CURRENT_BINARY_DIR}/endings)

function(add_ending_program name source)
  ompdm_add_offload_program(endings_${name} ${ending_sources}/programs/${source}
    OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${ending_programs_folder} ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY ENDING_PROGRAMS endings_${name})
endfunction()

foreach(name busy die errno odd late plain own_tool modules)
  add_ending_program(${name} ${name}.cpp OPTIONS -std=c++20)
endforeach()
foreach(name stacks own_walk)  # written for x86-64
  add_ending_program(${name} ${name}.c OPTIONS -O1)
endforeach()
add_ending_program(plain_stripped plain.cpp OPTIONS -std=c++20 -s)
add_ending_program(plain_static_libstdcxx plain.cpp OPTIONS -std=c++20 -static-libstdc++)
foreach(name library tool preloaded)
  add_ending_program(endings_${name} ${name}.cpp SHARED OPTIONS -std=c++20)
endforeach()

add_ending_program(linked_tool linked_tool.cpp OPTIONS -std=c++20 LINK endings_endings_tool)

# Libraries without target regions: bound at once, at the first call, without read-only slots; without a build-id; and
# one whose tables lie elsewhere than in the library that it replaces.
function(add_plugin name source)
  add_ending_program(${name} ${source} SHARED DEFAULT_OPTIONS off OPTIONS -std=c++20 -O2
    -Wno-unused-command-line-argument ${ARGN})
endfunction()
add_plugin(plugin plugin.cpp)
add_plugin(slow_now slow_plugin.cpp -Wl,-z,now)
add_plugin(slow_lazy slow_plugin.cpp -Wl,-z,lazy)
add_plugin(slow_now_norelro slow_plugin.cpp -Wl,-z,now,-z,norelro)
add_plugin(slow_lazy_norelro slow_plugin.cpp -Wl,-z,lazy,-z,norelro)
set(far_tables -Wno-unused-command-line-argument
  -Wl,--section-start=omp_offloading_entries=0x40000000,--section-start=llvm_offload_entries=0x40000000)
add_ending_program(rebuilt library.cpp SHARED OPTIONS -std=c++20 ${far_tables})
add_ending_program(nameless library.cpp SHARED OPTIONS -std=c++20
  -Wno-unused-command-line-argument -Wl,--build-id=none)
add_ending_program(rebuilt_nameless library.cpp SHARED OPTIONS -std=c++20
  -Wno-unused-command-line-argument -Wl,--build-id=none ${far_tables})

# What not every compiler's installation has is left out, and its tests say so. Sanitizers do not
# get along with the device's image, so there the target regions are a library's.
function(add_guest_if_possible name options)
  file(WRITE ${ending_programs_folder}/try.cpp
    "#include <cstdio>\nint main() { std::puts(\"\"); }\n")
  execute_process(COMMAND ${OMPDM_OFFLOAD_CXX} ${options} ${ending_programs_folder}/try.cpp
    -o ${ending_programs_folder}/try RESULT_VARIABLE failure OUTPUT_QUIET ERROR_QUIET)
  if(NOT failure)
    add_ending_program(${name} guest.cpp DEFAULT_OPTIONS off LINK endings_endings_library ${ARGN}
      OPTIONS -std=c++20 -g ${options})
  endif()
endfunction()
execute_process(COMMAND ${OMPDM_OFFLOAD_CXX} -print-file-name=libclang_rt.asan-x86_64.so
  OUTPUT_VARIABLE shared_asan OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
cmake_path(GET shared_asan PARENT_PATH shared_asan_folder)
add_guest_if_possible(guest -O2)
add_guest_if_possible(guest_asan -fsanitize=address)
add_guest_if_possible(guest_asan_shared
  "-fsanitize=address;-shared-libasan" -Wl,-rpath,${shared_asan_folder})
add_guest_if_possible(guest_libcxx -stdlib=libc++)

# Runtimes of LLVM 14 to 16 have no EMI callbacks. Debian lets only one version's runtime be installed, so that most
# machines have none beside the tested one; a compiler that has its own in a folder apart can be named here.
set(OMPDM_OLD_OFFLOAD_CXX "" CACHE FILEPATH
  "A clang++ of LLVM 14 to 16 with its OpenMP offload runtime, for one test (empty: search)")
function(add_program_of_old_runtime)
  file(REMOVE ${ending_programs_folder}/old_runtime)
  set(candidates clang++-16 clang++-15 clang++-14)
  if(OMPDM_OLD_OFFLOAD_CXX)
    set(candidates ${OMPDM_OLD_OFFLOAD_CXX})
  endif()
  foreach(compiler ${candidates})
    find_program(found ${compiler} NO_CACHE)
    if(found)
      execute_process(COMMAND ${found} -print-file-name=libomptarget.so OUTPUT_VARIABLE library
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      cmake_path(GET library PARENT_PATH folder)
      execute_process(COMMAND ${found} -std=c++20 -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu
          ${ending_sources}/programs/woken.cpp -o ${ending_programs_folder}/old_runtime
          -Wl,--disable-new-dtags,-rpath,${folder} OUTPUT_QUIET ERROR_QUIET)
      execute_process(COMMAND ${ending_programs_folder}/old_runtime RESULT_VARIABLE status
        OUTPUT_QUIET ERROR_QUIET)
      if(status EQUAL 14)
        return()
      endif()
      file(REMOVE ${ending_programs_folder}/old_runtime)
    endif()
    unset(found)
  endforeach()
endfunction()
add_program_of_old_runtime()

get_property(ending_programs DIRECTORY PROPERTY ENDING_PROGRAMS)
find_program(OMPDM_GXX NAMES g++)
if(OMPDM_GXX)
  add_custom_command(OUTPUT ${ending_programs_folder}/libgomp
    COMMAND ${OMPDM_GXX} -std=c++20 -fopenmp -foffload=disable
      ${ending_sources}/programs/plain.cpp -o ${ending_programs_folder}/libgomp
    DEPENDS ${ending_sources}/programs/plain.cpp ${ending_sources}/programs/steps.h VERBATIM)
  add_custom_target(endings_libgomp ALL DEPENDS ${ending_programs_folder}/libgomp)
  add_dependencies(offload_programs endings_libgomp)
  list(APPEND ending_programs endings_libgomp)
endif()

target_sources(e2e_test PRIVATE endings/place.cpp endings/deaths_test.cpp endings/deeds_test.cpp
  endings/finishing_test.cpp endings/space_test.cpp endings/stacks_test.cpp endings/names_test.cpp endings/company_test.cpp
  endings/modules_test.cpp)
target_compile_definitions(e2e_test PRIVATE OMPDM_ENDINGS_SOURCES="${ending_sources}/programs"
  OMPDM_SHARED_ASAN="${shared_asan}")
add_dependencies(e2e_test ${ending_programs})
