"""What a page must have so that everyone can read it, with or without eyes, mouse or colors.

The rules are those of WCAG 2.2 that markup alone decides: language and title, heading levels in
order, text for every picture, headers for every table, unique identifiers, named links. Contrast
is measured in a browser, see `CONTRAST`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import nbformat
from bs4 import BeautifulSoup
from bs4.element import Tag
from nbconvert.filters import markdown2html

CONTRAST = """() => {
    const channel = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const luminance = c => 0.2126 * channel(c[0] / 255) + 0.7152 * channel(c[1] / 255)
        + 0.0722 * channel(c[2] / 255);
    const parts = color => color.match(/[\\d.]+/g).map(Number);
    const over = (top, below) => {
        const a = top.length > 3 ? top[3] : 1;
        return [0, 1, 2].map(i => a * top[i] + (1 - a) * below[i]);
    };
    const background = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement)
            layers.unshift(parts(getComputedStyle(e).backgroundColor));
        return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim();
        const element = walker.currentNode.parentElement;
        if (!text || !element.checkVisibility({visibilityProperty: true})) continue;
        if (element.closest('svg, script, style')) continue;
        const style = getComputedStyle(element);
        const below = background(element);
        const [a, b] = [luminance(over(parts(style.color), below)), luminance(below)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5))
            found.push(`${ratio.toFixed(2)} for ${style.color} in ${element.tagName}: ${text}`);
    }
    return found;
}"""
"""Returns the texts of a page that stand out less than WCAG 2.2 asks for (level AA, 1.4.3)."""


def page_problems(page: str) -> list[str]:
    """Return what keeps people from reading an HTML page."""
    soup = BeautifulSoup(page, "html.parser")
    return [*_whole(soup), *_headings(_levels(soup)), *_parts(soup)]


def notebook_problems(node: nbformat.NotebookNode) -> list[str]:
    """Return what keeps people from reading a notebook."""
    found: list[str] = []
    levels: list[tuple[int, str]] = []
    for cell in node.cells:
        if cell.cell_type == "markdown":
            soup = BeautifulSoup(markdown2html(cell.source), "html.parser")
            levels += _levels(soup)
            found += _parts(soup)
        for output in cell.get("outputs", []):
            for kind in output.get("data", {}):
                if kind.startswith("image/") and not output.metadata.get(kind, {}).get("alt"):
                    found.append(f"the figure of cell {cell.id} has no text")
    return [*found, *_headings(levels)]


def _whole(soup: BeautifulSoup) -> Iterator[str]:
    root, title = soup.find("html"), soup.find("title")
    if not isinstance(root, Tag) or not root.get("lang"):
        yield "the page names no language"
    if not isinstance(title, Tag) or not title.get_text(strip=True):
        yield "the page has no title"
    if not soup.find("meta", attrs={"name": "viewport"}):
        yield "the page is not fit for narrow screens"
    counted = Counter(str(tag["id"]) for tag in soup.find_all(id=True))
    yield from (
        f"{count} elements have the id {name}" for name, count in counted.items() if count > 1
    )


def _levels(soup: BeautifulSoup) -> list[tuple[int, str]]:
    headings = soup.find_all(re.compile("^h[1-6]$"))
    return [(int(tag.name[1]), tag.get_text(strip=True)) for tag in headings]


def _headings(levels: list[tuple[int, str]]) -> Iterator[str]:
    tops = [text for level, text in levels if level == 1]
    if len(tops) != 1:
        yield f"there are {len(tops)} headings of level 1: {tops}"
    last = 0
    for level, text in levels:
        if not text:
            yield f"a heading of level {level} is empty"
        if level > last + 1:
            yield f"heading {text!r} of level {level} follows one of level {last}"
        last = level


def _parts(soup: BeautifulSoup) -> Iterator[str]:
    for image in soup.find_all("img"):
        if not str(image.get("alt", "")).strip():
            yield "a picture has no text"
    for drawing in soup.find_all("svg"):
        if drawing.get("aria-hidden") == "true":  # for eyes only, its numbers are in the text
            continue
        label = drawing.get("aria-label") or drawing.get("aria-labelledby") or drawing.find("title")
        if drawing.get("role") != "img" or not label:
            yield "a drawing has no text"
    for table in soup.find_all("table"):
        headers = table.find_all("th")
        if not headers:
            yield f"a table has no headers: {table.get_text(' ', strip=True)[:60]}"
        elif not all(header.get_text(strip=True) for header in headers):
            yield f"a table has an empty header: {table.get_text(' ', strip=True)[:60]}"
    for link in soup.find_all("a", href=True):
        if not link.get_text(strip=True) and not link.get("aria-label"):
            yield f"the link to {link['href']} has no text"
