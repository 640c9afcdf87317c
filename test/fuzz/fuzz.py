#!/usr/bin/env python3
"""Differential tests of random combinations: ./dev fuzz

Generates small programs (parts). Each part has random combinations of an element, a view, a projection, an op, a call and a
policy. Compiles parts in parallel and runs each as soon as it is built, until the time is up. A part compares the policy with
wf::seq, and wf::seq with a plain loop, on data drawn from the seed. For a failure it prints a program that shows it.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from choices import (ANSWERS, CALLS, ELEMENTS, FOLDS, FUNCTION_OBJECTS, FUNCTION_OPS, FUNCTIONS, IN_ORDER, KERNELS, LAMBDAS, NAMED,
                     NORMALIZING, NOT_EMULATED, NUMBERS, OPS, PROJECTIONS, VIEWS, WITH_PLACES, WITHOUT_IDENTITY)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LONGEST_RUN = 120  # seconds until a part counts as hung; most take a few

Combination = collections.namedtuple('Combination', 'element view projection op call policy kernel')

FROM_INIT = ('reduce_init', 'accumulate', 'drop_in_std')  # start from the fold of the first element
COUNTED_ROWS = ('reduce_counted_rows', 'reduce_counted_expression', 'transform_counted_rows')
AXIS_CALLS = ('reduce_axis', 'reduce_expression', 'transform_axis', 'normalize_axis', *COUNTED_ROWS)
ALONE = ('par', 'emulated', 'device')  # policies of one GPU or process
SEGMENT_CALLS = {'segments': (*ALONE, 'ranks', 'gpus'),
                 **dict.fromkeys(('placed_segments', 'counted_segments', 'equal_segments', 'keys', 'counted_keys', 'classes',
                                  'counted_classes', 'lists', 'normalize_segments'), ALONE)}
# Calls whose failures are shown with the fuzzer's headers.
JUDGED = ('placed_segments', 'counted_keys', 'counted_classes', *COUNTED_ROWS)
ARRAYS = ('contiguous', 'staged', 'aligned_8', 'aligned_16')  # views that kernels of reduce_axis read
COLLECTIVES = ('in_blocks', 'in_warps')
DROP_INS = (*FOLDS, *ANSWERS)
OF_ARRAYS = (*AXIS_CALLS, 'forms', 'drop_in_std', 'lists', *COLLECTIVES, *DROP_INS)  # take no views
WITHOUT_OP = ('transform', *ANSWERS)  # one op stands for all
WITHOUT_KERNEL = (*AXIS_CALLS, *WITHOUT_OP, *COLLECTIVES, *DROP_INS)

# --- combinations --------------------------------------------------------------------------------


def projected(element, projection):
    """The letter of a projection's result for an element; None if the projection does not take the element."""
    if projection.makes is None:
        return element.letter
    letter = NUMBERS[element.number]
    if letter not in projection.takes:
        return None
    return NUMBERS[projection.makes(element.number)]


def is_possible(c, policies):
    letter = projected(c.element, c.projection)
    if letter is None or c.policy not in policies or not c.view.fits(c.element):
        return False
    if c.element.side == 'cuda' and not policies['has_cuda_types']:
        return False
    if c.view.name == 'where' and (c.call not in ('reduce', 'reduce_init', 'named') or c.op.name in WITH_PLACES):
        # Places count all elements. Without a wait, an op without an identity writes an optional result.
        return False
    if c.view.name == 'counted':
        # Of the kernels for whole ranges, only two read a count.
        if c.call not in (*FROM_INIT, *WITHOUT_OP) and c.op.name in WITHOUT_IDENTITY:
            return False
        if c.kernel is not None and c.kernel.header not in ('single_pass', 'in_order'):
            return False
    if c.policy in ('ranks', 'gpus') and c.call in (*AXIS_CALLS[1:], 'transform'):
        return False
    if c.policy == 'gpus' and c.call in COLLECTIVES:
        return False
    if c.call in ANSWERS and (c.element.letter not in ANSWERS[c.call] or letter not in 'iubfr'):
        return False
    if c.call in DROP_INS and not is_possible_drop_in(c, letter, policies):
        return False
    if c.call in WITHOUT_OP:
        # It uses no op, so every op would be the same combination: take one.
        return c.op.name == 'minimum' and c.kernel is None and (
            letter in c.op.takes or c.projection.makes is None)
    if letter not in c.op.takes or c.call == 'named' and c.op.name not in NAMED:
        return False
    if c.op.name == 'own_plus' and c.projection.makes is not None and letter == 'h':
        return False
    if c.op.name == 'ordered_hash':
        if c.call not in IN_ORDER or c.view.name == 'where' or c.kernel is not None and c.kernel.header != 'in_order':
            return False  # the reference does not know which elements a mask leaves out
        if c.policy in ('ranks', 'gpus') and (c.call in AXIS_CALLS or c.call in SEGMENT_CALLS):
            return False
    if (c.op.name in FUNCTION_OPS) != (c.call in NORMALIZING):
        return False
    if c.op.name in ('log_sum_exp', 'log_softmax') and c.policy in ('device', 'gpus'):
        return False  # the logarithm of a GPU may differ in the last bit
    if c.policy == 'device' and c.op.name.startswith('exact'):
        # A GPU takes accumulators of up to 1024 bytes, so no products of doubles and no complex doubles.
        number = c.element.number if c.projection.makes is None else c.projection.makes(c.element.number)
        if number == 'f64' and (letter == 'c' or c.op.name in ('exact_squares', 'exact_moments')):
            return False
    if c.call in FROM_INIT and (c.op.lifts or c.element.letter == 'r'):
        return False
    if c.call in OF_ARRAYS and c.view.name != 'contiguous':
        return False
    if c.call in WITHOUT_KERNEL and c.kernel is not None:
        return False
    if c.call in COLLECTIVES:
        # A value has one index at most, and a kernel has 48 KB of static shared memory.
        if c.policy not in ('emulated', 'device') or c.op.name in ('sum_min_argmax', 'moments_argmin_or'):
            return False
        if c.op.name.startswith('exact'):
            return False
    if c.call in SEGMENT_CALLS and (c.kernel is not None or c.policy not in SEGMENT_CALLS[c.call]):
        return False
    if c.call == 'equal_segments' and c.policy == 'device' and c.view.name not in ARRAYS:
        return False
    if c.call == 'placed_segments' and c.op.name not in WITH_PLACES:
        return False
    if c.call == 'lists' and c.projection.makes is not None:
        return False  # its ranges lie in memory
    if c.call in ('classes', 'counted_classes') and ('arg' in c.op.name or 'last' in c.op.name):
        return False  # the index is that in the range
    if c.call in SEGMENT_CALLS and c.view.name == 'where':
        return False
    if c.call in SEGMENT_CALLS and c.view.name == 'counted':
        if c.call not in ('segments', 'placed_segments', 'counted_segments', 'normalize_segments') or c.policy not in ALONE:
            return False
    if c.call == 'drop_in_std' and c.policy != 'par':
        return False  # its header includes oneTBB
    if c.kernel is not None and c.policy == 'emulated' and c.kernel.type in NOT_EMULATED:
        return False
    return True


