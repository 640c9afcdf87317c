"""The test of mutate.py: of a header with known faults it finds each, and says which its test does not notice."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import instrument  # noqa: E402

header = '''#pragma once
#include <vector>

/// The sum of those below a limit, at most `most`.
template <class T>
constexpr T sum_below(const std::vector<T>& values, T limit, T most) {
  static_assert(sizeof(T) > 1);
  T sum{};
  for (const T& x : values) {
    if (x < limit) sum += x;
  }
  if (sum > most) sum = most;
  return sum;
}

template <int A, int B>
struct constant {
  static constexpr int value = A + B;
};
'''

# `limit` itself is never among the values, and no sum is just `most`: those two are not noticed.
test = '''#include <tiny.hpp>
static_assert(constant<1, 2>::value == 3);
int main() {
  bool right = sum_below<int>({1, 2, 30}, 10, 100) == 3 && sum_below<int>({50, 60}, 100, 100) == 100;
  return right ? 0 : 1;
}
'''


def check(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')


def main():
    parsed = instrument.Header('tiny.hpp', header, 0)
    faults = instrument.faults_of(parsed)
    found = {(f.was, f.now) for f in faults}
    expected = {
        ('if (x < limit) sum += x;', 'if (x <= limit) sum += x;'),
        ('if (x < limit) sum += x;', 'if (x >= limit) sum += x;'),
        ('if (x < limit) sum += x;', 'if (x < limit) sum -= x;'),
        ('if (x < limit) sum += x;', 'if (x < limit) ;'),
        ('if (sum > most) sum = most;', 'if (sum >= most) sum = most;'),
        ('if (sum > most) sum = most;', 'if (sum <= most) sum = most;'),
        ('if (sum > most) sum = most;', 'if (sum > most) ;'),
    }
    check(found == expected, f'these faults and no others: {found ^ expected}')
    text = parsed.instrumented()
    check(text.count('\n') == header.count('\n'), 'lines keep their numbers')
    check('::wf_fault::' not in parsed.instrumented({f.key for f in faults}), 'a fault can be left out')

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'tiny.hpp').write_text(text)
        (folder / 'test.cpp').write_text(test)
        subprocess.run([sys.argv[1], '-std=c++20', '-w', '-O1', '-include', here / 'faults.hpp', '-I', folder, folder / 'test.cpp',
                        '-o', folder / 'test'], check=True)
        import mutate
        known = mutate.reach_of('test', str(folder / 'test'), folder)
        check('fails' not in known, 'the test passes without a fault')
        check(len(known['cases']) == 1 and set(known['cases'][0]['reaches']) == {f.number for f in faults}, 'all are reached')
        plan = mutate.Plan(folder, faults, {'test': known}, set())
        plan.run([f for f in faults if plan.state(f) == 'untried'], 1, None, {})
        survived = {f.now for f in faults if plan.state(f) == 'survived'}
        check(survived == {'if (x <= limit) sum += x;', 'if (sum >= most) sum = most;'}, f'survivors: {survived}')

        (folder / 'equivalent.txt').write_text('tiny.hpp\n  was: if (sum > most) sum = most;\n  now: if (sum >= most) ...\n  why: equal.\n')
        entries, used = mutate.explanations(folder), set()
        explained = {f.now for f in faults if mutate.explained(f, entries, used)}
        check(explained == {'if (sum >= most) sum = most;'}, f'explained: {explained}')
        again = mutate.Plan(folder, faults, {'test': known}, set())
        check([again.state(f) for f in faults] == [plan.state(f) for f in faults], 'what is known is read again')
        copy = folder / 'copy'
        copy.mkdir()
        tree = mutate.Tree(here.parents[1], copy, '^no_header$', '-O1')
        tree.write()
        check(os.access(copy / 'tree/cmake/compile_with.sh', os.X_OK), 'programs stay executable in the copy')
        tree.configure()  # ends the test if the copy lacks a file that CMake reads
    print('all faults found; two not noticed, as it should be')


main()
