"""What the fuzzer chooses from: one line for each element, projection, view, op, call and policy.

The structs are those of the headers beside this file. A line says in letters what a choice can be combined with:
i signed integer, u unsigned integer, b bool, h 16-bit float, f float or double, c complex number, r structure.
"""

from collections import namedtuple

Element = namedtuple('Element', 'name type letter size number header side', defaults=('', 'any'))
ELEMENTS = [
    Element('i8', 'signed char', 'i', 1, 'i8'),
    Element('i16', 'short', 'i', 2, 'i16'),
    Element('i32', 'int', 'i', 4, 'i32'),
    Element('i64', 'long long', 'i', 8, 'i64'),
    Element('long', 'long', 'i', 8, 'long'),
    Element('u8', 'unsigned char', 'u', 1, 'u8'),
    Element('char', 'char', 'i', 1, 'char'),
    Element('u16', 'unsigned short', 'u', 2, 'u16'),
    Element('u32', 'unsigned', 'u', 4, 'u32'),
    Element('u64', 'unsigned long long', 'u', 8, 'u64'),
    Element('bool', 'bool', 'b', 1, 'bool'),
    Element('f32', 'float', 'f', 4, 'f32'),
    Element('f64', 'double', 'f', 8, 'f64'),
    Element('f16', '__half', 'h', 2, 'f16', '<cuda_fp16.h>', 'cuda'),
    Element('bf16', '__nv_bfloat16', 'h', 2, 'bf16', '<cuda_bf16.h>', 'cuda'),
    Element('c32', 'complex<float>', 'c', 8, 'f32'),
    Element('c64', 'complex<double>', 'c', 16, 'f64'),
    Element('cuda_c32', 'cuda::std::complex<float>', 'c', 8, 'f32', '<cuda/std/complex>', 'cuda'),
    Element('r3', 'record<signed char, 3>', 'r', 3, 'i8'),
    Element('r5', 'record<unsigned char, 5>', 'r', 5, 'u8'),
    Element('r6', 'record<short, 3>', 'r', 6, 'i16'),
    Element('r12', 'record<int, 3>', 'r', 12, 'i32'),
    Element('r12f', 'record<float, 3>', 'r', 12, 'f32'),
    Element('r16', 'record<int, 4>', 'r', 16, 'i32'),
    Element('r20', 'record<int, 5>', 'r', 20, 'i32'),
    Element('r24', 'record<double, 3>', 'r', 24, 'f64'),
    Element('r28', 'record<float, 7>', 'r', 28, 'f32'),
    Element('r36', 'record<unsigned, 9>', 'r', 36, 'u32'),
    Element('r40', 'record<long long, 5>', 'r', 40, 'i64'),
    Element('r50', 'record<short, 25>', 'r', 50, 'i16'),
    Element('r100', 'record<short, 50>', 'r', 100, 'i16'),
    Element('r128', 'record<float, 32>', 'r', 128, 'f32'),
]

NUMBERS = {e.number: e.letter for e in ELEMENTS if e.letter not in 'cr'}
NARROW = {'i8', 'i16', 'char', 'u8', 'u16', 'bool'}


def promoted(n):
    return 'i32' if n in NARROW else n


def same(n):
    return n


def to(n):
    return lambda _: n


# `takes`: the letters of the numbers that the projection takes; `makes`: the number that it returns for one. All projections but
# `identity` take only the first number of a complex number or structure.
Projection = namedtuple('Projection', 'name type takes makes weight', defaults=(1,))
PROJECTIONS = [
    Projection('identity', 'identity', 'iubhfcr', None, 6),
    Projection('negate', 'negate', 'iuhf', promoted, 3),
    Projection('zero_minus', 'zero_minus', 'iuhf', promoted),
    Projection('absolute', 'absolute', 'ihf', promoted),
    Projection('complement', 'complement', 'iu', promoted),
    Projection('scaled', 'scaled', 'iuhf', promoted),
    Projection('hundred_minus', 'hundred_minus', 'iuhf', promoted),
    Projection('clamp', 'clamp', 'iuhf', same),
    Projection('to_bool', 'to_bool', 'iubhf', to('bool')),
    Projection('to_i8', 'convert<signed char>', 'iuhf', to('i8')),
    Projection('to_i16', 'convert<short>', 'iubhf', to('i16')),
    Projection('to_u16', 'convert<unsigned short>', 'iu', to('u16')),
    Projection('to_i32', 'convert<int>', 'iubhf', to('i32')),
    Projection('to_i64', 'convert<long long>', 'iubhf', to('i64')),
    Projection('to_u64', 'convert<unsigned long long>', 'iu', to('u64')),
    Projection('to_f32', 'convert<float>', 'iubhf', to('f32')),
    Projection('to_f64', 'convert<double>', 'iubhf', to('f64')),
    Projection('negated_int', 'negated_int', 'iuhf', to('i32'), 2),
    Projection('not_const', 'not_const', 'iubhf', same),
]

