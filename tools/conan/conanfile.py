"""The recipe of warpfold for Conan 2: conan create tools/conan -s compiler.cppstd=20"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class Warpfold(ConanFile):
    name = "warpfold"
    description = "Reductions for C++20 and CUDA"
    topics = ("cuda", "gpu", "reduction", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    @property
    def _project(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        config = load(self, os.path.join(self._project, "include/warpfold/core/config.hpp"))
        self.version = ".".join(re.findall(r"#define WARPFOLD_VERSION_[MP]\w+ (\d+)", config))

    def export_sources(self):
        for pattern in ("include/*", "cmake/*", "CMakeLists.txt", "LICENSE"):
            copy(self, pattern, self._project, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()  # headers: one package for all settings

    def generate(self):
        toolchain = CMakeToolchain(self)
        for what in ("TESTS", "BENCHMARKS", "PROGRAM"):
            toolchain.cache_variables[f"WARPFOLD_BUILD_{what}"] = False
        toolchain.generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install(component="development")

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # The package's own files for find_package, which have its components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/warpfold"]
