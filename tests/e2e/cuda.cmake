# Programs for an NVIDIA GPU under LLVM's own CUDA plugin, on the stand-in driver and CUPTI.
if(NOT OMPDM_HAVE_STANDIN)
  message(STATUS "WARNING: no stand-in CUDA: the tests of asynchronous devices are left out")
  return()
endif()
set(cuda_programs ${CMAKE_CURRENT_BINARY_DIR}/cuda)

function(add_cuda_program name)
  ompdm_add_offload_program(cuda_${name} ${ARGN} DEFAULT_OPTIONS off
    OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${cuda_programs})
  set_property(DIRECTORY APPEND PROPERTY CUDA_PROGRAMS cuda_${name})
endfunction()
foreach(name beside late peers pinned shapes storm)
  add_cuda_program(${name} ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${name}.c C OPTIONS ${OMPDM_STANDIN_OPTIONS})
endforeach()
# Programs that were written for other tests: kernels do nothing here, so what these compute is wrong.
foreach(name always api api_async conditions declare_target firstprivate huge mapper nested_data nowait_depend
    parallel_regions reductions reused same_line strided_update struct_members)
  add_cuda_program(${name} ${e2e_sources}/${name}.c C OPTIONS ${OMPDM_STANDIN_OPTIONS})
endforeach()
foreach(name classes templates threads)
  add_cuda_program(${name} ${e2e_sources}/${name}.cpp OPTIONS ${OMPDM_STANDIN_OPTIONS} -std=c++20)
endforeach()
foreach(name plain plain_peers)
  add_executable(cuda_${name} ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${name}.c)
  set_target_properties(cuda_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${cuda_programs})
  target_link_libraries(cuda_${name} PRIVATE standin_cuda)
endforeach()

get_property(cuda_built DIRECTORY PROPERTY CUDA_PROGRAMS)
add_executable(e2e_cuda_test cuda/activities_test.cpp cuda/failures_test.cpp cuda/findings_test.cpp
  cuda/injection_test.cpp cuda/peers_test.cpp cuda/places_test.cpp cuda/waits_test.cpp cuda/met.cpp cuda/tallies_test.cpp)
target_link_libraries(e2e_cuda_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
target_compile_definitions(e2e_cuda_test PRIVATE OMPDM_CUDA_PROGRAMS="${cuda_programs}"
  OMPDM_STANDIN_LIBRARIES="${OMPDM_STANDIN_LIBRARIES}")
add_dependencies(e2e_cuda_test ${cuda_built} cuda_plain cuda_plain_peers standin)
ompdm_discover_tests(e2e_cuda_test PREFIX e2e.cuda. LABELS e2e TIMEOUT 120 PRE_TEST)