View = namedtuple('View', 'name type fits weight', defaults=(lambda e: True, 1))
VIEWS = [
    View('contiguous', 'contiguous', lambda e: True, 5),
    View('iterator', 'iterator'),
    View('staged', 'staged'),
    View('packed', 'packed', lambda e: e.size <= 2),
    View('aligned_8', 'aligned<8>', lambda e: e.size % 8 == 0),
    View('aligned_16', 'aligned<16>', lambda e: e.size % 16 == 0),
    View('field_small', 'field<small_holder>'),
    View('field_large', 'field<large_holder>'),
    View('zip', 'zip'),
    View('zip_counting', 'zip_counting'),
    View('matrix_part', 'matrix_part'),
    View('matrix_steps', 'matrix_steps'),
    View('three_dimensions', 'three_dimensions'),
    View('every_second', 'every_second'),
    View('every_third', 'every_third'),
    View('reversed', 'reversed'),
    View('where', 'where', weight=2),
    View('counted', 'counted', lambda e: e.letter in 'iubhf', 2),
    View('counting', 'counting', lambda e: e.letter in 'iu'),
]

# `lifts`: the op folds lifted values, not elements, so it gets no init here.
Op = namedtuple('Op', 'name takes weight lifts', defaults=(1, False))
OPS = [
    Op('plus', 'iubhfcr', 3),
    Op('multiplies', 'iuhfc', 2),
    Op('minimum', 'iubhfr', 2),
    Op('maximum', 'iubhfr', 3),
    Op('nan_minimum', 'iuhf'),
    Op('nan_maximum', 'iuhf'),
    Op('arg_minimum', 'iubhfr', 2, True),
    Op('arg_maximum', 'iubhfr', 2, True),
    Op('arg_nan_maximum', 'hf', 1, True),
    Op('last_minimum', 'iubhfr', 1, True),
    Op('last_maximum', 'iubhf', 1, True),
    Op('arg_by_descending', 'iuf', 1, True),
    Op('bit_and', 'iub'),
    Op('bit_or', 'iub'),
    Op('bit_xor', 'iub'),
    Op('logical_and', 'iubhf'),
    Op('logical_or', 'iubhf'),
    Op('moments', 'iubhf', 2, True),
    Op('moments_to_4', 'iubhf', 1, True),
    Op('log_sum_exp', 'iuhf', 1, True),
    Op('compensated', 'hf', 1, True),
    Op('exact', 'hfc', 1, True),
    Op('exact_to_double', 'hfc', 1, True),
    Op('exact_squares', 'hfc', 1, True),
    Op('exact_moments', 'hf', 1, True),
    Op('squares', 'iuhfc', 1, True),
    Op('norm', 'iuhfc', 1, True),
    Op('min_max', 'iuhf', 2, True),
    Op('sum_min_argmax', 'iuhf', 2, True),
    Op('moments_argmin_or', 'iuhf', 1, True),
    Op('ordered_hash', 'iub', 2, True),
    Op('softmax', 'iuhf', 1, True),
    Op('log_softmax', 'iuhf', 1, True),
    Op('layer_norm', 'iuhf', 1, True),
    Op('rms_norm', 'iuhf', 1, True),
    Op('own_plus', 'iufcr', 2),
    Op('own_plus_with_identity', 'iuf'),
    Op('own_maximum', 'iuf', 2),
    Op('own_changing_maximum', 'iuf'),
    Op('lambda_plus', 'iuf'),
    Op('lambda_plus_with_identity', 'iuf'),
    Op('lambda_maximum', 'iuf'),
]

# Ops whose result has the place of an element.
WITH_PLACES = {'arg_minimum', 'arg_maximum', 'arg_nan_maximum', 'last_minimum', 'last_maximum', 'arg_by_descending',
               'sum_min_argmax', 'moments_argmin_or'}

# Ops whose result is a function of the elements, and the calls that apply it.
FUNCTION_OPS = {'softmax', 'log_softmax', 'layer_norm', 'rms_norm'}
NORMALIZING = ('normalize_axis', 'normalize_segments')

# Ops with a function of their own name.
NAMED = {'plus', 'multiplies', 'minimum', 'maximum'}

# Ops without an identity, which need an init for a counted range.
WITHOUT_IDENTITY = {'last_minimum', 'last_maximum', 'arg_by_descending', 'own_plus', 'own_maximum', 'own_changing_maximum',
                    'lambda_plus', 'lambda_maximum', 'ordered_hash'}

# Calls that fold in the declared order; those of groups only without ranks.
IN_ORDER = {'reduce', 'reduce_async', 'forms', 'reduce_axis', 'reduce_expression', 'transform_axis', 'reduce_counted_rows',
            'reduce_counted_expression', 'transform_counted_rows', 'segments', 'counted_segments', 'equal_segments',
            'keys', 'counted_keys', 'lists'}

