# What the report calls needless in real programs, and what following its advice does.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
set(e2e_findings ${CMAKE_CURRENT_SOURCE_DIR}/findings)
add_e2e_program(needless ${e2e_findings}/needless.c C)
add_e2e_program(contents ${e2e_findings}/contents.c C)
foreach(name interior present kept uses)
  add_e2e_program(${name} ${e2e_findings}/${name}.c C)
endforeach()
set(e2e_harm constant_table keep_the_last computed_twice swapped shared_work no_pass)
foreach(name course_heat heat_advised jacobi_advised devices_split inputs members same_names meanwhile nested one_value_changed pieces scratch
    ${e2e_harm})
  add_e2e_program(${name} ${e2e_findings}/${name}.cpp OPTIONS -std=c++20)
endforeach()
# Of which the report once said what was not so.
set(e2e_cases kept_by_another_name.c products.c ledger_small.cpp w04_nowait_no_wait.c x02_update_wrong_way.c halving.c
  chunks.c made_before.cpp table_and_scratch.c deep.c copied_out_twice.c data_alone.c two_phases.cpp push_pop.c two_loops.c
  # Of which the source alone shows what is needless.
  pure_output.c sent_each_time.c filled_within.c zeros.c needed.cpp)
foreach(source ${e2e_cases})
  string(REGEX REPLACE "[.].*" "" name ${source})
  if(source MATCHES "[.]c$")
    add_e2e_program(${name} ${CMAKE_CURRENT_SOURCE_DIR}/cases/${source} C)
  else()
    add_e2e_program(${name} ${CMAKE_CURRENT_SOURCE_DIR}/cases/${source} OPTIONS -std=c++20)
  endif()
  add_dependencies(e2e_test e2e_${name})
endforeach()
foreach(level O0 O2 O3)
  add_e2e_program(untaken_${level} ${e2e_findings}/untaken.cpp OPTIONS -std=c++20 -g -${level})
endforeach()
list(TRANSFORM e2e_harm PREPEND e2e_ OUTPUT_VARIABLE e2e_harm_targets)
target_sources(e2e_test PRIVATE findings_test.cpp source_doubts_test.cpp source_facts_test.cpp untaken_test.cpp course_test.cpp pieces_test.cpp advice_test.cpp inputs_test.cpp same_words_test.cpp sentences_test.cpp
  present_test.cpp kept_test.cpp harm_test.cpp advice.cpp)
target_compile_definitions(e2e_test PRIVATE OMPDM_E2E_FINDINGS="${e2e_findings}")
add_dependencies(e2e_test vadd pi jacobi heat e2e_needless e2e_contents e2e_interior e2e_present e2e_kept e2e_heat_advised e2e_jacobi_advised
  e2e_course_heat e2e_devices_split e2e_inputs e2e_members e2e_same_names e2e_meanwhile e2e_nested e2e_one_value_changed e2e_pieces e2e_scratch
  e2e_untaken_O0 e2e_untaken_O2 e2e_untaken_O3 ${e2e_harm_targets})
