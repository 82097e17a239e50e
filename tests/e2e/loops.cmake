# Loops of several shapes in a real program, without marks in its source.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_e2e_program(loops ${CMAKE_CURRENT_SOURCE_DIR}/loops/loops.c C)
# The same without the tables by which a stack can be walked.
add_e2e_program(loops_untabled ${CMAKE_CURRENT_SOURCE_DIR}/loops/loops.c C OPTIONS
  -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions)
add_e2e_program(other_cycle ${CMAKE_CURRENT_SOURCE_DIR}/loops/other_cycle.c C OPTIONS -g -O2)
add_e2e_program(two_vectors ${CMAKE_CURRENT_SOURCE_DIR}/loops/two_vectors.cpp OPTIONS -std=c++20 -g -O2)
add_e2e_program(halves ${CMAKE_CURRENT_SOURCE_DIR}/loops/halves.cpp OPTIONS -std=c++20 -g -O2)
foreach(level O1 O3)
  add_e2e_program(begins_${level} ${CMAKE_CURRENT_SOURCE_DIR}/loops/begins.cpp OPTIONS -std=c++20 -g -${level})
endforeach()
foreach(level O0 O2)
  foreach(name shapes forms)
    add_e2e_program(${name}_${level} ${CMAKE_CURRENT_SOURCE_DIR}/loops/${name}.cpp OPTIONS -std=c++20 -g -${level})
  endforeach()
endforeach()
target_sources(e2e_test PRIVATE loops_test.cpp passes_test.cpp)
add_dependencies(e2e_test e2e_loops e2e_loops_untabled e2e_other_cycle e2e_two_vectors e2e_halves
  e2e_begins_O1 e2e_begins_O3
  e2e_shapes_O0 e2e_shapes_O2 e2e_forms_O0 e2e_forms_O2)
