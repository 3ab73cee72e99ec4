# `cmake --install`: the program, libattend.so, the headers of include/attend, attendConfig.cmake,
# attend.pc and, for C, attend-c.pc. The installed tree is relocatable.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS attend_attend EXPORT attend
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT attend FILE attendConfig.cmake NAMESPACE attend:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/attend COMPONENT development)

# Until 1.0, programs need the minor version they were written for.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attendConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attendConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/attend COMPONENT development)

file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
# Programs in C need no standard of C++.
foreach(name attend attend-c)
  set(pkgconfig_name ${name})
  set(pkgconfig_standard "-std=c++20 ")
  if(name STREQUAL "attend-c")
    set(pkgconfig_standard "")
  endif()
  configure_file(cmake/attend.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

if(TARGET attend_program)
  install(TARGETS attend_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

# What `attend page` puts into pages, if `make wasm` has made it.
install(FILES ${PROJECT_SOURCE_DIR}/build/wasm/page/attend.js ${PROJECT_SOURCE_DIR}/build/wasm/page/attend.wasm
        DESTINATION ${CMAKE_INSTALL_DATADIR}/attend/browser COMPONENT browser OPTIONAL)
