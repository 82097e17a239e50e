# Makes one archive of what an installed ompdm with GPU kernels needs, but libc and the driver:
#   cmake -DSTAGE=folder -DLIBRARY_DIR=folder-of-libomptarget -DCUPTI=libcupti -DARCHIVE=file -P bundle.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB archives "${STAGE}/lib/*.a")  # for programs that link to ompdm; none is built there
if(archives)
  file(REMOVE ${archives})
endif()

file(GLOB executables "${STAGE}/bin/*" "${STAGE}/bin/kernels/*")
list(FILTER executables EXCLUDE REGEX "/bin/kernels$")
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${executables}
  LIBRARIES "${LIBRARY_DIR}/libomptarget.so" "${LIBRARY_DIR}/libomp.so.5"
  DIRECTORIES "${LIBRARY_DIR}"
  RESOLVED_DEPENDENCIES_VAR libraries
  CONFLICTING_DEPENDENCIES_PREFIX twice
  UNRESOLVED_DEPENDENCIES_VAR missing
  # glibc is the machine's own; the driver too.
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so" "^libcuda\\.so"
  POST_EXCLUDE_REGEXES "/libcuda\\.so")
if(missing)
  message(FATAL_ERROR "gpu_bundle: these libraries were not found: ${missing}")
endif()
# A library that is installed, too, where the compiler was unpacked beside it.
foreach(name IN LISTS twice_FILENAMES)
  list(GET twice_${name} 0 library)
  list(APPEND libraries "${library}")
endforeach()
foreach(library IN LISTS libraries)
  file(COPY "${library}" DESTINATION "${STAGE}/lib/runtime" FOLLOW_SYMLINK_CHAIN)
endforeach()
# LLVM's libomptarget looks for this name to tell tools of its events; no package installs it.
file(CREATE_LINK libomp.so.5 "${STAGE}/lib/runtime/libomp.so" SYMBOLIC)
file(COPY "${CUPTI}" DESTINATION "${STAGE}/lib/cupti")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/run" DESTINATION "${STAGE}")

get_filename_component(folder "${STAGE}" NAME)
get_filename_component(parent "${STAGE}" DIRECTORY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cJf "${ARCHIVE}" "${folder}"
  WORKING_DIRECTORY "${parent}" COMMAND_ERROR_IS_FATAL ANY)
file(SIZE "${ARCHIVE}" size)
math(EXPR megabytes "${size} / 1000000")
message(STATUS "${ARCHIVE}: ${megabytes} MB. On the machine with the GPU: tar xf, then ${folder}/run")