# For each lambda: the function that it calls, the op whose reference it uses, and the struct that makes it an op.
LAMBDAS = {
    'lambda_plus': ('add_plainly', 'own_plus', 'by_lambda'),
    'lambda_plus_with_identity': ('add_plainly', 'own_plus', 'by_lambda_with_identity'),
    'lambda_maximum': ('greater_of', 'own_maximum', 'by_lambda'),
}

# Types of the init and of the function object of calls of the drop-in namespaces. `own`: the type that the projection returns.
# `void`: a function object for any types. The standard library folds in the type of the init, so its function object has that type.
INITS = {'own': '', 'std::int8_t': 'i', 'short': 'i', 'int': 'i', 'unsigned': 'u', 'std::int64_t': 'i', 'float': 'f', 'double': 'f'}
FUNCTIONS = {**INITS, 'void': ''}
FOLDS = {
    **{f'{library}_fold<{i},{f}>': (library, i, f) for library in ('thrust', 'cub') for i in INITS for f in FUNCTIONS},
    **{f'std_fold<{i},{f}>': ('std', i, f) for i in INITS for f in (i, 'void')},
    **{f'{library}_pairs<{i}>': (library, i, 'void') for library in ('thrust', 'std') for i in INITS},
}

# Ops with a function object of each library. Minima and maxima of CUB ignore NaN; the standard library has none.
FUNCTION_OBJECTS = {
    'std': {'plus', 'multiplies', 'bit_and', 'bit_or', 'bit_xor', 'logical_and', 'logical_or', 'own_plus', 'own_maximum'},
    'thrust': {'plus', 'multiplies', 'minimum', 'maximum', 'bit_and', 'bit_or', 'bit_xor', 'logical_and', 'logical_or', 'own_plus',
               'own_maximum'},
    'cub': {'plus', 'multiplies', 'nan_minimum', 'nan_maximum', 'bit_and', 'bit_or', 'bit_xor', 'own_plus', 'own_maximum'},
}

# Calls of the drop-in namespaces that use no op, with the letters of the elements that they take.
ANSWERS = {'thrust_places': 'iubfr', 'thrust_questions': 'iubf', 'thrust_outputs': 'iubf', 'std_places': 'iubfr',
           'std_questions': 'iubf'}

CALLS = {'reduce': 12, 'reduce_init': 1, 'reduce_async': 1, 'accumulate': 1, 'forms': 1, 'named': 1, 'reduce_axis': 3,
         'reduce_expression': 2,
         'transform_axis': 2, 'reduce_counted_rows': 1, 'reduce_counted_expression': 1, 'transform_counted_rows': 1, 'segments': 2,
         'placed_segments': 1, 'counted_segments': 1, 'equal_segments': 1, 'keys': 1, 'counted_keys': 1, 'classes': 1,
         'counted_classes': 1, 'lists': 1,
         'normalize_axis': 2, 'normalize_segments': 2, 'transform': 2, 'drop_in_std': 1,
         'in_blocks': 1, 'in_warps': 1,
         **{call: 1 / 8 if '_pairs' in call else 1 / 36 for call in FOLDS}, **dict.fromkeys(ANSWERS, 1 / 2)}

# Kernels reduce whole ranges only. `longest`: the longest range; `atomic` is limited because its elements take a lock in turn.
Kernel = namedtuple('Kernel', 'type header longest', defaults=('',))
KERNELS = [
    Kernel('atomic', 'ladder/atomic', '4095'),
    Kernel('block_tree<>', 'ladder/block_tree'),
    Kernel('bulk_copy', 'bulk_copy'),
    Kernel('cluster<>', 'cluster'),
    Kernel('completely_unrolled<128>', 'ladder/completely_unrolled'),
    Kernel('first_add_during_load<128>', 'ladder/first_add_during_load'),
    Kernel('grid_2d<>', 'ladder/grid_2d'),
    Kernel('grid_stride<>', 'ladder/grid_stride'),
    Kernel('in_order<>', 'in_order'),
    Kernel('in_order<16>', 'in_order'),
    Kernel('interleaved_addressing<128>', 'ladder/interleaved_addressing'),
    Kernel('interleaved_contiguous<128>', 'ladder/interleaved_contiguous'),
    Kernel('sequential_addressing<128>', 'ladder/sequential_addressing'),
    Kernel('serial_tail<>', 'ladder/serial_tail'),
    Kernel('single_block', 'single_block'),
    Kernel('single_pass<>', 'single_pass'),
    Kernel('single_pass<16>', 'single_pass'),
    Kernel('staged<>', 'staged'),
    Kernel('thread_unrolled<8>', 'ladder/thread_unrolled'),
    Kernel('two_pass<>', 'ladder/two_pass'),
    Kernel('unroll_last_warp<128>', 'ladder/unroll_last_warp'),
    Kernel('warp_shuffle<>', 'ladder/warp_shuffle'),
]

# The emulation runs blocks one by one.
NOT_EMULATED = {'cluster<>'}
