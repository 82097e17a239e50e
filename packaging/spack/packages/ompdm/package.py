"""ompdm for Spack, from a clone of its repository: `spack repo add packaging/spack`, then, in the clone,
`spack dev-build ompdm@0.2.0`. simdjson is among Spack's own packages from Spack 1.0 on."""

from spack.package import *


class Ompdm(CMakePackage):
    """Shows where data movement dominates in OpenMP-offload programs, and how to stop it."""

    # No archive is published yet: the version is that of the clone it is built from.
    version("0.2.0")

    variant("edit", default=False, description="ompdm-edit, by which `ompdm fix` writes patches")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type=("build", "run"))
    depends_on("cli11", type="build")
    depends_on("xxhash", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json")
    depends_on("simdjson")
    depends_on("zlib-api")
    depends_on("elfutils")
    depends_on("capstone")
    depends_on("sqlite")
    depends_on("llvm@19 +clang", when="+edit")

    conflicts("platform=darwin", msg="the recorder is for Linux")
    conflicts("platform=windows", msg="the recorder is for Linux")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("OMPDM_BUILD_TESTS", False),
            self.define("OMPDM_BUILD_KERNELS", False),
            self.define_from_variant("OMPDM_EDIT", "edit"),
        ]
        if self.spec.satisfies("+edit"):
            include = join_path(self.spec["llvm"].prefix, "include")
            args.append(self.define("OMPDM_CLANG_INCLUDE", include))
        return args

    def setup_run_environment(self, env):
        env.set("OMPDM_ROOT", self.prefix)
