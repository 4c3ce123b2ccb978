"""Finds the keywords that are names: in Spark a column may be called `values`, `any` or `order`.

By default Spark reserves no keyword, and decides by the position. sqlglot reserves some. Here each
keyword that can only be a name becomes a quoted identifier before sqlglot's parser sees it: one
that stands where an operand belongs and is followed by what follows an operand.

Source: `identifier` and `nonReserved` of Spark's SqlBaseParser.g4.
"""

from __future__ import annotations

from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import Token, TokenType

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_FUNCTIONS = frozenset(
    "CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP"
    " CURRENT_USER FALSE LOCALTIME LOCALTIMESTAMP NULL SESSION_USER TRUE USER".split()
)
"""Words that mean something else than a column where an operand belongs."""
_PECULIAR = frozenset(
    "ALL ANY CASE COLLATE CUBE DESCRIBE IF IN INTERVAL IS LIMIT LOCK OFFSET ROLLUP WINDOW".split()
)
"""Words that sqlglot takes for names at some places only."""
_OPENERS = frozenset("ALL CASE DISTINCT FROM INTERVAL NOT SELECT WHERE".split())
"""Words that may stand where an operand belongs, before that operand. Only punctuation shows that
such a word is a name."""
_BEFORE_OPERAND = frozenset(
    """
    SELECT DISTINCT ALL WHERE HAVING QUALIFY ON AND OR NOT WHEN THEN ELSE CASE BETWEEN LIKE
    ILIKE RLIKE COMMA L_PAREN L_BRACKET EQ NEQ NULLSAFE_EQ LT LTE GT GTE PLUS DASH SLASH MOD DIV
    PIPE DPIPE AMP CARET TILDE ARROW GROUP_BY ORDER_BY PARTITION_BY DISTRIBUTE_BY SORT_BY
    CLUSTER_BY FROM JOIN
    """.split()
)
_PUNCTUATION = frozenset(
    """
    COMMA R_PAREN R_BRACKET L_BRACKET SEMICOLON DOT EQ NEQ NULLSAFE_EQ LT LTE GT GTE SLASH MOD
    PIPE DPIPE AMP CARET DCOLON ARROW ALIAS
    """.split()
)
_AFTER_OPERAND = _PUNCTUATION | frozenset(
    """
    PLUS DASH STAR FROM WHERE GROUP_BY ORDER_BY HAVING QUALIFY LIMIT OFFSET UNION EXCEPT
    INTERSECT JOIN LEFT RIGHT FULL INNER CROSS NATURAL SEMI ANTI ON USING LATERAL WHEN THEN ELSE
    END AND OR NOT IS IN LIKE ILIKE RLIKE BETWEEN DIV ASC DESC ROWS RANGE COLLATE WINDOW
    """.split()
)
_AFTER_ALIAS = frozenset({"COMMA", "R_PAREN", "FROM", ""})


def identified(tokens: list[Token]) -> list[Token]:
    """Return a text's tokens with an identifier for each keyword that is a name."""
    return _Names(tokens).found()


class _Names:
    """One pass over the tokens of a text, left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._operand = False
        """An operand belongs here, not an operator."""

    def found(self) -> list[Token]:
        found: list[Token] = []
        depth = 0
        for place, token in enumerate(self._tokens):
            kind = self._kind(place)
            if depth or (kind == "LT" and self._is_nested_type(place - 1)):
                depth += (kind == "LT") - (kind == "GT")
                found.append(token)
                continue
            if self._word(place) == "WINDOW" and self._kind(place + 1) == "L_PAREN":
                found.append(_name(token, TokenType.VAR))  # the function; a clause has a name next
                self._operand = False
                continue
            is_name = _is_word(token) and self._is_name(place)
            found.append(_name(token) if is_name else token)
            self._operand = self._expects(kind, is_name or self._kind(place - 1) == "DOT")
        return found

    def _is_nested_type(self, place: int) -> bool:
        """Return whether a token is the type of a cast, before its parameters."""
        typed = self._kind(place - 1) in ("ALIAS", "DCOLON")
        return typed and self._kind(place) in ("ARRAY", "MAP", "STRUCT")

    def _expects(self, kind: str, is_name: bool) -> bool:
        """Return whether an operand belongs after a token of this kind."""
        if is_name:
            return False
        if kind == "STAR":
            return not self._operand
        if kind == "NOT":
            return self._operand
        return kind in _BEFORE_OPERAND

    def _is_name(self, place: int) -> bool:
        """Return whether a word that sqlglot may take for a keyword is a name."""
        word, before, after = self._word(place), self._kind(place - 1), self._kind(place + 1)
        if before == "DOT":
            return after != "L_PAREN"
        if before == "WITH" and after == "ALIAS":
            return True
        if word in _FUNCTIONS:
            return after == "DOT"
        if before == "ALIAS":
            return word not in _PECULIAR and after != "L_PAREN"
        if not self._operand:
            reserved = word not in _PECULIAR and word not in ("AS", "DISTINCT", "FROM")
            return reserved and before not in ("", "DCOLON") and after in _AFTER_ALIAS
        if word in _OPENERS or (word == "WHEN" and before == "CASE"):
            counts = after in _PUNCTUATION or after == ""
            return counts and not (word == "ALL" and before == "GROUP_BY" and after != "COMMA")
        if after in _AFTER_OPERAND or after == "":
            return True
        if not self._is_var(place + 1):
            return False
        table = before in ("FROM", "JOIN") and word != "LATERAL"
        return table or self._kind(place + 2) in _AFTER_ALIAS

    def _kind(self, place: int) -> str:
        """Return the kind of a token, "" before the first and after the last."""
        known = 0 <= place < len(self._tokens)
        return str(self._tokens[place].token_type.name) if known else ""

    def _word(self, place: int) -> str:
        return str(self._tokens[place].text).upper()

    def _is_var(self, place: int) -> bool:
        return place < len(self._tokens) and self._tokens[place].token_type in _NAMES


def _is_word(token: Token) -> bool:
    """Return whether a token is a word that sqlglot does not take for a name everywhere."""
    word, kind = str(token.text).upper(), str(token.token_type.name)
    if kind == "IDENTIFIER" or kind.endswith("STRING"):  # a literal, such as r'a' or X'CAFE'
        return False
    if not word.isidentifier():
        return False
    reserved = token.token_type not in Spark.Parser.ID_VAR_TOKENS
    return reserved or word in _PECULIAR


def _name(token: Token, kind: TokenType = TokenType.IDENTIFIER) -> Token:
    return Token(
        kind,
        token.text,
        token.line,
        token.col,
        token.start,
        token.end,
        token.comments,
    )
