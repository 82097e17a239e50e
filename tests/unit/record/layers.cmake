# Each layer of libompdm/record uses the layers before it alone: reads the includes. Run with -DRECORD=libompdm/record.
set(layers # from the ground up, each a list of files without their endings
  "config recorder clock process_facts digest ompt old_glibc"
  "loaded_objects entry_points got_patch modules"
  "hashing spool_name spool_writer thread_buffer unwind call_paths sites definitions device_blocks"
  "cupti_api cupti_check cupti cupti_activities"
  "ompt_callbacks regions data_ops aggregates wrappers wrappers_x86_64"
  "callback_delivery finish attach")
set(depth 0)
foreach(layer IN LISTS layers)
  string(REPLACE " " ";" names "${layer}")
  foreach(name IN LISTS names)
    set(depth_of_${name} ${depth})
  endforeach()
  math(EXPR depth "${depth} + 1")
endforeach()
set(failures "")
file(GLOB_RECURSE sources ${RECORD}/*.h ${RECORD}/*.cpp ${RECORD}/*.S)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  if(NOT DEFINED depth_of_${name})
    string(APPEND failures "${source}: of no layer\n")
    continue()
  endif()
  file(STRINGS ${source} includes REGEX "^#include \"record/.*\\.h\"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"record/(.*)\\.h\"" "\\1" used "${include}")
    if(NOT DEFINED depth_of_${used} OR depth_of_${used} GREATER depth_of_${name})
      string(APPEND failures "${source}: ${include}\n")
    endif()
  endforeach()
endforeach()
if(failures)
  message(FATAL_ERROR "A layer uses one above it:\n${failures}")
endif()
