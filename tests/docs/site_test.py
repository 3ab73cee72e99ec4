"""Makes the site in a folder of its own, and looks at it: see site_test.sh."""
import ast
import glob
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, PACKAGE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "tools/site"))
sys.path.insert(0, str(ROOT / "tests/server"))
import browsing  # noqa: E402
import check_site  # noqa: E402
import source_pages  # noqa: E402
from staging import Stage  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp())
SITE = WORK / "site"
# Words, and the page that a search for them must find first.
SEARCHES = {
    "LibreTranslate": "docs/server.html",
    "shortlist": "docs/decoding.html",
    "perplexity": "docs/language-models.html",
    "attend_translate": "reference/c.html",
    "corpus_bleu": "reference/cpp/translation_metrics.html",
    "train_embedding": "reference/python/training.html",
}

# Pages with what is wide: tables, code, pictures, signatures.
SHOWN = ["index.html", "ARCHITECTURE.html", "docs/performance.html", "docs/server.html", "docs/tutorials/paper.html",
         "reference/cpp/translator.html", "reference/python/training.html", "source/src/attend/nn/layers.h.html"]
# What a reader on a phone would see: a page that is too wide, and pictures that are not there.
FAULTS = """
const faults = [...document.images].filter(image => !image.naturalWidth).map(image => image.src);
const width = document.documentElement.scrollWidth;
return width > document.documentElement.clientWidth ? [...faults, `${width} pixels wide`] : faults;
"""


def make_site(root, out, *translator):
    command = [sys.executable, ROOT / "tools/site/make_site.py", root, PACKAGE, out, WORK / "pages", *translator]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def letters(text):
    """A text without anything that its form decides."""
    return re.sub(r"\W|_", "", text)


class Page:
    def __init__(self, name):
        source = (SITE / name).read_text(encoding="utf-8")
        self.anchors = check_site.Page(source).anchors
        article = source[source.index("<article") : source.index("</article>")]
        self.letters = letters(html.unescape(re.sub(r"<[^>]*>", "", article)))


