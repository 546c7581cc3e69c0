"""Reads C++ just well enough to measure it: blanks what is not code, and finds the functions.

The scanner needs no compiler and never changes a line number: comments, the insides of literals
and preprocessor lines become spaces. `#else` branches are blanked too, so that braces opened in
both branches are counted once.
"""

import re
from typing import NamedTuple

# One alternative for each thing whose inside is not code. A digit separator is eaten together with
# its number, so that 1'000 opens no character literal.
_NOT_CODE = re.compile(
    r"""//(?:\\\n|[^\n])*"""
    r"""|/\*.*?\*/"""
    r"""|\b(?:u8|u|U|L)?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*\""""
    r"""|\b[0-9][0-9a-zA-Z_.']*"""
    r"""|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:\\\n|[^\n])*", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")', re.MULTILINE)
_ACCESS = re.compile(r"\s*\b(?:public|private|protected)\s*:(?!:)")
_ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", re.DOTALL)
_CLASS_START = re.compile(
    r"\s*(?:(?:typedef|static|inline|const|constexpr|template|requires)\b\s*)*"
    r"(?:class|struct|union|enum)\b"
)
_NAME = re.compile(r"(~?\w+|operator\s*\S+)\s*$")
_QUALIFIERS = ("const", "noexcept", "override", "final", "mutable", "try", "volatile")


class Function(NamedTuple):
    name: str
    line: int  # where its signature begins
    length: int  # lines from there to the closing brace


class Block(NamedTuple):
    kind: str  # "scope", "function" or "value"
    name: str
    line: int
    head: str  # the text before the brace, which goes on after a braced value


def _spaces(text):
    return "".join("\n" if char == "\n" else " " for char in text)


def _blank(match):
    text = match.group(0)
    if text[0].isdigit():
        return text.replace("'", "_")
    if text.startswith("/"):
        return _spaces(text)
    opening = text.index('"') if '"' in text else 0
    return text[: opening + 1] + _spaces(text[opening + 1 : -1]) + text[-1]


def strip_literals(text):
    """The text without comments and without the insides of literals; preprocessor lines stay."""
    return _NOT_CODE.sub(_blank, text)


def includes(text):
    """(line, target) of each include, the target with its brackets or quotes."""
    without_comments = _NOT_CODE.sub(
        lambda match: _spaces(match.group(0)) if match.group(0).startswith("/") else match.group(0),
        text,
    )
    return [
        (text.count("\n", 0, match.start(1)) + 1, match.group(1))
        for match in _INCLUDE.finditer(without_comments)
    ]


def code_only(text):
    """The text without comments, literals, preprocessor lines and `#else` branches."""
    text = strip_literals(text)
    pieces = []
    taken = []  # for each open #if: whether its first branch is being read
    end = 0
    for match in _DIRECTIVE.finditer(text):
        piece = text[end : match.start()]
        pieces.append(piece if all(taken) else _spaces(piece))
        pieces.append(_spaces(match.group(0)))
        end = match.end()
        word = match.group(1)
        if word.startswith("if"):
            taken.append(True)
        elif word.startswith("el") and taken:
            taken[-1] = False
        elif word == "endif" and taken:
            taken.pop()
    return "".join(pieces) + text[end:]


def _without_angles(head):
    """The head without template arguments; arrows and comparison operators do not count."""
    head = re.sub(r"->|operator\s*[<>=!]+|<<=?|<=>?|>=", lambda m: " " * len(m.group(0)), head)
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", " ", head)
        if shorter == head:
            return head
        head = shorter


def _outside_parens(text):
    kept = []
    depth = 0
    for char in text:
        depth -= char == ")"
        kept.append(char if depth == 0 or (depth == 1 and char == "(") else " ")
        depth += char == "("
    return "".join(kept)


def _classify(head):
    """What a brace after `head` opens, outside of functions: (kind, name)."""
    plain = _without_angles(_ATTRIBUTE.sub(" ", _ACCESS.sub(" ", head)))
    if re.search(r"\bnamespace\b", plain) or re.fullmatch(r'\s*extern\s*"\s*"\s*', plain):
        return "scope", ""
    before_bases = re.split(r"(?<!:):(?!:)", plain, maxsplit=1)[0]
    if _CLASS_START.match(plain) and "(" not in before_bases:
        return "scope", ""
    if "(" not in plain:
        return "value", ""
    outer = _outside_parens(plain)
    name = _NAME.search(plain[: plain.index("(")].rstrip())
    if "=" in outer and "[" not in outer:
        return "value", ""
    parameters_end = outer.find(")")
    initialisers = re.search(r"(?<!:):(?!:)", outer[parameters_end:]) if parameters_end >= 0 else None
    if initialisers:
        last = re.search(r"(\w+)\s*$", outer)
        if last and last.group(1) not in _QUALIFIERS:
            return "value", ""  # a member's braced initialiser; the body comes later
    return "function", name.group(1) if name else "?"


def functions(text):
    """Every function with a body at namespace or class scope; lambdas belong to their function."""
    code = code_only(text)
    found = []
    blocks = []
    inside = 0  # open braces inside the current function or value
    head = ""
    head_line = 1
    line = 1
    for char in code:
        if inside:
            inside += (char == "{") - (char == "}")
            if inside == 0:
                block = blocks.pop()
                if block.kind == "function":
                    found.append(Function(block.name, block.line, line - block.line + 1))
                head = block.head + "{}" if block.kind == "value" else ""
                head_line = block.line
        elif char == "{":
            kind, name = _classify(head)
            blocks.append(Block(kind, name, head_line, head))
            inside = 1 if kind != "scope" else 0
            head = "" if kind == "scope" else head
        elif char in ";}":
            if char == "}" and blocks:
                blocks.pop()
            head = ""
        else:
            if _ACCESS.fullmatch(head):
                head = ""
            if not head.strip():
                head_line = line
            head += char
        line += char == "\n"
    return found
