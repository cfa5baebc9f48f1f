"""Writing a text as a YAML value: plain where YAML reads it back, quoted where it would not."""

from __future__ import annotations

import json
import re

import yaml

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SAFE = re.compile(r"[A-Za-z_][\w ./()+-]*")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))


def is_plain(text: str, *, in_list: bool = False) -> bool:
    """Tell whether YAML reads `text` without quotes as just this text; `in_list` between brackets."""
    if _SAFE.fullmatch(text) and text.lower() not in _WORDS and text == text.strip():
        return True
    try:
        node = yaml.compose(f"[{text}]" if in_list else f"key: {text}", Loader=_Loader)
    except yaml.YAMLError:
        return False
    if in_list:
        values = node.value if isinstance(node, yaml.SequenceNode) else []
    else:
        values = [pair[1] for pair in node.value] if isinstance(node, yaml.MappingNode) else []
    return (
        len(values) == 1
        and isinstance(values[0], yaml.ScalarNode)
        and not values[0].style
        and values[0].tag == "tag:yaml.org,2002:str"
        and values[0].value == text
    )


def quoted(text: str) -> str:
    """Return `text` as a YAML value in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def inside_quotes(text: str, quote: str) -> str:
    """Return `text` as it stands between the quotes of an existing value."""
    return text.replace("'", "''") if quote == "'" else quoted(text)[1:-1]


def scalar(text: str, *, in_list: bool = False) -> str:
    """Return `text` as a YAML value, in quotes only where it needs them."""
    return text if is_plain(text, in_list=in_list) else quoted(text)
