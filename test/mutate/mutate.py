#!/usr/bin/env python3
"""Puts faults into the headers and finds those that no host test detects: ./dev mutate

The tests are built once, with all faults in them (instrument.py). An environment variable turns one fault on (faults.hpp).
First every test case runs without a fault and records which faults it reaches. Then, for each fault, the test cases that
reach it run with the fault on until one detects it: the test case fails, crashes, or takes more than ten times as long. A
test that takes too long runs once more with more time.

A fault that no test case detects needs either a test, or an entry in equivalent/ that explains why no test can detect it. Each
folder of headers has one file:

    <header, below include/warpfold/>
      was: <the line without comments, with single blanks>
      now: <the line with the fault, as it is printed>; more lines `now:`, or `now: any`
      why: <one sentence>

A `was` or `now` that ends in ... matches every line with that beginning.

Results are appended to results.jsonl in the build folder, and a run continues where the last one stopped. Detected faults
are not tried again, except with --fresh. Other faults are tried only with new test cases.
"""
import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import instrument

here = Path(__file__).resolve().parent
folders = ('kernel', 'collective', 'host', 'op', 'view', 'work', 'policy', 'emulation', 'core', '.')


def say(*words):
    print('   ', *words, flush=True)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# --- the instrumented tree -----------------------------------------------------------------------