def public_lines(header):
    """The lines of a header that describe its interface, without bodies of functions and private parts."""
    hidden = body = False
    for line in header.read_text(encoding="utf-8").split("\n"):
        if re.match(r"^ private:|^namespace detail|^#ifdef __cplusplus", line):
            hidden = True
        elif hidden:
            hidden = not re.match(r"^\};?$|^#endif", line)
        elif body:
            body = not re.match(r"^ {0,2}\}$", line)
        elif not re.match(r"^#(?!define ATTEND_ABI)|^namespace|^\}  //| public:", line):
            body = bool(re.search(r"\)( const)? \{$", line))
            code = re.sub(r"(\)(?: const)?) \{( .*\})?", r"\1", line)
            yield line.replace("// ---- ", "") if line.lstrip().startswith("//") else code


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        translator = WORK / "page.html"  # any page stands for one of `attend page`
        translator.write_text("<!doctype html><title>A translator</title>", encoding="utf-8")
        done = make_site(ROOT, SITE, translator)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_has_every_page(self):
        for page in ["docs/index", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "index"]:
            self.assertTrue((SITE / f"{page}.html").exists(), page)
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertTrue((SITE / page.relative_to(ROOT)).with_suffix(".html").exists(), page)

    def test_leads_to_the_translator(self):
        self.assertIn('href="translator.html"', (SITE / "try.html").read_text(encoding="utf-8"))
        self.assertIn('href="try.html"', (SITE / "index.html").read_text(encoding="utf-8"))
        self.assertIn("A translator", (SITE / "translator.html").read_text(encoding="utf-8"))

    def test_has_no_fault(self):
        self.assertEqual(check_site.problems_of(SITE), [])

    def test_shows_no_markdown(self):
        for page in [*SITE.glob("*.html"), *SITE.glob("docs/**/*.html"), *SITE.glob("reference/**/*.html")]:
            source = page.read_text(encoding="utf-8")
            if page.name == "translator.html":
                continue
            prose = re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", source[source.index("<article") : source.index("</article>")])
            prose = html.unescape(re.sub(r"<[^>]*>", "", prose))
            self.assertNotRegex(prose, r"\]\(|\\[<>*_[|#]|&#|(?m:^ *[-*] )", page.name)

    @unittest.skipUnless(shutil.which("chromium") and shutil.which("chromedriver"), "chromium is not installed")
    def test_works_in_a_browser_from_disk(self):
        driver = browsing.browser(1280, 900)
        try:
            for words, page in SEARCHES.items():
                self.assertIn(page, found_by(driver, words)[:3], words)
            browsing.phone(driver)
            for page in SHOWN:
                driver.get(f"file://{SITE}/{page}")
                self.assertEqual(driver.execute_script(FAULTS), [], page)
            self.assertEqual(driver.get_log("browser"), [])
        finally:
            driver.quit()

    def test_shows_every_comment_and_declaration_of_headers(self):
        for header in [*(ROOT / "include/attend").glob("*.h"), ROOT / "include/attend/c/attend.h"]:
            page = Page("reference/c.html" if header.parent.name == "c" else f"reference/cpp/{header.stem}.html")
            for line in public_lines(header):
                if not re.match(r"class \w+ \{", line):  # its name is a heading
                    self.assertIn(letters(line), page.letters, f"{header}: {line}")

    def test_has_a_place_for_every_name_of_headers(self):
        for header in (ROOT / "include/attend").glob("*.h"):
            page = Page(f"reference/cpp/{header.stem}.html")
            owner = ""
            for line in public_lines(header):
                found = re.match(r"(?:class|struct|enum class) (\w+)", line)
                if found:
                    owner = found[1] if line.startswith("class") else ""
                    self.assertIn(found[1], page.anchors)
                member = re.match(r"  (?:static |explicit )?[\w:<>, ]+[ &*>](\w+)\(", line)
                if owner and member:
                    self.assertIn(f"{owner}.{member[1]}", page.anchors)
                function = re.match(r"[a-z][\w:<>, ]*[ &*>](\w+)\(", line)
                if function:
                    self.assertIn(function[1], page.anchors)

    def test_has_a_place_for_every_function_of_c(self):
        anchors = Page("reference/c.html").anchors
        for name in (ROOT / "tests/package/c_symbols.txt").read_text(encoding="utf-8").split():
            self.assertIn(name, anchors)

    def test_shows_every_name_of_python(self):
        pages = [Page(os.path.relpath(page, SITE)) for page in glob.glob(f"{SITE}/reference/python/*.html")]
        docstrings = docstrings_of([*(ROOT / "python/attend").glob("*.py"), PACKAGE / "_options.py", PACKAGE / "_attend.pyi"])
        for name in public_names():
            places = [page for page in pages if f"attend.{name}" in page.anchors]
            self.assertEqual(len(places), 1, name)
            for text in docstrings.get(name, ()):
                if letters(text) in places[0].letters:
                    break
            else:
                self.assertIn(name, ["__version__", "metrics", "nn", "ops"], f"attend.{name}: its docstring is not shown")

    def test_shows_every_signature_of_python(self):
        pages = {page.stem: Page(page.relative_to(SITE)) for page in SITE.glob("reference/python/*.html")}
        shown = "".join(page.letters for page in pages.values())
        files = [file for file in (ROOT / "python/attend").glob("*.py") if file.stem not in ("nn", "ops", "metrics")]
        for module in ("nn", "ops", "metrics"):
            names = public_names(f"{module}.py")
            self.assertEqual([name for name in names if f"attend.{module}.{name}" not in pages[module].anchors], [])
            for name, argument in first_arguments([ROOT / f"python/attend/{module}.py"], names):
                self.assertIn(letters(name + argument), pages[module].letters)
        for name, argument in first_arguments(files, public_names()):
            self.assertIn(letters(name + argument), shown)


def public_names(module="__init__.py"):
    tree = ast.parse((ROOT / "python/attend" / module).read_text(encoding="utf-8"))
    lists = [one for one in tree.body if isinstance(one, ast.Assign) and one.targets[0].id == "__all__"]
    return ast.literal_eval(lists[0].value)


def first_arguments(files, names):
    """Pairs of a function, or a class with a constructor, and its first argument."""
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            function = node
            if isinstance(node, ast.ClassDef):
                function = next((one for one in node.body if getattr(one, "name", "") == "__init__"), None)
            if isinstance(function, ast.FunctionDef) and node.name in names:
                arguments = [one.arg for one in function.args.posonlyargs + function.args.args if one.arg != "self"]
                if arguments:
                    yield node.name, arguments[0]


