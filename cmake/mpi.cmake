# attend_mpi.so: messages between the processes of a training, where MPI is installed. The program opens it when mpirun or srun has started
# it, and only then, so that it runs without MPI; nor do the packages have it. `cmake --install BUILD --component mpi` installs it.
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "No MPI (libopenmpi-dev): training will run in one process")
  return()
endif()
add_library(attend_mpi MODULE src/plugins/mpi.cpp)
target_include_directories(attend_mpi PRIVATE src)
# MPI's own C++ interface is not used.
target_compile_definitions(attend_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(attend_mpi PRIVATE MPI::MPI_CXX)
target_link_options(attend_mpi PRIVATE -Wl,--as-needed)
set_target_properties(attend_mpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(attend_program attend_mpi)
if(ATTEND_INSTALL)
  install(TARGETS attend_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/attend COMPONENT mpi EXCLUDE_FROM_ALL)
endif()
