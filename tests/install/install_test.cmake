# Installs the build tree into SCRATCH, builds consumers against it, records with the installed command
# (if PROGRAM is given) and has the consumers read that trace. Then installs a tree in which only what scripts/demo
# builds was built.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

# A path that LD_PRELOAD cannot hold, on purpose.
set(prefix "${SCRATCH}/some prefix")

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}" --strip)
run(${CMAKE_COMMAND} -S "${SOURCE}/consumer" -B "${SCRATCH}/consumer" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}")
run(${CMAKE_COMMAND} --build "${SCRATCH}/consumer")
run("${prefix}/${BINDIR}/ompdm" doctor)
require_files("${prefix}/share" bash-completion/completions/ompdm zsh/site-functions/_ompdm
  fish/vendor_completions.d/ompdm.fish ompdm/lesson/heat.toml ompdm/lesson/product/ladder.toml
  ompdm/python/lesson/ladder.py)
if(MAN)
  require_files("${prefix}/share/man/man1" ompdm.1 ompdm-report.1)
endif()
if(PROGRAM)
  run("${prefix}/${BINDIR}/ompdm" record -o trace.json "${PROGRAM}")
  run("${SCRATCH}/consumer/costliest" trace.json)
  foreach(variable a b c)
    require(" ${variable}\n")
  endforeach()
  # Something crosses, and nothing as long as an exabyte.
  run("${SCRATCH}/consumer/detector" trace.json 1)
  if(NOT output MATCHES "vadd\\.cpp:[0-9]+: oversized transfer" OR
      NOT output MATCHES "\"pattern\": ?\"oversized_transfer\"")
    message(FATAL_ERROR "the foreign detector's finding is not in the report")
  endif()
  run("${SCRATCH}/consumer/detector" trace.json 1000000000000000000)
  if(output MATCHES "oversized")
    message(FATAL_ERROR "the foreign detector found what is not there")
  endif()
endif()

# Its files stand for their being built, which takes minutes.
set(demo "${SCRATCH}/demo")
run(${CMAKE_COMMAND} -S "${PROJECT}" -B "${demo}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}"
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOMPDM_BUILD_TESTS=OFF)
file(GLOB archives RELATIVE "${BUILD}" "${prefix}/${LIBDIR}/libompdm_*.a")
list(TRANSFORM archives REPLACE "^.*/" "lib/")
foreach(file bin/ompdm lib/libompdm.so lib/libompdm-build-log.so ${archives} bin/kernels/heat)
  cmake_path(GET file PARENT_PATH folder)
  if(EXISTS "${BUILD}/${file}")
    file(COPY "${BUILD}/${file}" DESTINATION "${demo}/${folder}")
  endif()
endforeach()
run(${CMAKE_COMMAND} --install "${demo}" --prefix "${SCRATCH}/after the demo")
run("${SCRATCH}/after the demo/${BINDIR}/ompdm" doctor)
