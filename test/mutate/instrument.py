"""Puts all faults into a C++ header at once. A test turns one of them on at run time (faults.hpp).

The text must be formatted as in this repository: a binary operator has blanks on both sides, and the brackets of template
arguments have none. With that and matched brackets no other grammar is needed. mutate.py removes faults that do not
compile.

Lines keep their numbers, so the compiler's errors and the emulation's reports name the lines of the original.
"""
import re

LEFT_OUT = None  # of an operator: the right operand is not used

operator_faults = {
    '<': ['<=', '>='], '>': ['>=', '<='], '<=': ['<', '>'], '>=': ['>', '<'],
    '==': ['!='], '!=': ['=='],
    '+': ['-', LEFT_OUT], '-': ['+', LEFT_OUT],
    '*': [LEFT_OUT], '/': [LEFT_OUT], '%': [LEFT_OUT], '<<': [LEFT_OUT], '>>': [LEFT_OUT], '^': [LEFT_OUT],
    '&': ['|'], '|': ['&'],
    '+=': ['-='], '-=': ['+='], '|=': ['&='], '&=': ['|='],
}
comparisons = {'<', '>', '<=', '>=', '==', '!='}
assignments = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}

token_of = re.compile(r'''
    (?P<skip> \s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* )
  | (?P<str> (?:u8|[uUL])?R"(?P<raw>[^(]*)\(.*?\)(?P=raw)" | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*" )
  | (?P<chr> '(?:[^'\\\n]|\\.)+' )
  | (?P<num> \.?[0-9](?:[eEpP][+-]|'(?=[0-9a-fA-F])|[0-9a-zA-Z_.])* )
  | (?P<id> [A-Za-z_][A-Za-z_0-9]* )
  | (?P<op> <=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w] )
''', re.X | re.S | re.M)


class Token:
    __slots__ = ('kind', 'text', 'start', 'end')

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Fault:
    """One fault. `number` is unique in the program; `was` and `now` are the line without and with the fault."""

    def __init__(self, number, file, line, kind, was, now):
        self.number, self.file, self.line, self.kind, self.was, self.now = number, file, line, kind, was, now
        self.nth = 1  # of those with the same `was` and `now` in the file

    @property
    def key(self):
        return f'{self.file}\t{self.was}\t{self.now}\t{self.nth}'


class Place:
    """Text that turns one or more faults on, and where it goes."""

    def __init__(self, faults, inserts, start, end):
        self.faults, self.inserts, self.start, self.end = faults, inserts, start, end


