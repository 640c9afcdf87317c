# The rules of `cmake --install`, and the package for find_package(warpfold).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/warpfold")
set(package_build_dir "${CMAKE_CURRENT_BINARY_DIR}/package")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/warpfold-config.cmake.in"
  "${package_build_dir}/warpfold-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${package_build_dir}/warpfold-config-version.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)

install(DIRECTORY include/warpfold DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS warpfold EXPORT warpfold-targets)
install(EXPORT warpfold-targets NAMESPACE warpfold:: DESTINATION "${package_dir}")
install(
  FILES
    "${CMAKE_CURRENT_LIST_DIR}/warpfold_components.cmake"
    "${package_build_dir}/warpfold-config.cmake"
    "${package_build_dir}/warpfold-config-version.cmake"
  DESTINATION "${package_dir}")
