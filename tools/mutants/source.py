# SPDX-License-Identifier: BSD-2-Clause
"""A C file as tokens and statements: as much of C as this house's sources need, and no compiler.

Comments and preprocessor lines are no tokens, so what a macro's body does is not seen; the macro's use is.
"""

import dataclasses
import re

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|\\\n)
      |(?P<line>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
      |(?P<text>L?"(?:[^"\\]|\\.)*"|L?'(?:[^'\\]|\\.)*')
      |(?P<name>[A-Za-z_]\w*)
      |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      |(?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.X | re.S,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
LOOPS = ("while", "for", "switch")
LEAVES = ("return", "break", "continue", "goto")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind = match.lastgroup
        # A '#' within a line is no directive, but nothing here has one outside a directive.
        if kind not in ("space", "line"):
            found.append(Token(kind, match.group(), at, match.end()))
        at = match.end()
    return found


@dataclasses.dataclass
class Node:
    """kind: "block", "if", "loop", "leave" or "simple". first and last are tokens' indices, last inclusive; cond is the
    pair of the condition's own first and last token, or None."""

    kind: str
    first: int
    last: int = 0
    cond: tuple | None = None
    body: list = dataclasses.field(default_factory=list)
    otherwise: bool = False  # an if: whether it has an else

    def leaves(self):
        """Whether what stands behind it in its block is not reached once it has run to its end."""
        if self.kind == "block":
            return bool(self.body) and self.body[-1].leaves()
        return self.kind == "leave"


class Source:
    """functions: (name, Node) of each function defined in TEXT."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self._partner = self._match()
        self.functions = list(self._functions())

    def at(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def line(self, index):
        return self.text.count("\n", 0, self.tokens[index].start) + 1

    def words(self, first, last):
        """The tokens' text on one line."""
        start, end = self.tokens[first].start, self.tokens[last].end
        return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", self.text[start:end], flags=re.S)).strip()

    def close(self, index):
        """The partner of an opening or of a closing bracket."""
        return self._partner[index]

    def _match(self):
        partner, opened = {}, []
        for index, token in enumerate(self.tokens):
            if token.kind != "mark":
                continue
            if token.text in _PAIRS:
                opened.append(index)
            elif token.text in _PAIRS.values():
                # Where two branches of a #if open the same block, the brackets do not pair.
                if not opened or _PAIRS[self.at(opened[-1])] != token.text:
                    raise ValueError(f"line {self.line(index)}: {token.text} closes nothing")
                begin = opened.pop()
                partner[begin], partner[index] = index, begin
        if opened:
            raise ValueError(f"line {self.line(opened[-1])}: {self.at(opened[-1])} is not closed")
        return partner

    def _functions(self):
        index = 0
        while index < len(self.tokens):
            if self.at(index) != "{":
                index += 1
                continue
            if self.at(index - 1) == '"C"':  # extern "C"
                index += 1
                continue
            if self.at(index - 1) == ")":
                yield self._name_before(index), self._block(index)
            index = self.close(index) + 1

    def _name_before(self, brace):
        """The last name before a list of arguments, skipping attributes."""
        index = brace - 1
        while self.at(index) == ")":
            index = self.close(index) - 1
            if self.tokens[index].kind == "name" and "attribute" not in self.at(index):
                return self.at(index)
            index -= 1
        return "?"

    def _block(self, brace):
        node = Node("block", brace, self.close(brace))
        index = brace + 1
        while index < node.last:
            child = self._statement(index)
            node.body.append(child)
            index = child.last + 1
        return node

    def _statement(self, index):
        word = self.at(index)
        if word == "{":
            return self._block(index)
        if word == "if":
            return self._if(index)
        if word == "do":
            return self._do(index)
        if word in LOOPS or self._is_each(index):
            return self._loop(index)
        if word in ("case", "default") or (self.tokens[index].kind == "name" and self.at(index + 1) == ":"):
            while self.at(index) != ":":
                index += 1
            return Node("label", index, index)
        end = self._end(index)
        return Node("leave" if word in LEAVES else "simple", index, end)

    def _is_each(self, index):
        """A loop by macro: NAME_FOREACH(...) statement."""
        return "FOREACH" in self.at(index) and self.at(index + 1) == "("

    def _end(self, index):
        while self.at(index) != ";":
            index = self.close(index) + 1 if self.at(index) in _PAIRS else index + 1
        return index

    def _if(self, index):
        close = self.close(index + 1)
        node = Node("if", index, cond=(index + 2, close - 1))
        node.body.append(self._statement(close + 1))
        node.last = node.body[0].last
        if self.at(node.last + 1) == "else":
            node.otherwise = True
            node.body.append(self._statement(node.last + 2))
            node.last = node.body[1].last
        return node

    def _loop(self, index):
        close = self.close(index + 1)
        node = Node("loop", index)
        if self.at(index) == "while":
            node.cond = (index + 2, close - 1)
        if self.at(close + 1) == ";":
            node.last = close + 1
            return node
        node.body.append(self._statement(close + 1))
        node.last = node.body[0].last
        return node

    def _do(self, index):
        body = self._statement(index + 1)
        close = self.close(body.last + 2)
        return Node("loop", index, close + 1, (body.last + 3, close - 1), [body])


class Edits:
    """Replacements of parts of a text, which may lie within each other: each is a function of the replaced part, in
    which the inner ones have been made."""

    def __init__(self, text):
        self._text = text
        self._edits = []

    def add(self, start, end, change):
        self._edits.append((start, -end, len(self._edits), change))

    def apply(self):
        return self._render(0, len(self._text), sorted(self._edits, key=lambda edit: edit[:3]))

    def _render(self, start, end, edits):
        pieces, at = [], start
        while edits:
            first, last, _, change = edits[0]
            last = -last
            inner = [edit for edit in edits[1:] if edit[0] < last]
            edits = edits[1 + len(inner) :]
            pieces += [self._text[at:first], change(self._render(first, last, inner))]
            at = last
        return "".join([*pieces, self._text[at:end]])
