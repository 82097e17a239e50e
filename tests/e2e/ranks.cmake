# Jobs of real ranks under OpenMPI and MPICH, where they are installed: with their calls where the headers are, too; those
# of tests/slurm make none.
set(ranks_folder ${CMAKE_CURRENT_BINARY_DIR}/ranks)
file(MAKE_DIRECTORY ${ranks_folder})
target_sources(e2e_test PRIVATE ranks_test.cpp job_files_test.cpp job_leftovers_test.cpp)
target_link_libraries(e2e_test PRIVATE ompdm_test_support)
target_compile_definitions(e2e_test PRIVATE OMPDM_RANKS_FOLDER="${ranks_folder}")

foreach(mpi openmpi mpich slurm)
  find_program(OMPDM_MPICC_${mpi} mpicc.${mpi})
  set(compile ${OMPDM_OFFLOAD_C})
  if(OMPDM_MPICC_${mpi})
    set(with_mpi ${CMAKE_COMMAND} -E env OMPI_CC=${OMPDM_OFFLOAD_C} MPICH_CC=${OMPDM_OFFLOAD_C} ${OMPDM_MPICC_${mpi}})
    execute_process(COMMAND ${with_mpi} -fsyntax-only -include mpi.h -x c /dev/null
      RESULT_VARIABLE no_header OUTPUT_QUIET ERROR_QUIET)
    if(no_header EQUAL 0)
      set(compile ${with_mpi} -DWITH_MPI)
    endif()
  endif()
  add_custom_command(OUTPUT ${ranks_folder}/${mpi}
    COMMAND ${compile} -g -O1 -fopenmp -fopenmp-targets=${OMPDM_OFFLOAD_TARGETS}
      -Wl,-rpath,${OMPDM_OFFLOAD_LIBRARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/ranks/ranks.c -o ${ranks_folder}/${mpi}
    DEPENDS ranks/ranks.c VERBATIM COMMENT "Building a rank of ${mpi}")
  set(programs ${ranks_folder}/${mpi})
  # A job whose ranks exchange data: by way of the host, and from device to device.
  if(compile MATCHES WITH_MPI)
    list(REMOVE_ITEM compile -DWITH_MPI)
    foreach(way staged direct)
      set(halo ${ranks_folder}/${mpi}_halo_${way})
      string(TOUPPER ${way} definition)
      add_custom_command(OUTPUT ${halo}
        COMMAND ${compile} -D${definition} -g -O1 -fopenmp -fopenmp-targets=${OMPDM_OFFLOAD_TARGETS}
          -Wl,-rpath,${OMPDM_OFFLOAD_LIBRARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/ranks/halo.c -o ${halo}
        DEPENDS ranks/halo.c VERBATIM COMMENT "Building ranks of ${mpi} that exchange data (${way})")
      list(APPEND programs ${halo})
    endforeach()
  endif()
  add_custom_target(ranks_${mpi} ALL DEPENDS ${programs})
  add_dependencies(e2e_test ranks_${mpi})
  add_dependencies(offload_programs ranks_${mpi})
endforeach()
