# Two rungs of heat side by side, as scripts/demo does, and all of them as `ompdm lesson` does.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
target_sources(e2e_test PRIVATE compare_test.cpp)
add_dependencies(e2e_test heat jacobi)
add_test(NAME lesson COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/lesson_test.py
  $<TARGET_FILE:ompdm> ${PROJECT_SOURCE_DIR}/kernels)
set_tests_properties(lesson PROPERTIES LABELS e2e TIMEOUT 300)
