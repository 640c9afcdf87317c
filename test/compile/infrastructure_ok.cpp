// The compile tests' own check: a file that compiles.
// expect: ok
int one() { return 1; }
