// The compile tests' own check: a file that does not compile.
// expect: static assertion failed: on purpose
static_assert(false, "on purpose");