class Tree:
    """A copy of the repository in `build/tree`, with faults in its headers."""

    def __init__(self, root, build, only, optimization):
        self.root, self.build, self.tree = root, build, build / 'tree'
        self.objects, self.optimization = build / 'objects', optimization
        self.only = re.compile(only)
        self.left_out_file = build / 'left_out.json'
        self.left_out = set(json.loads(self.left_out_file.read_text())) if self.left_out_file.exists() else set()
        self.headers = {}
        self.faults = []

    def names(self):
        found = [Path('CMakeLists.txt'), Path('LICENSE'), Path('dev')]
        for folder in ('include', 'test', 'cmake', 'src'):
            found += [path.relative_to(self.root) for path in (self.root / folder).rglob('*') if path.is_file()]
        return sorted(str(path) for path in found if '__pycache__' not in path.parts and (self.root / path).is_file())

    def write(self):
        """Copies changed files, and puts the faults into headers."""
        first = 0
        names = self.names()
        for name in names:
            source, to = self.root / name, self.tree / name
            inside = re.fullmatch(r'include/warpfold/(?:(\w+)/)?(?:\w+/)*\w+\.hpp', name)
            if inside and (inside[1] or '.') in folders:
                # A fault keeps its number when other faults are left out or another header is edited.
                header = instrument.Header(name.removeprefix('include/warpfold/'), source.read_text(), first)
                first += 1000  # faults.hpp has room for 262
                if header.next_number >= first:
                    raise SystemExit(f'mutate: more than 1000 faults in {name}')
                if self.only.search(header.name):
                    self.headers[name] = header
                    write_if_changed(to, header.instrumented(self.left_out))
                    continue
            text = source.read_bytes()
            if name == 'test/main.cpp':
                text += (here / 'listener.hpp').read_bytes()
            if not to.exists() or to.read_bytes() != text:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(text)
            shutil.copymode(source, to)  # cmake/compile_with.sh is a launcher of compilers
        known = set(names)
        for path in [*(self.tree / 'include').rglob('*'), *(self.tree / 'test').rglob('*')]:
            if path.is_file() and str(path.relative_to(self.tree)) not in known:
                path.unlink()  # left over from an earlier state
        shutil.copyfile(here / 'faults.hpp', self.build / 'faults.hpp.new')
        write_if_changed(self.build / 'faults.hpp', (self.build / 'faults.hpp.new').read_text())
        self.faults = [fault for header in self.headers.values() for fault in instrument.faults_of(header)]

    def configure(self):
        command = ['cmake', '-S', self.tree, '-B', self.objects, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
                   f'-DCMAKE_CXX_FLAGS=-std=c++20 -w -Wno-narrowing -include {self.build}/faults.hpp',
                   f'-DCMAKE_CXX_FLAGS_DEBUG={self.optimization}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON',
                   '-DWARPFOLD_BUILD_BENCHMARKS=OFF', '-DWARPFOLD_BUILD_PROGRAM=OFF', '-DWARPFOLD_WARNINGS_AS_ERRORS=OFF',
                   '-DCMAKE_CUDA_ARCHITECTURES=90']
        if shutil.which('ccache'):
            command += ['-DCMAKE_CXX_COMPILER_LAUNCHER=ccache', '-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache']
        log = subprocess.run(command, capture_output=True, text=True)
        if log.returncode:
            raise SystemExit(log.stdout + log.stderr)

    def targets(self):
        """The executables of the host tests: {target: path}."""
        listed = json.loads(subprocess.run(['ctest', '--test-dir', self.objects, '--show-only=json-v1'],
                                           capture_output=True, text=True, check=True).stdout)
        found = {}
        for test in listed['tests']:
            name = test['name']
            if name.startswith('host/') or name.startswith('examples/') and (self.tree / 'test' / f'{name}.cpp').exists():
                program = f'{name}_test' if name.startswith('host/') else name
                found['test.' + name.replace('/', '.')] = str(self.objects / 'test' / program)
        return found

    def includes_a_fault(self, target):
        """Whether the source of a target includes a header with faults, directly or not."""
        test = target.removeprefix('test.host.').replace('.', '/')
        sources = [self.tree / 'test' / f'{test}_test.cpp', self.tree / 'test' / f"{target.removeprefix('test.').replace('.', '/')}.cpp"]
        return any(source.exists() and self.reads_a_fault(source) for source in sources)

    @functools.cache
    def reads_a_fault(self, path):
        if str(path.relative_to(self.tree)) in self.headers:
            return True
        names = re.findall(r'^ *# *include [<"]([^>"]+)[>"]', path.read_text(), re.M)
        files = [self.tree / folder / name for name in names for folder in ('include', 'test')]
        # The generated list of kernels.
        files += (self.tree / 'include/warpfold/kernel').rglob('*.hpp') if 'all_kernels.hpp' in names else []
        return any(self.reads_a_fault(file) for file in files if file.exists())

    def leave_out_what_fails(self, output):
        """Removes the faults that cause the compiler's errors; returns how many."""
        before = len(self.left_out)
        # Collects the places from `In file included` or `In instantiation` to the error, and tries the error's own place first.
        # With ccache's base_dir the compiler names files relative to the build folder.
        places = re.compile(rf'^(?:{re.escape(str(self.tree))}|\.\./tree)/(include/warpfold/[\w/]+\.hpp):(\d+):(\d+):(.*)$', re.M)
        chain, texts = [], {}

        def leave_out_near(name, line, column, message):
            header = self.headers.get(name)
            if not header:
                return False
            if name not in texts:
                texts[name] = header.instrumented(self.left_out).splitlines()
            text = texts[name][int(line) - 1]
            marks = [(m.start(), int(m[1])) for m in re.finditer(r'::wf_fault::\w+<(\d+)', text)]
            if not marks:
                return False
            named = {int(n) for n in re.findall(r'\b(?:swapped|next|turned|op|on)<(\d+)', message)} & {n for _, n in marks}
            numbers = named or {min(marks, key=lambda m: abs(m[0] - int(column)))[1]}
            for place in header.places:
                if any(f.number in numbers for f in place.faults):
                    self.left_out.update(f.key for f in place.faults)
            return True

        seen = set()
        for m in places.finditer(output):
            name, line, column, message = m.groups()
            if ' error: ' not in message:
                chain.append((name, line, column))
                continue
            if (name, line) not in seen and not leave_out_near(name, line, column, message):
                for place in reversed(chain):
                    if leave_out_near(*place, ''):
                        break
            seen.add((name, line))
            chain = []
        if len(self.left_out) == before and chain:
            for place in reversed(chain):
                if leave_out_near(*place, ''):
                    break
        self.left_out_file.write_text(json.dumps(sorted(self.left_out), indent=0))
        for name, header in self.headers.items():
            # Keeps the time stamp, so that compiled objects are not built again: they only have a fault that stays off.
            path = self.tree / name
            times = path.stat()
            write_if_changed(path, header.instrumented(self.left_out))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return len(self.left_out) - before

    def make(self, jobs, targets):
        """Builds the targets; removes faults that do not compile."""
        while True:
            log = subprocess.Popen(['ninja', '-C', self.objects, '-k', '0', '-j', str(jobs), *targets], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
            output, last = [], 0.0
            for line in log.stdout:
                output.append(line)
                if line.startswith('[') and time.time() - last > 15:
                    last = time.time()
                    say(line.strip()[:110])
            if log.wait() == 0:
                return
            n = self.leave_out_what_fails(''.join(output))
            if n == 0:
                raise SystemExit(''.join(output)[-8000:] + '\nmutate: the tests do not build, and no fault causes it; repair the build first')
            say(f'{n} more faults do not compile, {len(self.left_out)} in total')


# --- tests ---------------------------------------------------------------------------------------


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    os.setsid()


def run_test(command, variables, timeout, folder):
    """'' if the test passes, else how it failed."""
    with subprocess.Popen(command, env={**os.environ, **variables}, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, preexec_fn=limits) as process:
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return 'time-out'
    if code == 0:
        return ''
    return f'exit {code}' if code > 0 else signal.Signals(-code).name


def digest_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def generated(path):
    """The numbers of the faults for which an executable has code."""
    out = Path(path + '.faults')
    subprocess.run(['objcopy', '-O', 'binary', '--only-section=.wf_faults', '--set-section-flags', '.wf_faults=alloc', path, out], check=True)
    data = out.read_bytes()
    out.unlink()
    return {int.from_bytes(data[i:i + 4], 'little') for i in range(0, len(data), 4)}


def reach_of(name, path, build):
    """The test cases of an executable with the faults that each reaches, and the faults for which it has code."""
    cache = build / 'reach' / f'{name}.json'
    digest = digest_of(path)
    if cache.exists():
        known = json.loads(cache.read_text())
        if known['digest'] == digest:
            return known
    cache.parent.mkdir(exist_ok=True)
    lines_file = build / 'reach' / f'{name}.txt'
    lines_file.unlink(missing_ok=True)
    start = time.time()
    outcome = run_test([path], {'WARPFOLD_FAULT_REACH': str(lines_file)}, 600, build)
    took = time.time() - start
    known = {'digest': digest, 'path': path, 'code': sorted(generated(path)), 'cases': [], 'seconds': took}
    if outcome:
        known['fails'] = outcome
    elif lines_file.exists():
        lines = [line.split('\t') for line in lines_file.read_text().splitlines()]
        cases = [line for line in lines if line[0] == 'case']
        for i, (_, seconds, numbers) in enumerate(cases, 1):
            known['cases'].append({'arguments': [f'--first={i}', f'--last={i}', '--abort-after=1'], 'seconds': float(seconds),
                                   'reaches': [int(n) for n in numbers.split()]})
        if not cases:
            known['cases'].append({'arguments': [], 'seconds': took, 'reaches': [int(n) for n in lines[-1][2].split()]})
    cache.write_text(json.dumps(known))
    return known


# --- the plan and its run ------------------------------------------------------------------------


class Plan:
    """The faults, the test cases that reach each, and the results so far."""

    def __init__(self, folder, faults, reaches, left_out):
        self.folder = folder
        self.faults, self.left_out = faults, left_out
        self.tests, self.reached_by, self.has_code = [], collections.defaultdict(list), set()
        for name, known in sorted(reaches.items()):
            self.has_code.update(known['code'])
            for case in known['cases']:
                test = {'name': f"{name} {' '.join(case['arguments'][:1])}".strip(), 'path': known['path'], 'digest': known['digest'],
                        'arguments': case['arguments'], 'seconds': case['seconds']}
                self.tests.append(test)
                for number in case['reaches']:
                    self.reached_by[number].append(len(self.tests) - 1)
        self.noticed, self.tried = {}, collections.defaultdict(set)
        self.results = folder / 'results.jsonl'
        if self.results.exists():
            for line in self.results.read_text().splitlines():
                result = json.loads(line)
                if result['by']:
                    self.noticed[result['key']] = result
                else:
                    self.noticed.pop(result['key'], None)
                    self.tried[result['key']] = set(result['tried'])
        self.kills, self.tries = collections.Counter(), collections.Counter()

    def state(self, fault):
        if fault.key in self.left_out:
            return 'left out'
        if fault.number not in self.has_code:
            return 'constant'
        if not self.reached_by.get(fault.number):
            return 'unreached'
        if fault.key in self.noticed:
            return 'noticed'
        if self.untried(fault):
            return 'survived in part' if self.tried.get(fault.key) else 'untried'
        return 'survived'

    def untried(self, fault):
        known = self.tried.get(fault.key, ())
        return [t for t in self.reached_by.get(fault.number, []) if self.mark(t) not in known]

    def mark(self, t):
        return f"{self.tests[t]['name']} {self.tests[t]['digest']}"

    def try_one(self, fault, environment, most_seconds):
        def cost(t):
            place = (fault.file, t)
            return (self.tests[t]['seconds'] + 0.01) * (self.tries[place] + 2) / (self.kills[place] + 0.5)
        start = time.time()
        tried = {self.mark(t) for t in self.reached_by[fault.number]} & set(self.tried.get(fault.key, ()))
        for t in sorted(self.untried(fault), key=cost):
            if time.time() - start > most_seconds:
                break
            test = self.tests[t]
            tried.add(self.mark(t))
            self.tries[fault.file, t] += 1
            command, variables = [test['path'], *test['arguments']], {**environment, 'WARPFOLD_FAULT': str(fault.number)}
            how = run_test(command, variables, 10 * test['seconds'] + 2, self.folder)
            if how == 'time-out':  # A busy machine may be as slow: once more, with more time.
                how = run_test(command, variables, 20 * test['seconds'] + 10, self.folder)
            if how:
                self.kills[fault.file, t] += 1
                return {'key': fault.key, 'by': test['name'], 'how': how, 'seconds': round(time.time() - start, 3)}
        return {'key': fault.key, 'by': '', 'seconds': round(time.time() - start, 3), 'tried': sorted(tried)}

    def run(self, chosen, jobs, seconds, environment, most_seconds=float('inf')):
        end = time.time() + seconds if seconds else float('inf')
        start = last = time.time()
        counts = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool, self.results.open('a') as out:
            waiting, running = list(reversed(chosen)), set()
            while waiting or running:
                while waiting and len(running) < jobs and time.time() < end:
                    running.add(pool.submit(self.try_one, waiting.pop(), environment, most_seconds))
                if not running:
                    break
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    out.write(json.dumps(result) + '\n')
                    out.flush()
                    if result['by']:
                        self.noticed[result['key']] = result
                    else:
                        self.tried[result['key']] = set(result['tried'])
                    counts[bool(result['by'])] += 1
                if time.time() - last > 15:
                    last = time.time()
                    say(f'{sum(counts.values())} of {len(chosen)} tried, {counts[False]} not noticed, {last - start:.0f} s')


# --- what is explained, and the table ------------------------------------------------------------


def explanations(folder):
    """[(file, pattern of the line, patterns of the fault, why)] of all files in the folder; the head of this file has their form."""
    return [entry for path in sorted(folder.glob('*.txt')) for entry in explanations_of(path)]


def explanations_of(path):
    found, file = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        if not line.startswith(' '):
            file = line.strip()
            continue
        word, _, text = line.strip().partition(':')
        text = text.strip()
        if word == 'was':
            found.append([file, text, [], ''])
        elif word == 'now' and found:
            found[-1][2].append(text)
        elif word == 'why' and found:
            found[-1][3] = text
        else:
            raise SystemExit(f'{path}:{number}: neither was, now nor why')
    for entry in found:
        if not entry[3] or not entry[2]:
            raise SystemExit(f'{path}: {entry[0]}: {entry[1]}: needs a now and a why')
    return found


def explained(fault, entries, used):
    for i, (file, was, nows, why) in enumerate(entries):
        if file == fault.file and (was == fault.was or was.endswith('...') and fault.was.startswith(was[:-3])) and \
                any(now in ('any', fault.now) or now.endswith('...') and fault.now.startswith(now[:-3]) for now in nows):
            used.add(i)
            return why
    return ''


def folder_of(fault):
    return fault.file.rpartition('/')[0] or '(top)'


def report(plan, entries, only, json_path, root, sampled):
    states = ('faults', 'left out', 'constant', 'untried', 'unreached', 'noticed', 'explained', 'survived', 'survived in part')
    rows = collections.defaultdict(collections.Counter)
    listed, used = [], set()
    for fault in plan.faults:
        if not only.search(fault.file):
            continue
        state, why = plan.state(fault), ''
        if state in ('survived', 'survived in part', 'unreached'):
            why = explained(fault, entries, used)
            listed.append((fault, state, why))
        for row in (rows[folder_of(fault)], rows['all']):
            row['faults'] += 1
            row['explained' if why else state] += 1
    print()
    for fault, state, why in listed:
        if not why:
            print(f'{fault.file}:{fault.line}: {state}\n    {fault.was}\n    {fault.now}')
    print(f"\n{'':12}" + ''.join(f'{s:>{max(len(s), 8) + 2}}' for s in states) + '  not noticed')
    for name in sorted(rows, key=lambda n: (n == 'all', n)):
        row = rows[name]
        not_noticed = row['survived'] + row['survived in part'] + row['unreached']
        tried = row['noticed'] + row['explained'] + not_noticed
        row['percent'] = round(100 * not_noticed / tried, 2) if tried else 0
        print(f'{name:12}' + ''.join(f'{row[s]:{max(len(s), 8) + 2}}' for s in states) + f"{row['percent']:11.2f} %")
    unused = [e for i, e in enumerate(entries) if i not in used and only.search(e[0])]
    for file, was, nows, _ in unused:
        print(f'equivalent: nothing that survived is explained by {file}: {was} -> {" or ".join(nows)}')
    if json_path:
        def compiler():
            return subprocess.run(['g++', '--version'], capture_output=True, text=True).stdout.splitlines()[0]
        record = {
            'commit': os.environ.get('WARPFOLD_COMMIT', 'unknown'), 'compiler': compiler(), 'date': time.strftime('%Y-%m-%d'),
            'tests': sorted({test['name'].split()[0] for test in plan.tests}), 'test_cases': len(plan.tests), 'sampled': sampled,
            'states': {
                'left out': 'does not compile as a fault that is chosen at run time',
                'constant': 'in constant expressions, or in code that no host test instantiates: not tried',
                'untried': 'not tried yet',
                'unreached': 'no test case runs it',
                'explained': 'survived or unreached, and test/mutate/equivalent/ says why',
                'survived in part': 'not noticed so far; some test cases that reach it are untried',
                'percent': 'survived, survived in part and unreached, of all that are tried or unreached'},
            'folders': {name: {s: row[s] for s in (*states, 'percent')} for name, row in sorted(rows.items())},
            'not_noticed': [{'place': f'{f.file}:{f.line}', 'state': state, 'was': f.was, 'now': f.now, **({'why': why} if why else {})}
                            for f, state, why in listed],
        }
        Path(json_path).write_text(json.dumps(record, indent=1, ensure_ascii=False) + '\n')
        say('wrote', json_path)


# --- commands ------------------------------------------------------------------------------------


def carry(plan, to):
    """Makes a folder with everything that a run needs on a machine that cannot build the tests."""
    shutil.rmtree(to, ignore_errors=True)
    (to / 'lib').mkdir(parents=True)
    names = {}
    for path in sorted({test['path'] for test in plan.tests}):
        names[path] = path.split('/test/')[-1].removesuffix('_test').replace('/', '.')
        subprocess.run(['strip', '-o', to / names[path], path], check=True)
        for library in re.findall(r'=> (/\S+)', subprocess.run(['ldd', path], capture_output=True, text=True).stdout):
            if re.search(r'tbb|boost|gomp', library):
                shutil.copy(library, to / 'lib')
    for file in ('mutate.py', 'instrument.py'):
        shutil.copy(here / file, to)
    shutil.copytree(here / 'equivalent', to / 'equivalent')
    faults = [vars(f) for f in plan.faults]
    tests = [{**test, 'path': names[test['path']]} for test in plan.tests]
    (to / 'plan.json').write_text(json.dumps({'faults': faults, 'left_out': sorted(plan.left_out), 'tests': tests,
                                              'code': sorted(plan.has_code), 'reached_by': plan.reached_by}))
    if plan.results.exists():
        shutil.copy(plan.results, to)
    say(f'{to}: python3 {to}/mutate.py --carried {to} --jobs N --seconds S; bring results.jsonl back to {plan.folder}')


def carried(folder):
    known = json.loads((folder / 'plan.json').read_text())
    faults = []
    for f in known['faults']:
        faults.append(instrument.Fault(*(f[k] for k in ('number', 'file', 'line', 'kind', 'was', 'now'))))
        faults[-1].nth = f['nth']
    plan = Plan(folder, faults, {}, set(known['left_out']))
    plan.tests = [{**test, 'path': str(folder / test['path'])} for test in known['tests']]
    plan.has_code = set(known['code'])
    plan.reached_by = {int(k): v for k, v in known['reached_by'].items()}
    return plan


def main():
    parser = argparse.ArgumentParser(prog='./dev mutate', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default='', metavar='REGEX', help='only headers whose path in include/warpfold/ matches; builds only the tests that include one')
    parser.add_argument('--tests', default='', metavar='REGEX', help='only test executables that match, such as op.extrema')
    parser.add_argument('--sample', type=int, metavar='N', help='only N faults, chosen at random with --seed')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, metavar='S', help='start no fault after S seconds')
    parser.add_argument('--each', type=float, default=float('inf'), metavar='S',
                        help='start no test of a fault after S seconds with it; a later run continues')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--build', type=Path, default=Path('build/mutate'), metavar='FOLDER')
    parser.add_argument('--optimization', default='-O1', help=argparse.SUPPRESS)
    parser.add_argument('--fresh', action='store_true', help='forget all results')
    parser.add_argument('--no-build', action='store_true', help='use the existing executables')
    parser.add_argument('--report', action='store_true', help='build and try nothing; print the results so far')
    parser.add_argument('--json', metavar='FILE', help='write the record')
    parser.add_argument('--carry', type=Path, metavar='FOLDER', help='try nothing; make a folder for a run on another machine')
    parser.add_argument('--carried', type=Path, metavar='FOLDER', help='run from a folder that --carry made')
    parser.add_argument('--root', type=Path, default=here.parent.parent, help=argparse.SUPPRESS)
    args = parser.parse_args()
    only, environment = re.compile(args.only), {}

    if args.carried:
        folder = args.carried.resolve()
        plan = carried(folder)
        environment['LD_LIBRARY_PATH'] = f"{folder}/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"
        equivalent = folder / 'equivalent'
    else:
        folder = args.build.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        tree = Tree(args.root.resolve(), folder, args.only, args.optimization)
        build = not args.report and not args.no_build
        tree.write()
        if build:
            tree.configure()
        targets = {name: path for name, path in tree.targets().items() if re.search(args.tests, name) and tree.includes_a_fault(name)}
        if build:
            tree.make(args.jobs, targets)
        targets = {name: path for name, path in targets.items() if Path(path).exists()}
        reaches = {}
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for name, known in pool.map(lambda target: (target[0], reach_of(*target, folder)), targets.items()):
                reaches[name] = known
                if 'fails' in known:
                    say(f"{name}: not run, because it fails without a fault ({known['fails']})")
        if args.fresh:
            (folder / 'results.jsonl').unlink(missing_ok=True)
        plan = Plan(folder, tree.faults, reaches, tree.left_out)
        equivalent = here / 'equivalent'
        if args.carry:
            carry(plan, args.carry.resolve())
            return

    say(f"{len(plan.faults)} faults, {len(plan.left_out)} of them do not compile; {len(plan.tests)} test cases, together "
        f"{sum(t['seconds'] for t in plan.tests):.0f} s")
    chosen = [f for f in plan.faults if only.search(f.file)]
    if args.sample:
        can = [f for f in chosen if plan.state(f) not in ('left out', 'constant', 'unreached')]
        chosen = random.Random(args.seed).sample(can, min(args.sample, len(can)))
    chosen = [f for f in chosen if plan.state(f) in ('untried', 'survived in part')]
    random.Random(args.seed).shuffle(chosen)
    chosen.sort(key=lambda f: len(plan.tried.get(f.key, ())))  # untried faults first
    if not args.report:
        plan.run(chosen, args.jobs, args.seconds, environment, args.each)
    report(plan, explanations(equivalent), only, args.json, args.root, args.sample)


if __name__ == '__main__':
    main()