def is_possible_drop_in(c, letter, policies):
    """For a projection's result with that letter."""
    library = c.call.split('_')[0]
    if library == 'std' and c.policy != 'par':
        return False  # its header includes oneTBB
    if library == 'cub' and c.policy != 'device' or c.policy in ('ranks', 'gpus') or not policies['has_cuda_types'] and library != 'std':
        return False
    if c.call in ANSWERS:
        return c.policy != 'emulated' or library == 'thrust'
    _, init, function = FOLDS[c.call]
    if c.op.name not in FUNCTION_OBJECTS[library]:
        return False
    if (init, function) not in (('own', 'own'), ('own', 'void')):
        if letter not in 'iubf':
            return False
    elif letter == 'h' or letter == 'r' and 'plus' not in c.op.name:
        return False  # a sum of halves has no reference, nor have structures with zeros of both signs
    if 'pairs' in c.call and (letter not in 'iuf' or c.element.letter not in 'iuf'):
        return False
    if c.op.name.startswith('bit'):
        return all(FUNCTIONS[x] in 'iu' for x in (init, function))
    return True


def segment_offsets(n, seed):
    """As in calls.hpp."""
    offsets, x = [0], (n * 2654435761 + seed) % 2**32
    while offsets[-1] < n:
        x = (x * 1664525 + 1013904223) % 2**32
        kind = x >> 29
        length = (x >> 20) % 9 + n % 2 if kind < 6 else (x >> 16) % 200 + 1 if kind < 7 else (x >> 8) % n + 1
        offsets.append(min(offsets[-1] + length, n))
    return offsets


def segment_size(n, seed):
    """As in calls.hpp."""
    return next(size for size in range(seed % 40 + 1, 0, -1) if n % size == 0)


def choose(rng, policies):
    def weighted(choices):
        return rng.choices(choices, [x.weight for x in choices])[0]
    while True:
        call = rng.choices(list(CALLS), CALLS.values())[0]
        c = Combination(
            element=rng.choices(ELEMENTS, [2 if e.letter in 'iufh' else 1 for e in ELEMENTS])[0],
            view=VIEWS[0] if call in OF_ARRAYS else weighted(VIEWS),
            projection=weighted(PROJECTIONS),
            op=next(o for o in OPS if o.name == 'minimum') if call in WITHOUT_OP else weighted(OPS),
            call=call,
            policy=rng.choice(policies['names']),
            kernel=None)
        if call not in WITHOUT_KERNEL and c.policy in ('device', 'emulated'):
            if rng.random() < 0.5:
                c = c._replace(kernel=rng.choice(KERNELS))
        if is_possible(c, policies):
            return c


def name_of(c):
    kernel = f'.{c.kernel.type}' if c.kernel else ''
    return f'{c.element.name} {c.view.name} {c.projection.name} {c.op.name} {c.call} {c.policy}{kernel}'


def parse_name(name, policies):
    def find(choices, key, what):
        for x in choices:
            if getattr(x, what) == key:
                return x
        sys.exit(f'error: {key} is not in test/fuzz/choices.py')
    words = name.split()
    if len(words) != 6:
        sys.exit('error: a combination is ELEMENT VIEW PROJECTION OP CALL POLICY[.KERNEL]')
    policy, _, kernel = words[5].partition('.')
    return Combination(find(ELEMENTS, words[0], 'name'), find(VIEWS, words[1], 'name'),
                       find(PROJECTIONS, words[2], 'name'), find(OPS, words[3], 'name'), words[4],
                       policy, find(KERNELS, kernel, 'type') if kernel else None)


def policy_text(c):
    if c.policy in ('ranks', 'gpus'):
        return f'fuzz::{c.policy}'
    return f'wf::{c.policy}' + (f'.with_kernel(wf::kernel::{c.kernel.type}{{}})' if c.kernel else '')


def selection(seed, count, policy, always=()):
    """`count` combinations that cover as many elements, views, projections, ops, calls and kernels as possible."""
    policies = {'names': [policy], policy: True, 'has_cuda_types': policy == 'device'}
    rng, chosen, seen = random.Random(seed), [], set()
    for name in always:
        chosen.append(parse_name(name, policies))
    while len(chosen) < count:
        some = [c for c in (choose(rng, policies) for _ in range(400)) if c.op.name not in LAMBDAS]
        best = max(some, key=lambda c: len(set(c) - seen))
        chosen.append(best)
        for c in chosen:
            seen |= set(c)
    return chosen


def check_text(c):
    """A line of a test file."""
    longest = f', {c.kernel.longest}' if c.kernel and c.kernel.longest else ''
    return (f'  check<{c.element.type}, {c.view.type}, {c.projection.type}, {c.op.name}, {c.call}>(\n'
            f'      "{name_of(c)}", {policy_text(c)}{longest});')