class Header:
    """The faults of one header. `instrumented(left_out)` is its text with all faults but those."""

    def __init__(self, name, text, first_number):
        self.name, self.text, self.next_number = name, text, first_number
        self.places = []
        self.tokens = []
        at = 0
        while at < len(text):
            m = token_of.match(text, at)
            if not m:
                raise ValueError(f'{name}: cannot read {text[at:at + 20]!r}')
            kind = m.lastgroup if m.lastgroup != 'raw' else 'str'
            if kind != 'skip':
                self.tokens.append(Token(kind, m.group(), at))
            at = m.end()
        self.t = [token.text for token in self.tokens]
        self.match_brackets()
        self.statements(0, len(self.t), 'scope')
        self.number_equal_ones()

    # --- tokens --------------------------------------------------------------------------------------

    def match_brackets(self):
        self.match = {}
        stack = []
        for i, s in enumerate(self.t):
            if s in ('(', '[', '{'):
                stack.append(i)
            elif s in (')', ']', '}'):
                if not stack:
                    raise ValueError(f'{self.name}: unmatched {s}')
                self.match[stack.pop()] = i
        if stack:
            raise ValueError(f'{self.name}: unmatched {self.t[stack[-1]]} at line {self.line_of(self.tokens[stack[-1]].start)}')
        self.opens = {j: i for i, j in self.match.items()}

    def blank_before(self, i):
        return i == 0 or self.tokens[i - 1].end != self.tokens[i].start

    def blank_after(self, i):
        return i + 1 == len(self.t) or self.tokens[i].end != self.tokens[i + 1].start

    def angle_end(self, i, end):
        """The index behind the `>` of the template arguments that begin at `i`; None if none do."""
        if self.t[i] != '<' or (self.blank_before(i) and self.t[i - 1] not in ('template', 'operator')):
            return None
        depth, k = 0, i
        while k < end:
            s = self.t[k]
            if s in ('(', '[', '{'):
                k = self.match[k]
            elif s == ';':
                return None
            elif s == '<' and (not self.blank_before(k) or self.t[k - 1] == 'template'):
                depth += 1
            elif s in ('>', '>>') and not self.blank_before(k):
                depth -= len(s)
                if depth <= 0:
                    return k + 1
            k += 1
        return None

    def find(self, i, end, wanted):
        """The first of `wanted` at this level from i on; `end` if there is none."""
        while i < end:
            if self.t[i] in wanted:
                return i
            after = self.angle_end(i, end)
            i = after if after else self.match[i] + 1 if i in self.match else i + 1
        return end

    def line_of(self, at):
        return self.text.count('\n', 0, at) + 1

    # --- faults --------------------------------------------------------------------------------------

    def fault(self, kind, start, end, now):
        """A fault that replaces text[start:end] by `now`."""
        first = self.text.rfind('\n', 0, start) + 1
        last = self.text.find('\n', end)
        last = len(self.text) if last < 0 else last

        def in_one_line(text):
            return ' '.join(re.sub(r'//[^\n]*', '', text).split())
        fault = Fault(self.next_number, self.name, self.line_of(start), kind, in_one_line(self.text[first:last]),
                      in_one_line(self.text[first:start] + now + self.text[end:last]))
        self.next_number += 1
        return fault

    def number_equal_ones(self):
        seen = {}
        for place in self.places:
            for fault in place.faults:
                same = (fault.was, fault.now)
                seen[same] = fault.nth = seen.get(same, 0) + 1

    def add(self, faults, inserts, start, end):
        """`inserts` are (position, text), prefixes at `start` and suffixes at `end`, or between."""
        self.places.append(Place(faults, inserts, start, end))

    def wrap(self, i, j, kind, now, before, after):
        """A fault of tokens i to j - 1, which `before` and `after` enclose; `%d` in `before` is its number."""
        start, end = self.tokens[i].start, self.tokens[j - 1].end
        fault = self.fault(kind, start, end, now(self.text[start:end]))
        self.add([fault], [(start, before % fault.number), (end, after)], start, end)

    def instrumented(self, left_out=frozenset()):
        edits = []
        for place in self.places:
            if any(fault.key in left_out for fault in place.faults):
                continue
            for at, text in place.inserts:
                # At one position, what ends there comes before what begins there; inner ends first, outer begins first.
                if at == place.end:
                    order = (0, -place.start, -len(edits))
                elif at == place.start:
                    order = (2, -place.end, len(edits))
                else:
                    order = (1, 0, len(edits))
                edits.append((at, order, text))
        edits.sort()
        out, last = [], 0
        for at, _, text in edits:
            out += [self.text[last:at], text]
            last = at
        return ''.join(out) + self.text[last:]

    # --- statements ----------------------------------------------------------------------------------

    def statements(self, i, end, scope):
        while i < end:
            i = self.code(i, end) if scope == 'code' else self.declaration(i, end)

    def skip_attributes(self, i, end):
        while i < end:
            if self.t[i] == '[' and self.t[i + 1] == '[':
                i = self.match[i] + 1
            elif re.fullmatch(r'WARPFOLD_[A-Z_]+', self.t[i]) and self.t[i + 1] not in ('(', '.', ';', '='):
                i += 1
            else:
                return i
        return i

    def declaration(self, i, end):
        """One declaration of a namespace or class; returns where the next begins."""
        t = self.t
        i = self.skip_attributes(i, end)
        if i >= end:
            return end
        if t[i] in ('public', 'private', 'protected') and t[i + 1] == ':':
            return i + 2
        if t[i] == ';':
            return i + 1
        k, types, colon, equals, parens = i, False, None, None, False
        words = set()
        while k < end:
            s = t[k]
            after = self.angle_end(k, end)
            if after:
                k = after
                continue
            if s == 'operator':
                # `operator<`, `operator()`
                k += 3 if t[k + 1] in ('(', '[') else 2
                continue
            if s == 'requires' and t[k + 1] == '(' and t[self.match[k + 1] + 1] == '{' and \
                    t[k - 1] in ('requires', '&&', '||', '=', '('):
                k = self.match[self.match[k + 1] + 1] + 1
                continue
            if s == 'requires' and t[k + 1] == '{':
                k = self.match[k + 1] + 1
                continue
            words.add(s)
            if s == '=' and equals is None:
                equals = k
            elif s == ':' and parens and colon is None:
                colon = k
            elif s == ';':
                break
            elif s == '{':
                if equals is not None:
                    k = self.match[k] + 1
                    continue
                if colon is not None and self.tokens[k - 1].kind == 'id' and not words & {'struct', 'class', 'union'}:
                    k = self.match[k] + 1  # a member's initializer
                    continue
                break
            elif s == '(':
                parens = True
            k = self.match[k] + 1 if k in self.match else k + 1
        skipped = {'using', 'typedef', 'static_assert', 'friend', 'concept', 'constexpr', 'constinit', 'consteval'}
        if k >= end or t[k] == ';':
            if equals is not None and not words & skipped and t[equals - 1] not in (')', 'const', 'override', 'noexcept') \
                    and t[equals + 1] not in ('default', 'delete'):
                self.expression(equals + 1, min(k, end))
            return k + 1
        close = self.match[k]
        if words & {'namespace', 'extern'}:
            self.statements(k + 1, close, 'scope')
            return close + 1
        if 'enum' in words:
            return close + 1
        if words & {'struct', 'class', 'union'}:
            self.statements(k + 1, close, 'scope')
            return close + 1
        if not parens:  # a variable: `T x{...};`
            if not words & skipped:
                self.expression(k + 1, close)
            return close + 1
        if 'consteval' in words:
            return close + 1
        if colon is not None:
            self.expression(colon + 1, k)
        self.statements(k + 1, close, 'code')
        return close + 1

    def code(self, i, end):
        """One statement of a function; returns where the next begins."""
        t = self.t
        i = self.skip_attributes(i, end)
        if i >= end:
            return end
        s = t[i]
        if s == ';':
            return i + 1
        if s == '{':
            self.statements(i + 1, self.match[i], 'code')
            return self.match[i] + 1
        if s == 'if':
            if t[i + 1] in ('constexpr', 'consteval'):
                k = i + 2 if t[i + 1] == 'consteval' else self.match[i + 2] + 1
            else:
                self.condition(i + 2, self.match[i + 1])
                k = self.match[i + 1] + 1
            k = self.code(k, end)
            if k < end and t[k] == 'else':
                k = self.code(k + 1, end)
            return k
        if s in ('else', 'do', 'try'):
            k = self.code(i + 1, end)
            if s == 'do':
                self.expression(k + 2, self.match[k + 1])
                k = self.match[k + 1] + 2
            return k
        if s in ('for', 'while', 'switch', 'catch'):
            if s != 'catch':
                self.expression(i + 2, self.match[i + 1])
            return self.code(self.match[i + 1] + 1, end)
        if s in ('case', 'default'):
            return self.find(i, end, {':'}) + 1
        if s in ('static_assert', 'using', 'typedef', 'throw', 'asm', 'goto', 'delete', 'friend'):
            return self.find(i, end, {';'}) + 1
        if s in ('struct', 'class', 'union', 'enum', 'template'):
            return self.declaration(i, end)
        stop = self.find(i, end, {';'})
        if s in ('return', 'break', 'continue'):
            if stop == i + 1:
                self.leave_out(i, stop)
            else:
                self.expression(i + 1, stop)
            return stop + 1
        head = self.find(i, stop, {'='})
        if 'constexpr' in t[i:min(head, stop)]:
            k = i
            while k < head and t[k] != 'constexpr':
                k = self.match[k] + 1 if k in self.match else k + 1
            if k < head:
                return stop + 1
        self.expression(i, stop)
        if self.is_expression(i, stop):
            self.leave_out(i, stop)
        return stop + 1

    def leave_out(self, i, stop):
        end = stop + 1 if stop < len(self.t) and self.t[stop] == ';' else stop
        self.wrap(i, end, 'statement', lambda was: ';', '{ if (!::wf_fault::on<%d>()) ', ' }')

    def is_expression(self, i, end):
        """Whether tokens i to end - 1 are a statement that has an effect, and not a declaration."""
        t = self.t
        effect = False
        while i < end and t[i] in ('*', '++', '--'):
            effect = effect or t[i] != '*'
            i += 1
        if t[i] == '::' and t[i + 1] == 'new':
            return True
        if t[i] == '(':
            if t[i + 1] == 'void':
                return False
            i = self.match[i] + 1
        else:
            if t[i] == '::':
                i += 1
            if self.tokens[i].kind != 'id' or t[i] in ('auto', 'const', 'new', 'static', 'volatile', 'extern'):
                return False
            i += 1
        while i < end:
            after = self.angle_end(i, end)
            if after:
                i = after
            elif t[i] in ('(', '['):
                effect = effect or t[i] == '('
                i = self.match[i] + 1
            elif t[i] in ('++', '--'):
                effect = True
                i += 1
            elif t[i] in ('.', '->', '::'):
                i += 2
                if t[i - 1] == 'template':
                    i += 1
            else:
                return t[i] in assignments or (t[i] == '<<' and effect)
        return effect

    # --- expressions ---------------------------------------------------------------------------------

    def condition(self, i, end):
        """The condition of an `if`: negates it, unless it has a comparison with faults of its own."""
        if self.find(i, end, {';', '='}) == end and not self.has_fault_of_its_own(i, end):
            self.wrap(i, end, 'condition', lambda was: f'!({was})', '::wf_fault::turned<%d>(', ')')
        self.expression(i, end)

    def has_fault_of_its_own(self, i, end):
        return any(self.is_binary(k) for k in self.level(i, end) if self.t[k] in comparisons | {'&&', '||'})

    def level(self, i, end):
        """The tokens at the level of i, without what is in brackets."""
        while i < end:
            after = self.angle_end(i, end)
            if after:
                i = after
                continue
            yield i
            i = self.match[i] + 1 if i in self.match else i + 1

    def is_binary(self, i):
        before = self.tokens[i - 1]
        return self.blank_before(i) and self.blank_after(i) and self.t[i + 1] != '...' and before.text != '...' and \
            (before.kind != 'op' or before.text in (')', ']', '}', '>', '++', '--')) and \
            before.text not in ('return', 'operator', 'case')

    def expression(self, i, end):
        t = self.t
        separators = {',', ';', '?', ':', 'return', '&&', '||'} | assignments
        begin, last = i, None  # of the operand that is being read, and the separator before it
        from_here = i          # of the condition of a `?`

        def operand_ends(k):
            nonlocal last
            after = t[k] if k < end else None
            ends = {last, after} & {'&&', '||'}
            if ends and begin < k and '...' not in t[begin:k] and t[begin] != 'requires':
                if '&&' in ends:
                    self.wrap(begin, k, 'operand', lambda was: 'true', '(::wf_fault::on<%d>() || (', '))')
                else:
                    self.wrap(begin, k, 'operand', lambda was: 'false', '(!::wf_fault::on<%d>() && (', '))')

        k = i
        while k < end:
            s = t[k]
            after = self.angle_end(k, end)
            if after:
                k = after
                continue
            if s in separators and (s not in ('&&', '||') or self.is_binary(k)):
                operand_ends(k)
                if s == '?' and not self.has_fault_of_its_own(from_here, k) and from_here < k:
                    self.wrap(from_here, k, 'condition', lambda was: f'!({was})', '::wf_fault::turned<%d>(', ')')
                last, begin = s, k + 1
                if s not in ('&&', '||'):
                    from_here = k + 1
                if s in operator_faults and self.blank_before(k) and self.blank_after(k):
                    self.operator(k)
                k += 1
            elif s == 'requires':
                k += 1
                if t[k] == '(':
                    k = self.match[k] + 1
                if t[k] == '{':
                    k = self.match[k] + 1
            elif s in ('sizeof', 'alignof', 'decltype', 'noexcept', 'alignas', 'typeid', '__attribute__'):
                k += 1
                if t[k] == '...':
                    k += 1
                if t[k] == '(':
                    k = self.match[k] + 1
            elif s == '[' and (k == i or not (self.tokens[k - 1].kind in ('id', 'num', 'str') or t[k - 1] in (')', ']', '}'))
                               or t[k - 1] == 'return'):
                k = self.closure(k, end)
            elif s in ('(', '[', '{'):
                if s == '(' and k > i and (self.tokens[k - 1].kind == 'id' or t[k - 1] == '>'):
                    self.arguments(k)
                self.expression(k + 1, self.match[k])
                k = self.match[k] + 1
            elif s in operator_faults and self.is_binary(k):
                self.operator(k)
                k += 1
            elif self.tokens[k].kind == 'num':
                self.literal(k)
                k += 1
            elif s == 'operator':
                k += 2
            else:
                k += 1
        operand_ends(end)

    def closure(self, k, end):
        """A lambda, whose `[` is at k; returns where the rest begins."""
        self.expression(k + 1, self.match[k])
        k = self.match[k] + 1
        if k < end and self.t[k] == '<':
            k = self.angle_end(k, end) or k + 1
        while k < end and self.t[k] not in ('{', ';', ',', ')'):
            k = self.angle_end(k, end) or (self.match[k] + 1 if k in self.match else k + 1)
        if k < end and self.t[k] == '{':
            self.statements(k + 1, self.match[k], 'code')
            k = self.match[k] + 1
        return k

    def operator(self, k):
        token = self.tokens[k]
        faults = []
        for now in operator_faults[token.text]:
            faults.append(self.fault('operator', token.start, token.end, f'[no {token.text}]' if now is LEFT_OUT else now))
        text = f' ::wf_fault::op<{faults[0].number}, {len(faults)}>() {token.text}'
        self.add(faults, [(token.end, text)], token.start, token.end)

    def literal(self, k):
        text = self.t[k]
        m = re.fullmatch(r"((?:0[xX][0-9a-fA-F']+|[0-9'.]+))([uUlLzZfF]*)", text)
        if not m:
            return
        try:
            digits = m[1].replace("'", '')
            now = str(float(digits) + 1) if '.' in digits else hex(int(digits, 16) + 1) if 'x' in digits.lower() \
                else str(int(digits) + 1)
        except ValueError:
            return
        self.wrap(k, k + 1, 'literal', lambda was: now + m[2], '::wf_fault::next<%d>(', ')')

    simple = re.compile(r'(?:[\w.]|->|::|\[[\w+ ]*\]|\*(?=\w))+')

    def arguments(self, k):
        """Two arguments that may be of one type are swapped."""
        close = self.match[k]
        if self.t[k - 1] in ('if', 'while', 'for', 'switch', 'return', 'sizeof', 'decltype', 'catch', 'operator') or \
                self.t[k - 1].startswith('__builtin_') or '...' in self.t[k:close]:
            return
        comma = self.find(k + 1, close, {','})
        if comma == close or self.find(comma + 1, close, {','}) != close or comma == k + 1 or comma + 1 == close:
            return
        a = self.text[self.tokens[k + 1].start:self.tokens[comma - 1].end]
        b = self.text[self.tokens[comma + 1].start:self.tokens[close - 1].end]
        if a == b or not self.simple.fullmatch(a) or not self.simple.fullmatch(b):
            return
        start, end = self.tokens[k + 1].start, self.tokens[close - 1].end
        fault = self.fault('order', start, end, f'{b}, {a}')
        call = f'::wf_fault::swapped<{fault.number}>('
        self.places.append(Place([fault], [(start, call)], start, self.tokens[comma - 1].end))
        self.places[-1].inserts.append((self.tokens[comma - 1].end, f', {b})'))
        self.places.append(Place([fault], [(self.tokens[comma + 1].start, call), (end, f', {a})')],
                                 self.tokens[comma + 1].start, end))


def faults_of(header):
    """Each once, by number."""
    found = {}
    for place in header.places:
        for fault in place.faults:
            found[fault.number] = fault
    return [found[k] for k in sorted(found)]
