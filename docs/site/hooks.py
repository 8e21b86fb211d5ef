"""What the documentation site makes while it is built: its first page, the API reference and equations."""

import re
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README as the first page, the changelog, and a reference of the public names."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    readme = readme.replace("](examples/)", f"]({config.repo_url}/tree/main/examples)")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    for name, text in {"index.md": readme, "changelog.md": changelog, **reference()}.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, config: MkDocsConfig, **_: Any) -> str:
    """Links to files that are not pages lead to the repository."""
    return re.sub(r"\]\(\.\./(examples|tests|benchmarks)", rf"]({config.repo_url}/tree/main/\1", markdown)


def reference() -> dict[str, str]:
    """A page for each heading of `__init__.pyi`: its public names, documented by their docstrings."""
    pages: dict[str, str] = {}
    page = ""
    for line in (ROOT / "src" / "posewright" / "__init__.pyi").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"## (.+)", line):
            page = f"reference/{heading[1].split(',')[0].lower().replace(' ', '-')}.md"
            pages[page] = f"# {heading[1]}\n"
        elif name := re.fullmatch(r"from posewright(\S*) import (\w+) as \w+", line):
            pages[page] += f"\n::: posewright{name[1]}.{name[2]}\n"
            if not name[1]:
                pages[page] += "    options:\n      members: false\n"
    return pages


def equation(source: str, *_: Any, **__: Any) -> str:
    """A `math` block as MathML, which browsers draw without a script."""
    rows = [f"<p>{convert(row, display='block')}</p>" for row in source.strip().split("\n\n")]
    return f'<div class="math" role="math" aria-label="{escape(source.strip())}">{"".join(rows)}</div>'