def headers_of(combinations):
    headers = set()
    for c in combinations:
        if c.element.header:
            headers.add(c.element.header)
        if c.kernel:
            folders = ('kernel', 'kernel/ladder')
            folder = next(f for f in folders if (ROOT / f'include/warpfold/{f}/{c.kernel.header}.hpp').exists())
            headers.add(f'<warpfold/{folder}/{c.kernel.header}.hpp>')
        if c.policy in ('par', 'emulated'):
            headers.add(f'<warpfold/policy/{c.policy}.hpp>')
        if c.policy in ('ranks', 'gpus'):
            headers.add(f'"fuzz/{c.policy}.hpp"')
        if c.call in COLLECTIVES:
            headers.add('"fuzz/collectives.hpp"')
        if c.call == 'drop_in_std':
            headers.add('"fuzz/drop_in_std.hpp"')
        elif c.call in DROP_INS:
            headers.add(f'"fuzz/drop_in_{c.call.split("_")[0]}.hpp"')
    return ''.join(f'#include {h}\n' for h in sorted(headers))


def lambda_text(c):
    """The lambda of an op that is one."""
    number = c.element.number if c.projection.makes is None else c.projection.makes(c.element.number)
    t = next(e.type for e in ELEMENTS if e.number == number and e.letter not in 'cr')
    calls = LAMBDAS[c.op.name][0]
    return f'const auto own = [] WARPFOLD_HD(const {t}& a, const {t}& b) {{ return {calls}{{}}(a, b); }};'


def op_type(c):
    """The type of the op, and before it the statements that it needs."""
    if c.op.name not in LAMBDAS:
        return '', c.op.name
    _, reference, by = LAMBDAS[c.op.name]
    return (f'{lambda_text(c)}\n  by_lambda<{reference}, decltype(own)>::value = &own;\n  ', f'{by}<{reference}, decltype(own)>')


def run_text(c):
    longest = f', {c.kernel.longest}' if c.kernel and c.kernel.longest else ''
    before, op = op_type(c)
    return (f'{before}run<{c.element.type}, {c.view.type}, {c.projection.type}, {op}, {c.call}>'
            f'(s, name, {policy_text(c)}{longest});')


def part_text(combinations):
    text = headers_of(combinations) + '\n#include "fuzz/part.hpp"\n\nnamespace fuzz {\nnamespace {\n\n'
    for k, c in enumerate(combinations):
        text += f'void combination_{k}(session& s, const char* name) {{\n  {run_text(c)}\n}}\n'
    text += '\nconst combination all[] = {\n'
    for k, c in enumerate(combinations):
        text += f'    {{"{name_of(c)}", combination_{k}}},\n'
    return text + ('};\n\n}  // namespace\n}  // namespace fuzz\n\n'
                   'int main(int argc, char** argv) { return fuzz::run_all(fuzz::all, argc, argv); }\n')


# --- the shortest program ------------------------------------------------------------------------


def structs():
    """The source of each struct in this folder's headers, by name."""
    found = {}
    for header in ('elements', 'projections', 'views', 'ops'):
        text = (HERE / f'{header}.hpp').read_text()
        pattern = r'^(?:template <[^\n]*>\n(?:  requires[^\n]*\n)?)?(?:struct|class) (\w+)[^;{]*\{.*?^\};\n'
        for m in re.finditer(pattern, text, re.M | re.S):
            found.setdefault(m.group(1), m.group(0))
        pattern = r'^struct (\w+) : [^;{\n]*\{\};\n'
        for m in re.finditer(pattern, text, re.M):
            found.setdefault(m.group(1), m.group(0))
    return found


def needed_structs(types, is_plain):
    """The structs that a program with these types needs, in order, without members that only the fuzzer uses."""
    all_structs, taken = structs(), []

    def take(name):
        if name in taken or name not in all_structs:
            return
        text = re.sub(r'^  template <class N>\n  static bool takes\(.*?^  \}\n', '', all_structs[name],
                      flags=re.M | re.S)
        text = re.sub(r' : (any_number|all_numbers|\w+_numbers|factors) \{', ' {', text)
        if is_plain:
            # For a built-in number the projection is only the expression.
            text = re.sub(r'operator\(\)\(const T& x\) const \{\n    return computed::of\(x, \[\]\((?:const auto& |auto )n\) '
                          r'\{(.*?)\}\);', lambda m: f'operator()(const T& n) const {{\n    {m.group(1).strip()}',
                          text, flags=re.S).replace('using N = decltype(n);', 'using N = T;')
            text = text.replace(' : negate {', ' {')
        texts[name] = text
        for word in re.findall(r'(?<!::)\b[a-z]\w+', text):
            if word != name:
                take(word)
        taken.append(name)

    texts = {}
    for one in types:
        for word in re.findall(r'(?<!::)\b\w+', one):
            take(word)
    return '\n'.join(texts[name] for name in taken)


def op_text(op):
    if op.name in LAMBDAS:
        return 'wf::with_identity(own, 0)' if op.name.endswith('identity') else 'own'
    text = structs()[op.name]
    return re.search(r'static auto op\(\) \{ return (.*?); \}', text).group(1)


# Views of plain arrays, as a user writes them.
SIDE_BY_SIDE = {
    'contiguous': 'std::span<const T>(p, n)',
    'staged': 'wf::staged(std::span<const T>(p, n))',
    'packed': 'wf::packed(std::span<const T>(p, n))',
    'aligned_8': 'wf::aligned<8>(std::span<const T>(p, n))',
    'aligned_16': 'wf::aligned<16>(std::span<const T>(p, n))',
}


def judging_program(c, f, command):
    """A program that shows the failure of a call with several functions, or with a kernel: it uses the fuzzer's headers."""
    before, op = op_type(c)
    values = ''.join(f'  s.values[{i}] = {x if x.startswith("{") else f"T({x})"};\n' for i, x in f['values'].items())
    return f'''// {name_of(c)}
// {f['size']} elements, {f['offset']} bytes from a multiple of 16, seed {f['seed']}: {f['who']} gives
//     {f['got']}
// and the plain loop
//     {f['want']}
// Compiled with: {command}
#include <cstdio>

{headers_of([c])}#include "fuzz/calls.hpp"

int main() {{
  using namespace fuzz;
  using T = {c.element.type};
  sample<T> s;
  s.offset = {f['offset']};
  s.rows = {f['rows']}, s.gap = {f['gap']}, s.by_columns = {str(f['by_columns']).lower()}, s.axis = {f['axis']};
  s.values.assign({f['size']}, T{f['plain'] if f['plain'].startswith('{') else f"({f['plain']})"});
{values}  {before}const verdict v = {c.call}::judge<{c.view.type}, {c.projection.type}, {op}>({policy_text(c)}, s);
  std::printf("%s: %s instead of %s\\n", v.who.c_str(), v.got.c_str(), v.want.c_str());
  return v.ok ? 0 : 1;
}}
'''