def docstrings_of(files):
    """All docstrings of classes and functions, by name."""
    found = {}
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                found.setdefault(node.name, []).append(ast.get_docstring(node))
    return found


def found_by(driver, words):
    """The pages that a search finds, best first."""
    driver.get(f"file://{SITE}/docs/faq.html?q={words}")
    links = "return [...document.querySelectorAll('.md-search-result__link')].map(link => link.href.split('?')[0])"
    browsing.wait(driver, lambda driver: driver.execute_script(links), f"nothing found for {words}")
    return [os.path.relpath(link.removeprefix("file://"), SITE) for link in driver.execute_script(links)]


class Checks(unittest.TestCase):
    """What the checks are for, they find."""

    def faults_of(self, page):
        folder = WORK / "faulty"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "index.html").write_text(f'<h1 id="here">x</h1>{page}', encoding="utf-8")
        return check_site.problems_of(folder)

    def test_accept_a_link_to_an_anchor(self):
        self.assertEqual(self.faults_of('<a href="index.html#here">x</a><a href="#here">x</a>'), [])

    def test_find_a_broken_link(self):
        self.assertIn("links to gone.html", self.faults_of('<a href="gone.html">x</a>')[0])

    def test_find_a_link_out_of_the_site(self):
        self.assertIn("links to ../x.cpp", self.faults_of('<a href="../x.cpp">x</a>')[0])

    def test_find_a_missing_anchor(self):
        self.assertIn("no such anchor", self.faults_of('<a href="#gone">x</a>')[0])

    def test_find_a_missing_picture(self):
        self.assertIn("loads gone.png", self.faults_of('<img src="gone.png">')[0])

    def test_find_what_is_loaded_from_elsewhere(self):
        self.assertIn("from elsewhere", self.faults_of('<script src="https://example.org/x.js"></script>')[0])

    def test_refuse_a_link_to_a_file_that_does_not_exist(self):
        with self.assertRaisesRegex(SystemExit, "docs/faq.md links to ../src/gone.cpp"):
            Stage(str(ROOT), str(WORK / "stage")).converted("docs/faq.md", "[x](../src/gone.cpp)")

    def test_fail_for_a_page_with_a_broken_anchor(self):
        tree = WORK / "tree"
        for name in ("browser", "docs", "python", "include", "src", "examples", "recipes", "deploy", "tests/ops"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        for file in [*ROOT.glob("*.md"), ROOT / "LICENSE"]:
            shutil.copy(file, tree)
        with open(tree / "docs/faq.md", "a", encoding="utf-8") as page:
            page.write("\n[x](index.md#gone)\n")
        done = make_site(tree, WORK / "broken")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("docs/faq.html: links to index.html#gone: no such anchor", done.stdout)


class Links(unittest.TestCase):
    def converted(self, page, text):
        stage = Stage(str(ROOT), str(WORK / "stage"))
        return stage.converted(page, text)

    def test_lead_to_pages_as_before(self):
        self.assertEqual(self.converted("docs/faq.md", "[x](import.md#export-a-model)"), "[x](import.md#export-a-model)")

    def test_lead_to_the_definition_of_a_name_in_a_source(self):
        file = "src/attend/nn/positional_encoding.cpp"
        line = source_pages.line_of((ROOT / file).read_text(encoding="utf-8"), "sinusoids")
        self.assertIn(f"../source/{file}.md#line-positional_encoding-cpp-{line}", self.converted("docs/faq.md", f"[`sinusoids`](../{file})"))

    def test_lead_to_the_reference_of_a_header(self):
        self.assertEqual(self.converted("docs/cpp.md", "[x](../include/attend/tagger.h)"), "[x](../reference/cpp/tagger.md)")

    def test_stay_in_code(self):
        text = "`[x](../gone.h)`\n\n```cpp\n[x](int)\n```\n"
        self.assertEqual(self.converted("docs/cpp.md", text), text)

    def test_keep_bars_in_the_code_of_tables(self):
        self.assertEqual(self.converted("docs/cpp.md", r"| a \| b | `c\|d` |"), r"| a \| b | `c|d` |")

    def test_drop_marks_of_tests(self):
        self.assertEqual(self.converted("docs/cpp.md", "a\n<!-- world: demo -->\nb"), "a\nb")


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0]])
    finally:
        shutil.rmtree(WORK)
