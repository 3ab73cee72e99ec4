#!/usr/bin/env python3
"""Makes the site of all pages and both references: pages in WORK, the site in OUT. Fails on a broken link or anchor.

    tools/site/make_site.py ROOT PYTHON OUT WORK [TRANSLATOR]

PYTHON is the folder `attend` of a build of the Python module, which has its stubs and keyword arguments. TRANSLATOR is a
file of `attend page` for the site to show (translator_page.sh makes one). Runs with the packages of requirements.txt;
`make site` installs them.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import material

import check_site
from header_pages import HeaderPages
from python_pages import PythonPages
from staging import Stage

HERE = os.path.dirname(os.path.abspath(__file__))
_TRANSLATOR = """# A translator in a page

[The page of a translator](translator.html) has a model of German and English sentences
([tatoeba-de-en.toml](recipes/tatoeba-de-en.toml)) and all that runs it: the browser computes, and nothing that you
write leaves it. [How such pages are made](docs/browser.md#the-explorer-in-one-file).
"""
_WORKER = """// A browser starts no worker from a file on disk: there, the search is a worker made of this text.
if (location.protocol === "file:") {
  const program = new Blob([%s], { type: "text/javascript" });
  const SystemWorker = window.Worker;
  window.Worker = function () { return new SystemWorker(URL.createObjectURL(program)); };
}
"""


def topics(index):
    """The table of all pages in docs/index.md: pairs of a topic and its pages."""
    table = index.split("## All pages")[1]
    for row in re.findall(r"^\| ([^|]+) \| (.+) \|$", table, re.MULTILINE)[1:]:
        pages = re.findall(r"\]\(([^)#]+\.md)\)", row[1])
        yield row[0][0].upper() + row[0][1:], [os.path.normpath(os.path.join("docs", page)) for page in pages]


def write_translator(stage, file):
    """What `navigation` gets of it: nothing without a file."""
    if file is None:
        return []
    shutil.copyfile(file, os.path.join(stage.out, "translator.html"))
    text = _TRANSLATOR.replace("recipes/tatoeba-de-en.toml)", stage.target("index.md", "recipes/tatoeba-de-en.toml", "") + ")")
    stage.write("try.md", text)
    return [{"Try it": "try.md"}]


def navigation(stage, translator, cpp, c, python):
    with open(os.path.join(stage.root, "docs/index.md"), encoding="utf-8") as file:
        index = file.read()
    tutorials = re.findall(r"\]\((tutorials/[^)#]+\.md)\)", index)
    tutorials = [f"docs/{page}" for page in dict.fromkeys(tutorials)]
    found = [{"Overview": "README.md"}, {"Where to begin": "docs/index.md"}, *translator, {"Tutorials": tutorials}]
    placed = set(tutorials) | {"README.md", "docs/index.md"}
    project = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for topic, pages in topics(index):
        fresh = [page for page in dict.fromkeys(pages) if page not in placed and page not in project]
        placed.update(fresh)
        found.append({topic: fresh})
    found.append({"Reference": [{"Python": python}, {"C++": cpp}, {"C": c}]})
    rest = [page for page in stage.pages if page not in placed and page not in project and page.startswith("deploy")]
    found.append({"Project": rest + project})
    return found


def write_assets(stage):
    folder = os.path.join(os.path.dirname(material.__file__), "templates/assets/javascripts/workers")
    with open(glob.glob(f"{folder}/search.*.min.js")[0], encoding="utf-8") as file:
        program = re.sub(r"\n?//# sourceMappingURL.*", "", file.read())
    stage.write("assets/iframe-worker.js", _WORKER % json.dumps(program))
    shutil.copyfile(f"{HERE}/site.css", os.path.join(stage.out, "assets/site.css"))


def run_mkdocs(settings, work):
    """Prints what it says only if it fails; a warning is a failure."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", settings]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=os.path.join(work, "python"), env=environment, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        print("\n".join(line for line in done.stdout.split("\n") if not line.startswith("INFO")))
        raise SystemExit("make_site: mkdocs failed")


def main():
    root, python, out, work, *translator = map(os.path.abspath, sys.argv[1:6])
    shutil.rmtree(work, ignore_errors=True)
    stage = Stage(root, os.path.join(work, "pages"))
    stage.copy_pages()
    cpp, c = HeaderPages(stage).write()
    package = PythonPages(stage, os.path.join(root, "python/attend"), python)
    settings = {
        "INHERIT": f"{HERE}/mkdocs.yml",
        "docs_dir": stage.out,
        "site_dir": out,
        "nav": navigation(stage, write_translator(stage, *(translator or [None])), cpp, c, package.write()),
        "not_in_nav": "/source/\n",
    }
    stage.sources.write()
    write_assets(stage)
    file = os.path.join(work, "mkdocs.yml")
    with open(file, "w", encoding="utf-8") as text:
        json.dump(settings, text, indent=1)
    run_mkdocs(file, work)
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):  # for servers
        if os.path.exists(os.path.join(out, name)):
            os.remove(os.path.join(out, name))
    problems = check_site.problems_of(out)
    for problem in problems:
        print(problem)
    if problems:
        raise SystemExit(f"make_site: {len(problems)} problems")


main()