def program(c, failure, command):
    """A program of its own that shows the failure."""
    f = failure
    if c.call in (*COLLECTIVES, *DROP_INS, *NORMALIZING, *JUDGED) or c.op.name == 'ordered_hash':
        return judging_program(c, f, command)
    on_gpu = c.policy == 'device'
    view, policy, expression = c.view.type, policy_text(c), op_text(c.op)
    lambdas_line = f'  {lambda_text(c)}\n' if c.op.name in LAMBDAS else ''
    own_op = re.findall(r'\b(add_plainly|greater_of|descending)\b', expression + lambdas_line)
    types = [c.element.type, c.projection.type] + own_op
    side_by_side = SIDE_BY_SIDE.get(c.view.name) if c.element.name != 'bool' else None
    if c.call not in AXIS_CALLS and c.view.name != 'counting' and not side_by_side:
        types.append(view)
    if c.call in AXIS_CALLS:
        types.append('strided')
    if c.call == 'reduce_expression':
        types.append('same_in_both')
    includes = headers_of([c])
    for header in ('op/all', 'op/arg', 'op/arg_by', 'op/moments', 'op/moments_to_4', 'op/exponential_sum', 'op/squares', 'norm', 'reduce', 'reduce_axis', 'reduce_by_class', 'reduce_by_key', 'reduce_many', 'reduce_segments',
                   'transform', 'transform_axis', 'transform_reduce', 'view/iterator', 'view/reverse', 'view/strided'):
        wanted = {'op/all': 'wf::all' in expression, 'op/arg': 'wf::arg' in expression,
                  'op/arg_by': 'arg_by' in expression or 'last()' in expression,
                  'op/moments': 'moments' in expression, 'op/moments_to_4': 'moments_to_4' in expression, 'op/exponential_sum': 'log_sum_exp' in expression, 'op/squares': 'squares' in expression, 'norm': 'norm_2' in expression,
                  'reduce': True, 'reduce_axis': c.call in AXIS_CALLS, 'transform_axis': c.call == 'transform_axis', 'reduce_segments': c.call in ('segments', 'counted_segments', 'equal_segments'),
                  'reduce_by_key': c.call == 'keys', 'reduce_by_class': c.call == 'classes', 'reduce_many': c.call == 'lists',
                  'transform': c.call == 'transform', 'transform_reduce': c.call == 'forms',
                  'view/iterator': c.view.name == 'iterator',
                  'view/reverse': c.view.name == 'reversed', 'view/strided': c.view.name == 'every_third'}
        if wanted[header]:
            includes += f'#include <warpfold/{header}.hpp>\n'
    if on_gpu:
        includes += '#include <warpfold/runtime/buffer.hpp>\n'

    values = ''.join(f'  values[{i}] = T({x});\n' if not x.startswith('{') else f'  values[{i}] = {x};\n'
                     for i, x in f['values'].items())
    plain = f['plain'] if f['plain'].startswith('{') else f"({f['plain']})"
    n = f['size']
    project = '' if c.projection.makes is None else f', {c.projection.type}{{}})'
    if c.view.name == 'counting':
        memory = f'  const std::vector<unsigned char> bytes(1);\n  constexpr std::size_t offset = 0;\n'
        base = f'wf::counting({"values[0]"}, values.size())'
    elif c.call in AXIS_CALLS:
        rows = f['rows']
        columns = n // max(rows, 1)
        pitch = (rows if f['by_columns'] else columns) + f['gap']
        strides = f'{{1, {pitch}}}' if f['by_columns'] else f'{{{pitch}, 1}}'
        place = f'c * {pitch} + r' if f['by_columns'] else f'r * {pitch} + c'
        memory = f'''  constexpr std::size_t offset = {f['offset']}, rows = {rows}, columns = {columns};
  std::vector<unsigned char> bytes(offset + ({(columns - 1) * pitch + rows if f['by_columns'] else (rows - 1) * pitch + columns}) * sizeof(T));
  for (std::size_t r = 0; r < rows; ++r) {{
    for (std::size_t c = 0; c < columns; ++c) {{
      std::memcpy(&bytes[offset + ({place}) * sizeof(T)], &values[r * columns + c], sizeof(T));
    }}
  }}
'''
        if c.call == 'reduce_expression':
            turned = 'r * columns + c' if f['by_columns'] else 'c * rows + r'
            memory += f'''  const std::size_t turned = bytes.size() - offset;
  bytes.resize(offset + 2 * turned + rows + columns, same_in_both<{c.projection.type}>::mark);
  for (std::size_t r = 0; r < rows; ++r) {{
    for (std::size_t c = 0; c < columns; ++c) {{
      std::memcpy(&bytes[offset + turned + ({turned}) * sizeof(T)], &values[r * columns + c], sizeof(T));
    }}
  }}
'''
        base = ''
    elif side_by_side:
        memory = f'''  constexpr std::size_t offset = {f['offset']};
  std::vector<unsigned char> bytes(offset + n * sizeof(T));
  std::memcpy(bytes.data() + offset, values.data(), n * sizeof(T));
'''
        base = side_by_side.replace('(p, n)', '(reinterpret_cast<const T*>(p), n)')
    else:
        memory = f'''  constexpr std::size_t offset = {f['offset']};
  std::vector<unsigned char> bytes(offset + {view}::bytes<T>(n));
  for (std::size_t i = 0; i < n; ++i) {{
    {view}::write(bytes.data() + offset, n, i, values[i], values[(i * 7 + 3) % n]);
  }}
'''
        if c.view.name == 'counted':
            memory += f'  {view}::write_count<T>(bytes.data() + offset, n);\n'
        base = f'{view}::of<T>(p, n)'
    ranged = f'wf::project({base}{project}' if project else base
    if c.call in AXIS_CALLS:
        full_op = f'wf::all(wf::projected({expression}, {c.projection.type}{{}}))' if project else expression
        value, folded, several = 'T', 'm', ''
        if c.call == 'reduce_expression':
            along = f['axis'] if f['gap'] % 2 == 0 else 1 - f['axis']
            other = f'{{columns, 1}}' if f['by_columns'] else '{1, rows}'
            function = f'same_in_both<{c.projection.type}>{{}}'
            full_op, folded = expression, 'e'
            several = (f'const strided<const T, 2> other(reinterpret_cast<const T*>(p + turned), {{rows, columns}}, {other});\n'
                       f'    const std::span<const unsigned char> marks(p + 2 * turned, {"rows" if along == 0 else "columns"});\n'
                       f'    const auto e = wf::project(wf::zip(m, other, wf::broadcast<{along}>(marks)), {function});\n    ')
            value = f'std::remove_cvref_t<decltype({c.projection.type}{{}}(values[0]))>'
        count = n // max(rows, 1) if f['axis'] == 0 else rows
        writes = c.call == 'transform_axis'
        call_of_axis = f"wf::reduce_axis<{f['axis']}>(policy, {folded}, op, out);"
        if writes:
            call_of_axis = (f"wf::transform_axis<{f['axis']}>(policy, m, op, out,\n"
                            '                          [] WARPFOLD_HD(const T&, const result& fold) { return fold; });')
        call = f'''const strided<const T, 2> m(reinterpret_cast<const T*>(p), {{rows, columns}}, {strides});
    {several}const auto op = {full_op};
    using result = wf::detail::axis_result_t<{value}, decltype(op)>;
    std::vector<result> results({n if writes else count});
    OUTPUT
    {call_of_axis}
    COPIED
    return results;'''
    elif c.call == 'segments':
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    const std::vector<int> offsets{{{', '.join(map(str, segment_offsets(n, f['offset'])))}}};
    std::vector<result> results(offsets.size() - 1);
    wf::reduce_segments(policy, {ranged}, offsets, {expression}, results);
    return results;'''
    elif c.call == 'counted_segments':
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    const std::vector<int> offsets{{{', '.join(map(str, segment_offsets(n, f['offset'])))}, 1, 1 << 30}};
    const std::size_t count = offsets.size() - 3;
    std::vector<result> results(offsets.size() - 1);
    wf::reduce_segments(policy, {ranged}, wf::counted(offsets, &count), {expression}, results);
    results.resize(count);
    return results;'''
    elif c.call == 'equal_segments':
        size = segment_size(n, f['offset'])
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    std::vector<result> results({n // size});
    OUTPUT
    wf::reduce_segments(policy, {ranged}, wf::segments_of_size({size}), {expression}, out);
    COPIED
    return results;'''
    elif c.call == 'lists':
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    const std::vector<int> offsets{{{', '.join(map(str, segment_offsets(n, f['offset'])))}}};
    std::vector<std::span<const T>> ranges;
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {{
      ranges.push_back({{reinterpret_cast<const T*>(p) + offsets[k], std::size_t(offsets[k + 1] - offsets[k])}});
    }}
    std::vector<const T*> pointers;
    std::vector<int> sizes;
    for (const auto& r : ranges) {{
      pointers.push_back(r.data());
      sizes.push_back(static_cast<int>(r.size()));
    }}
    std::vector<result> results(ranges.size());
    OUTPUT
    LISTED
    if (offset / alignof(T) % 2 == 1) {{
      wf::reduce_many(policy, wf::ranges_at(listed_pointers, listed_sizes), {expression}, out);
    }} else {{
      wf::reduce_many(policy, ranges, {expression}, out);
    }}
    COPIED
    return results;'''
    elif c.call == 'keys':
        offsets = sorted(set(segment_offsets(n, f['offset'])))
        keys = [k % 3 for k, (first, last) in enumerate(zip(offsets, offsets[1:])) for _ in range(last - first)]
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    const std::vector<int> keys{{{', '.join(map(str, keys))}}};
    std::vector<int> runs({len(offsets) - 1});
    std::vector<result> results(runs.size());
    wf::reduce_by_key(policy, keys, {ranged}, {expression}, runs, results);
    return results;'''
    elif c.call == 'classes':
        count = f['offset'] % 9 + 1
        call = f'''using result = decltype(wf::reduce(policy, {ranged}, {expression}));
    std::vector<signed char> labels(n);
    for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<signed char>(i % {count});
    std::vector<result> results({count});
    wf::reduce_by_class(policy, labels, {ranged}, {count}, {expression}, results);
    return results;'''
    elif c.call == 'transform':
        call = f'''using result = std::remove_cvref_t<decltype({c.projection.type}{{}}(values[0]))>;
    std::vector<result> results({'n + n / 2 + 3' if c.view.name == 'counted' else 'n'});
    OUTPUT
    wf::transform(policy, {base}, out, {c.projection.type}{{}});
    COPIED
    return results;'''
    elif c.call == 'forms':
        call = f'''const T* const first = reinterpret_cast<const T*>(p);
    return wf::transform_reduce(policy, first, {'n' if n % 2 == 0 else 'first + n'}, {expression}, {c.projection.type}{{}});'''
    elif c.call == 'drop_in_std':
        call = f'''const T* const array = reinterpret_cast<const T*>(p);
    const auto init = wf::reduce(wf::seq, wf::project(first, {c.projection.type}{{}}), {expression});
    return wf::drop_in::std::transform_reduce(policy, array, array + values.size(), init, {expression}, {c.projection.type}{{}});'''
    elif c.call in FROM_INIT:
        call = f'''const auto init = wf::reduce(wf::seq, wf::project(first, {c.projection.type}{{}}), {expression});
    return wf::reduce(policy, {ranged}, init, {expression});'''
    else:
        call = f'return wf::reduce(policy, {ranged}, {expression});'
    first = ''
    if c.call in FROM_INIT:
        first = '  const std::vector<T> first(values.begin(), values.begin() + 1);\n  values.erase(values.begin());\n'

    def on(gpu):
        text = call
        if gpu:
            text = text.replace('OUTPUT', 'wf::device_buffer<result> there(results.size());\n'
                                '    const std::span<result> out(there.data(), results.size());')
            text = text.replace('LISTED', 'const wf::device_buffer<const T*> listed_pointers(pointers);\n'
                                '    const wf::device_buffer<int> listed_sizes(sizes);')
            text = text.replace('COPIED', 'cudaMemcpy(results.data(), there.data(), results.size() * sizeof(result), '
                                'cudaMemcpyDeviceToHost);')
        else:
            text = text.replace('LISTED', 'const auto& listed_pointers = pointers;\n    const auto& listed_sizes = sizes;')
            text = text.replace('OUTPUT', 'auto& out = results;').replace('    COPIED\n', '')
        return text
    if c.call in (*AXIS_CALLS, 'transform', 'lists') and on_gpu:
        lambdas = (f'  const auto by_seq = [&](const auto& policy, const unsigned char* p) {{\n    {on(False)}\n  }};\n'
                   f'  const auto by_policy = [&](const auto& policy, const unsigned char* p) {{\n    {on(True)}\n  }};\n')
    else:
        lambdas = (f'  const auto by_policy = [&](const auto& policy, const unsigned char* p) {{\n    {on(False)}\n'
                   '  };\n  const auto& by_seq = by_policy;\n')
    there = '  const wf::device_buffer<unsigned char> there(bytes);\n' if on_gpu else ''
    deque = '#include <deque>\n' if c.element.name == 'bool' else ''
    data = 'there.data()' if on_gpu else 'bytes.data()'
    return f'''// {name_of(c)}
// {n} elements, {f['offset']} bytes from a multiple of 16, seed {f['seed']}: {f['who']} gives
//     {f['got']}
// and the plain loop
//     {f['want']}
// Compiled with: {command}
#include <cstdio>
#include <cstring>
{deque}#include <span>
#include <vector>

{includes}
namespace wf = warpfold;

{needed_structs(types, c.element.letter in 'iufb')}
template <class R>
void print(const char* who, const R& r) {{
  if constexpr (requires {{ r.value, r.index; }}) {{
    print(who, r.value);
    std::printf("%s: at %zu\\n", who, r.index);
  }} else if constexpr (requires {{ r.begin(); }}) {{
    for (const auto& one : r) print(who, one);
  }} else if constexpr (requires {{ r.tail; }}) {{
    print(who, r.head);
    print(who, r.tail);
  }} else if constexpr (std::is_integral_v<R>) {{
    std::printf("%s: %lld\\n", who, static_cast<long long>(r));
  }} else if constexpr (requires {{ static_cast<double>(r); }}) {{
    std::printf("%s: %.17g\\n", who, static_cast<double>(r));
  }} else {{
    std::printf("%s:", who);
    for (std::size_t i = 0; i < sizeof r; ++i) {{
      std::printf(" %02x", reinterpret_cast<const unsigned char*>(&r)[i]);
    }}
    std::printf("\\n");
  }}
}}

int main() {{
  using T = {c.element.type};
  {'std::deque' if c.element.name == 'bool' else 'std::vector'}<T> values({n}, T{plain});
{values}{first}  [[maybe_unused]] const std::size_t n = values.size();
{memory}{there}{lambdas_line}{lambdas}
  print("seq", by_seq(wf::seq, bytes.data() + offset));
  print("{c.policy}", by_policy({policy}, {data} + offset));
}}
'''


# --- compilers -----------------------------------------------------------------------------------


class Toolchain:
    SANITIZERS = {'asan': '-fsanitize=address', 'ubsan': '-fsanitize=undefined', 'tsan': '-fsanitize=thread'}

    def __init__(self, host, sanitizer, folder):
        self.host = host
        self.folder = folder
        include = [f'-I{ROOT}/include', f'-I{ROOT}/test']
        self.environment = dict(os.environ)
        self.libraries = ['-lpthread', '-ldl']
        cuda = os.environ.get('CUDACXX') or shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc') or ''
        if host:
            self.compiler = os.environ.get('CXX', 'g++')
            # With sanitizers most of the time goes into compiling; -O0 shortens it.
            self.flags = ['-std=c++20', '-O0' if sanitizer else '-O1', '-g1'] + include
            cuda_include = pathlib.Path(cuda).resolve().parent.parent / 'include' if cuda else None
            if cuda_include and cuda_include.is_dir():
                self.flags += ['-isystem', str(cuda_include)]
                if (cuda_include / 'cccl').is_dir():
                    self.flags += ['-isystem', str(cuda_include / 'cccl')]
            if sanitizer:
                self.flags += [self.SANITIZERS[sanitizer], '-fno-omit-frame-pointer']
            if sanitizer == 'ubsan':
                self.flags += ['-fno-sanitize-recover=all']
            if sanitizer == 'tsan':
                self.flags += ['-isystem', f'{HERE}/threads']  # in place of oneTBB; see there
        else:
            self.compiler = cuda or sys.exit('error: no nvcc here; --host needs none')
            gpu = output_of(['nvidia-smi', '--query-gpu=compute_cap', '--format=csv,noheader'])
            architecture = 'sm_' + gpu.split()[0].replace('.', '') if gpu else sys.exit(
                'error: no GPU here (nvidia-smi finds none); --host needs none')
            self.flags = ['-std=c++20', '-O3', f'-arch={architecture}', '--extended-lambda', '-Xcompiler=-O1'] + include
        self.policies = self.find_policies(sanitizer)

    def find_policies(self, sanitizer):
        if not self.host:
            return {'names': ['device'], 'device': True, 'has_cuda_types': True}
        found = {'names': ['seq'], 'seq': True, 'has_cuda_types': self.compiles('#include <cuda_fp16.h>\n')}
        for policy, header, library in (('par', 'oneapi/tbb.h', '-ltbb'), ('ranks', 'oneapi/tbb.h', '-ltbb'),
                                        ('emulated', 'boost/context/fiber.hpp', '-lboost_context'),
                                        ('gpus', 'boost/context/fiber.hpp', '-lboost_context')):
            if policy in ('emulated', 'gpus') and sanitizer == 'tsan':
                continue  # ThreadSanitizer does not know that a fiber switches stacks
            if self.compiles(f'#include <{header}>\nint main() {{}}\n', [library]):
                found['names'].append(policy)
                found[policy] = True
                if library not in self.libraries:
                    self.libraries.append(library)
            else:
                print(f'not tested: {policy}, because <{header}> was not found', flush=True)
        # wf::seq is compared with the plain loop in each of them.
        if len(found['names']) > 1:
            found['names'].remove('seq')
        return found

    def compiles(self, text, libraries=()):
        mode = ['-o', str(self.folder / 'probe')] if libraries else ['-fsyntax-only']
        return subprocess.run([self.compiler, *self.flags, '-x', 'c++', '-', *mode, *libraries], input=text,
                              text=True, capture_output=True).returncode == 0

    def command(self, source, binary):
        return [self.compiler, *self.flags, str(source), '-o', str(binary), *self.libraries]

    @property
    def suffix(self):
        return '.cpp' if self.host else '.cu'


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ''


# --- the run -------------------------------------------------------------------------------------


class Fuzzing:
    def __init__(self, options):
        self.options = options
        self.folder = ROOT / 'build' / 'fuzz'
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.tools = Toolchain(options.host, options.sanitizer, self.folder)
        self.begin = time.monotonic()
        self.end = self.begin + options.seconds
        self.rng = random.Random(options.seed)
        self.lock = threading.Lock()
        self.gpu = threading.Semaphore(4)  # parts that run at a time
        self.tried = set()
        self.ran = set()
        self.failed = set()
        self.binaries = []
        self.parts = self.calls = 0
        self.failures = []
        self.compile_seconds = []

    # -- one part

    def next_part(self):
        with self.lock:
            number = self.parts
            self.parts += 1
            if self.options.only:
                return number, [parse_name(self.options.only, self.tools.policies)]
            chosen = []
            while len(chosen) < self.options.cases:
                c = choose(self.rng, self.tools.policies)
                if self.options.op in c.op.name and name_of(c) not in self.tried:
                    self.tried.add(name_of(c))
                    chosen.append(c)
            return number, chosen

    def run_process(self, command, seconds):
        """Exit code, output and errors of a process; the exit code is None if it took too long."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.tools.environment, errors='replace', start_new_session=True)
        try:
            out, err = process.communicate(timeout=max(seconds, 1))
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # nvcc's own children too
            out, err = process.communicate()
            return None, out, err

    def compile(self, number, combinations, label=''):
        source = self.folder / f'part_{number}{label}{self.tools.suffix}'
        binary = self.folder / f'part_{number}{label}'
        source.write_text(part_text(combinations))
        code, _, err = self.run_process(self.tools.command(source, binary), self.left())
        return (binary if code == 0 else None), code, err

    def left(self):
        return self.end - time.monotonic()

    def do_part(self):
        number, combinations = self.next_part()
        start = time.monotonic()
        binary, code, error = self.compile(number, combinations)
        if binary is None and code is None:
            return  # the time is up
        with self.lock:
            self.compile_seconds.append(time.monotonic() - start)
        if binary is None:
            # A combination that does not compile is a failure. Build each combination alone to find it.
            good = []
            for k, c in enumerate(combinations):
                alone, code, error = self.compile(number, [c], f'_{k}')
                if code is None:
                    return
                if alone is None:
                    self.report(c, {'who': 'the compiler', 'got': first_error(error), 'want': 'code',
                                    'source': f'build/fuzz/part_{number}_{k}{self.tools.suffix}'})
                else:
                    good.append((alone, [c]))
        else:
            good = [(binary, combinations)]
        for binary, some in good:
            with self.lock:
                self.binaries.append((binary, some))
            self.run_part(binary, some, self.options.seed)

    def run_part(self, binary, combinations, seed):
        first = 0
        while first < len(combinations):
            with self.gpu:
                code, out, err = self.run_process([str(binary), str(seed), str(first)], LONGEST_RUN)
            done = 0
            for line in out.splitlines():
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if 'done' in event:
                    done += 1
                    with self.lock:
                        self.calls += event['calls']
                        if event['calls']:
                            self.ran.add(event['done'])
                elif 'failure' in event:
                    self.report(next(c for c in combinations if name_of(c) == event['failure']), event)
            first += done
            if first >= len(combinations):
                break
            if code == 3:
                first += 1  # it was reported
                continue
            what = f'no end after {LONGEST_RUN} s' if code is None else f'exit code {code}'
            self.report(combinations[first], {'who': 'the process', 'got': f'{what}: {last_words(err)}',
                                              'want': 'an end', 'stderr': err[:6000], 'seed': seed})
            first += 1

    # -- failures

    def report(self, c, failure):
        name = name_of(c)
        with self.lock:
            if name in self.failed:
                return
            self.failed.add(name)
            number = len(self.failures) + 1
            self.failures.append({'combination': name, **{k: failure[k] for k in
                                  ('seed', 'size', 'offset', 'who', 'got', 'want') if k in failure}})
            print(f'FAILED: {name}\n    {failure["who"]}: {failure["got"]}\n    plain loop: {failure["want"]}', flush=True)
            print(f'    again: ./dev fuzz {"--host " if self.tools.host else ""}'
                  f'{"--" + self.options.sanitizer + " " if self.options.sanitizer else ""}'
                  f'--seed {failure.get("seed", self.options.seed)} --only "{name}"', flush=True)
            if 'source' in failure:
                print(f'    source: {failure["source"]}', flush=True)
            if 'stderr' in failure:
                print(failure['stderr'], flush=True)
            if 'values' not in failure:
                return
            source = self.folder / f'failure_{number}{self.tools.suffix}'
            command = ' '.join(self.tools.command(source.relative_to(ROOT), 'a.out')).replace(f'{ROOT}/', '')
            source.write_text(program(c, failure, command))
            print(f'    program: {source.relative_to(ROOT)}', flush=True)
            if number <= self.options.show:
                print(source.read_text(), flush=True)

    # -- all parts

    def worker(self):
        while self.left() > 0:
            if self.options.only and self.parts:
                return
            with self.lock:
                typical = max(self.compile_seconds[-20:], default=0)
                binaries = list(self.binaries)
            if self.options.parts and self.parts >= self.options.parts or self.left() < 1.2 * typical:
                # The time is too short to compile another part: run an existing one with other data.
                if not binaries:
                    return
                binary, combinations = binaries[random.randrange(len(binaries))]
                self.run_part(binary, combinations, random.randrange(1 << 32))
            else:
                self.do_part()

    def say(self):
        print(f'    {time.monotonic() - self.begin:5.0f} s: {len(self.ran)} combinations in {len(self.binaries)} parts, '
              f'{self.calls} calls, {len(self.failures)} failures', flush=True)

    def run(self):
        o = self.options
        print(f'seed {o.seed}, {o.seconds:g} s, {o.jobs} jobs; {self.tools.compiler} {" ".join(self.tools.flags)}', flush=True)
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            workers = [pool.submit(self.worker) for _ in range(o.jobs)]
            said = time.monotonic()
            while not all(w.done() for w in workers):
                time.sleep(0.2)
                if time.monotonic() - said > (5 if sys.stdout.isatty() else 30):
                    self.say()
                    said = time.monotonic()
            for w in workers:
                w.result()
        self.say()
        results = pathlib.Path(os.environ.get('WARPFOLD_RESULTS', ROOT / 'benchmarks' / 'results'))
        if o.json or not o.only:
            self.write(pathlib.Path(o.json or results / self.results_folder() / 'fuzz.json'))
        if not self.ran and not self.failures:
            print('error: no combination was tried; allow more --seconds')
            return 1
        return 1 if self.failures else 0

    def results_folder(self):
        return 'host' if self.options.host else os.environ.get('WARPFOLD_GPU_FOLDER', 'gpu')

    def write(self, path):
        o = self.options
        commit = os.environ.get('WARPFOLD_COMMIT') or output_of(['git', '-C', str(ROOT), 'rev-parse', 'HEAD'])
        where = platform.processor() or platform.machine()
        gpu = output_of(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'])
        if self.tools.host:
            model = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text())
            where = model.group(1) if model else where
        record = {
            'commit': commit or 'unknown',
            'date': datetime.date.today().isoformat(),
            'machine': where if self.tools.host else gpu.splitlines()[0] if gpu else 'no GPU',
            'compiler': output_of([self.tools.compiler, '--version']).splitlines()[-1 if not self.tools.host else 0],
            'flags': ' '.join(f for f in self.tools.flags if not f.startswith('-I') and not f.startswith('/')
                              and f != '-isystem'),
            'policies': self.tools.policies['names'],
            'ops': f'those with "{o.op}" in their names' if o.op else 'all',
            'sanitizer': o.sanitizer or 'none',
            'seconds': round(time.monotonic() - self.begin),
            'seed': o.seed,
            'parts': len(self.binaries),
            'combinations': len(self.ran),
            'calls': self.calls,
            'failed_combinations': len(self.failures),
            'failures': self.failures[:100],
        }
        # Append to the earlier runs of the record at that path, or else of the repository's record.
        known = next((f for f in (path, ROOT / 'benchmarks' / 'results' / self.results_folder() / 'fuzz.json')
                      if f.exists()), None)
        runs = (json.loads(known.read_text())['runs'] if known else []) + [record]
        totals = {k: sum(r[k] for r in runs) for k in ('seconds', 'combinations', 'calls', 'failed_combinations')}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**totals, 'runs': runs}, indent=1) + '\n')
        print(f'wrote {path}')


def first_error(text):
    found = re.search(r'^.*\berror\b.*$', text, re.M)
    return found.group(0)[-400:] if found else text[-400:]


def last_words(text):
    found = re.search(r'^.*(ERROR: |runtime error|WARNING: ThreadSanitizer|terminate|what\(\)).*$', text, re.M)
    return found.group(0) if found else text.strip()[-200:]


def main():
    parser = argparse.ArgumentParser(prog='./dev fuzz', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seconds', type=float, default=120, help='seconds of the run (default: 120)')
    parser.add_argument('--seed', type=int, help='seed of combinations and data; default: random')
    parser.add_argument('--parts', type=int, default=0, help='at most this many parts; default: as many as the time allows')
    parser.add_argument('--cases', type=int, default=12, help='combinations per part (default: 12)')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='compilers and parts that run in parallel; default: one per core')
    parser.add_argument('--host', action='store_true', help='test wf::seq, wf::par, wf::emulated and wf::across; needs no GPU')
    parser.add_argument('--only', metavar='COMBINATION', help='try only this combination, as a failure prints it')
    parser.add_argument('--op', metavar='TEXT', default='', help='try only ops with this text in their names')
    parser.add_argument('--show', type=int, default=5, help='print the programs of this many failures (default: 5)')
    parser.add_argument('--select', nargs=2, metavar=('COUNT', 'POLICY'), help="print lines for the tests' fixed selection")
    parser.add_argument('--json', metavar='FILE', help='append the record to FILE; default: a file in benchmarks/results/')
    for sanitizer in Toolchain.SANITIZERS:
        parser.add_argument(f'--{sanitizer}', dest='sanitizer', action='store_const', const=sanitizer,
                            help='with this sanitizer; --host only')
    options = parser.parse_args()
    if options.sanitizer and not options.host:
        parser.error('sanitizers are for --host')
    if options.seed is None:
        options.seed = random.randrange(1 << 32)
    if options.select:
        count, policy = int(options.select[0]), options.select[1]
        chosen = selection(options.seed, count, policy, [f'i32 contiguous negate maximum reduce {policy}'])
        print(headers_of(chosen) + '\n'.join(check_text(c) for c in chosen))
        return 0
    return Fuzzing(options).run()


if __name__ == '__main__':
    sys.exit(main())
