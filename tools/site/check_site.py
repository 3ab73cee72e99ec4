"""Checks a made site: links and anchors exist, pages load nothing from elsewhere.

    python3 check_site.py FOLDER
"""
import html.parser
import os
import re
import sys
import urllib.parse

# Attributes whose value a browser loads at once, by tag.
_LOADED = {"img": ["src", "srcset"], "script": ["src"], "link": ["href"], "iframe": ["src"], "source": ["src", "srcset"],
           "video": ["src"], "audio": ["src"]}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in _LOADED.get(tag, ()):
            if attributes.get(name) and attributes.get("rel") not in ("canonical", "prev", "next"):
                self.loaded.append(attributes[name])


def pages_of(folder):
    pages = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    pages[os.path.join(place, name)] = Page(file.read())
    return pages


def problems_of(folder):
    """One line per fault."""
    folder = os.path.abspath(folder)
    pages, found = pages_of(folder), []
    if not pages:
        return [f"{folder}: has no page"]
    for path, page in sorted(pages.items()):
        name = os.path.relpath(path, folder)
        found += [f"{name}: {fault}" for fault in _page_faults(folder, path, page, pages)]
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".css"):
                found += _style_faults(os.path.join(place, name))
    return found


def _page_faults(folder, path, page, pages):
    for target in page.loaded:
        if re.match(r"(https?:)?//", target):
            yield f"loads {target} from elsewhere"
        elif not target.startswith("data:") and not os.path.exists(_file(path, target)):
            yield f"loads {target}, which does not exist"
    for target in page.links:
        if re.match(r"(https?|mailto):", target):
            continue
        file = _file(path, target)
        if os.path.commonpath([folder, file]) != folder or not os.path.isfile(file):
            yield f"links to {target}, which is not a file of the site"
            continue
        anchor = urllib.parse.unquote(urllib.parse.urlsplit(target).fragment)
        if anchor and file in pages and anchor not in pages[file].anchors:
            yield f"links to {target}: no such anchor"


def _file(path, target):
    relative = urllib.parse.unquote(urllib.parse.urlsplit(target).path)
    return os.path.normpath(os.path.join(os.path.dirname(path), relative)) if relative else path


def _style_faults(path):
    with open(path, encoding="utf-8") as file:
        for target in re.findall(r"url\((?!data:)[\"']?((?:https?:)?//[^\"')]*)", file.read()):
            yield f"{path}: loads {target} from elsewhere"


if __name__ == "__main__":
    FAULTS = problems_of(sys.argv[1])
    print("\n".join(FAULTS))
    sys.exit(1 if FAULTS else 0)
