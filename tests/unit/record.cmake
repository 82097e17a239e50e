# The recorder inside a test program, driven by a fake runtime; once as libompdm.so has it, once under ThreadSanitizer.
set(record_sources record/fake_runtime.cpp record/recording.cpp record/regions_test.cpp
  record/forks_test.cpp record/hand_over_test.cpp record/hazards_test.cpp record/names_test.cpp record/buffers_test.cpp record/sites_test.cpp
  record/map_items_test.cpp record/message_test.cpp record/output_name_test.cpp
  record/digest_test.cpp record/budget_test.cpp record/content_test.cpp record/content_sampling_test.cpp
  record/callers_test.cpp record/activities_test.cpp record/cancellation_test.cpp record/spool_folder_test.cpp
  record/modules_test.cpp record/next_runtime_test.cpp record/stream_test.cpp record/path_table_test.cpp record/unwind_test.cpp
  record/clocks_test.cpp record/counted_activities_test.cpp record/spool_limit_test.cpp record/counted_calls_test.cpp)
# By its name the recorder takes it for the offload runtime.
add_library(offload_stand_in SHARED record/offload_stand_in.cpp)
set_target_properties(offload_stand_in PROPERTIES OUTPUT_NAME omptarget SUFFIX .so.0
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/offload_stand_in)

function(add_record_test name prefix label)
  add_executable(${name} ${record_sources})
  target_link_libraries(${name} PRIVATE ompdm_options ${ARGN} xxhash ompdm_analysis ompdm_trace ompdm_spool GTest::gtest_main
    Threads::Threads ${CMAKE_DL_LIBS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/libompdm ${CMAKE_CURRENT_SOURCE_DIR} ${tests_root})
  target_compile_definitions(${name} PRIVATE OMPDM_STANDIN_LIBRARIES="${OMPDM_STANDIN_LIBRARIES}"
    OMPDM_OFFLOAD_STAND_IN="$<TARGET_FILE:offload_stand_in>")
  add_dependencies(${name} standin offload_stand_in)
  ompdm_discover_tests(${name} PREFIX ${prefix} LABELS ${label} TIMEOUT 120)
endfunction()
if(OMPDM_SANITIZE)
  add_record_test(record_test record. "unit;quick" ompdm_record_sanitized)
else()
  add_record_test(record_test record. "unit;quick" ompdm_record_objects ompdm_digest)
  # The reader of the spools is not instrumented: only the recorder has threads.
  if(OMPDM_TSAN_RUNS)
    add_record_test(record_tsan_test tsan. tsan ompdm_record_sanitized ompdm_sanitized)
  else()
    message(STATUS "WARNING: no program with ThreadSanitizer runs here: the recorder's tests under it are left out")
  endif()
endif()

add_test(NAME unit.record_layers COMMAND ${CMAKE_COMMAND} -DRECORD=${PROJECT_SOURCE_DIR}/libompdm/record
  -P ${CMAKE_CURRENT_SOURCE_DIR}/record/layers.cmake)
set_tests_properties(unit.record_layers PROPERTIES LABELS "unit;quick" TIMEOUT 60)

# The library itself, as a file.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT OMPDM_SANITIZE)
  target_sources(record_test PRIVATE record/library_test.cpp)
  target_link_libraries(record_test PRIVATE PkgConfig::libelf)
  target_compile_definitions(record_test PRIVATE OMPDM_RECORDER="$<TARGET_FILE:ompdm_record>")
  add_dependencies(record_test ompdm_record)
endif()
