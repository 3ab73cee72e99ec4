# `make package`: a .deb with the program, the library, its headers and its documentation. Its dependencies are read from the binaries.
# The pages lie as in the source tree, so that their links hold.
install(FILES README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md TYPE DOC COMPONENT documentation)
install(DIRECTORY docs TYPE DOC COMPONENT documentation)
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/attend COMPONENT documentation)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attend)
set(CPACK_PACKAGE_CONTACT "attend maintainers <maintainers@attend.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "train and run Transformers: translation, text, classification")
set(CPACK_PACKAGE_DESCRIPTION "A program and a C++ library that train and run Transformers on the
processor: translators, language models and text classifiers. A model is
one file. Neither Python nor a graphics card is needed.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Debian wants a trigger that runs ldconfig, which CMake 4 makes. CMake 3 writes the scripts postinst and postrm instead, unless they are named
# here; that they are not there leaves them out.
if(CMAKE_VERSION VERSION_LESS 4)
  set(control ${PROJECT_BINARY_DIR}/control)
  file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/postinst ${control}/postrm)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()

# The two files required by Debian policy. SOURCE_DATE_EPOCH sets the date of a reproducible build.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(cmake/debian_copyright.in ${PROJECT_BINARY_DIR}/copyright @ONLY)
  configure_file(cmake/debian_changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
  execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelog.gz TYPE DOC COMPONENT documentation)
endif()
include(CPack)
