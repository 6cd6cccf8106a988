"""Makes a DocC catalogue of the pages under Docs and of the symbol graphs of the modules. Scripts/docs.sh calls it.

    docs.py catalogue GRAPHS OUTPUT    writes OUTPUT/Grove.docc and OUTPUT/graphs; fails if a page links to something that is not there
    docs.py fix OUTPUT DIAGNOSTICS     points the links to an overload that waits, if the other one is for `await`; fails if anything else is wrong
    docs.py check DIAGNOSTICS          fails if anything is wrong

The toolchain's own docc makes the site: a plugin would be one more package that each client fetches. All modules are in one catalogue, so that a page
or a comment of one module can link to another.

Nothing is written twice: README is the first page, the tables of Docs/README.md order the pages, and those of Docs/Guides/Modules.md
say what a module is for. A name in code type that is a type of Grove's becomes a link to it.
"""

import json
import os
import re
import shutil
import sys

FOLDERS = ["Guides", "Backends", "Internals"]
SOURCE = os.environ.get("DOCS_SOURCE", "")  # such as https://github.com/YOU/grove/blob/main
FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def anchor(heading):
    """What GitHub makes of a heading: Scripts/links.sh checks the pages for it."""
    heading = re.sub(r"\[|\]\([^)]*\)", "", heading).lower()
    return re.sub(r"[^a-z0-9_ \u0080-\U0010ffff-]", "", heading).replace(" ", "-")


def fragment(heading):
    """What DocC makes of it."""
    heading = re.sub(r"[`]|\[|\]\([^)]*\)", "", heading)
    return re.sub(r"-+", "-", re.sub(r"[^\w-]+", "-", heading.replace("'", ""))).strip("-")


def prose(text):
    """The lines of a page, and whether each is prose, not code."""
    code = False
    for line in text.split("\n"):
        fence = bool(FENCE.match(line))
        yield line, not code and not fence
        if fence:
            code = not code


class Pages:
    def __init__(self, symbols):
        self.symbols = symbols
        self.faults = []
        self.names = {"README.md": "Grove", "Docs/README.md": "Grove"}
        for folder in FOLDERS:
            for page in sorted(os.listdir(f"Docs/{folder}")):
                if page.endswith(".md"):
                    self.names[f"Docs/{folder}/{page}"] = page[:-3]
        self.anchors = {}
        for path in self.names:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            found = {}
            for line, is_prose in prose(text):
                heading = re.match(r"#+ +(.*)", line)
                if heading and is_prose:
                    found[anchor(heading[1])] = fragment(heading[1])
            self.anchors[path] = found

    def link(self, page, text, target):
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        path, _, mark = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if path in self.names:
            if mark and mark not in self.anchors[path]:
                self.faults.append(f"{page}: {path} has no heading #{mark}")
            return f"[{text}](doc:{self.names[path]}{'#' + self.anchors[path].get(mark, '') if mark else ''})"
        if not os.path.exists(path):
            self.faults.append(f"{page}: there is no {path}")
        return f"[{text}]({SOURCE}/{path})" if SOURCE else text if f"`{path}`" == text else f"{text} (`{path}`)"

    def symbol(self, name):
        if name not in self.symbols:
            return f"`{name}`"
        # A macro is written without its parameters.
        return f"[`{name}`](<doc:{self.symbols[name]}>)" if name.startswith("@") else f"``{self.symbols[name]}``"

    def line(self, page, line):
        parts = []
        last = 0
        for match in LINK.finditer(line):
            parts += [self.code(line[last : match.start()]), self.link(page, match[1], match[2])]
            last = match.end()
        return "".join(parts) + self.code(line[last:])

    def code(self, text):
        return re.sub(r"`([^`]+)`", lambda match: self.symbol(match[1]), text)

    def converted(self, page):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        # A picture for light and for dark is one picture in DocC.
        text = re.sub(
            r"<picture>.*?<img src=\"[^\"]*/([^\"/]*)-light\.svg\"[^>]*alt=\"([^\"]*)\">\s*</picture>", r"![\2](\1.svg)", text, flags=re.S
        )
        text = re.sub(r"!\[([^\]]*)\]\([^)\s]*/([^/)\s]+)\)", r"![\1](\2)", text)
        out = []
        for line, is_prose in prose(text):
            out.append(self.line(page, line) if is_prose and not line.startswith("#") else line)
        return "\n".join(out)

    def topics(self):
        """The groups of Docs/README.md: a table with a group's name in its head, or a paragraph that begins with it."""
        group = None
        for line, _ in prose(open("Docs/README.md", encoding="utf-8").read()):
            head = re.match(r"\| ([^|]+) \| *\|$", line)
            begin = re.match(r"\[(Backends|Internals)\]", line)
            if head or begin:
                group = (head or begin)[1]
                yield "group", group[0].upper() + group[1:]
            for match in LINK.finditer(line):
                path = os.path.normpath(os.path.join("Docs", match[2]))
                if group and path in self.names:
                    yield "page", self.names[path]


def modules(graphs):
    return sorted({name.split(".")[0].split("@")[0] for name in os.listdir(graphs)})


def purposes():
    """What each module is for: the first two cells of the rows of Modules.md that name one."""
    found = {}
    with open("Docs/Guides/Modules.md", encoding="utf-8") as file:
        for line in file:
            head = re.match(r"\| module \| ([^|]+) \|", line)
            row = re.match(r"\| `(Grove\w+)` \| ([^|]+) \|", line)
            if head:
                before = "" if head[1] == "gives" else head[1] + ": "
            elif row:
                found.setdefault(row[1], before + row[2])
    return found


def catalogue(graphs, output):
    shutil.rmtree(output, ignore_errors=True)
    folder = f"{output}/Grove.docc"
    os.makedirs(folder)
    os.makedirs(f"{output}/graphs")
    loaded, symbols, owners = {}, {}, {}
    for name in sorted(os.listdir(graphs)):
        # What extends the standard library is not looked for there.
        extended = name.split(".")[0].partition("@")[2]
        if name.endswith(".symbols.json") and (not extended or extended.startswith("Grove")):
            with open(f"{graphs}/{name}", encoding="utf-8") as file:
                loaded[name] = json.load(file)
    for name, graph in loaded.items():
        for symbol in graph["symbols"]:
            path = symbol["pathComponents"]
            if len(path) == 1 and "@" not in name:
                owners.setdefault(path[0], set()).add(graph["module"]["name"])
    for title, owner in owners.items():
        if len(owner) == 1:
            symbols[title] = f"/{next(iter(owner))}/{title}"
    # A documentation comment names the types of other modules as its own: ``CacheError``.
    for name, graph in loaded.items():
        module = graph["module"]["name"]

        def absolute(match):
            first, rest = re.match(r"(\w+)(.*)", match[1]).groups()
            other = owners.get(first, set()) - {module}
            return f"``/{next(iter(other))}/{first}{rest}``" if len(other) == 1 and module not in owners[first] else match[0]

        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = re.sub(r"``([A-Z]\w*[^`]*)``", absolute, line["text"])
        with open(f"{output}/graphs/{name}", "w", encoding="utf-8") as file:
            json.dump(graph, file)

    links = {title: link for title, link in symbols.items() if re.fullmatch(r"[A-Z]\w+", title)}
    for link in symbols.values():
        if link.startswith("/GroveMacros/Cache"):
            links.setdefault("@" + link.split("/")[2].split("(")[0], link)
    pages = Pages(links)
    for path, name in pages.names.items():
        if path not in ("README.md", "Docs/README.md"):
            with open(f"{folder}/{name}.md", "w", encoding="utf-8") as file:
                file.write(pages.converted(path))
    about = purposes()
    with open(f"{folder}/Grove.md", "w", encoding="utf-8") as file:
        title, _, rest = pages.converted("README.md").partition("\n")
        file.write(title + "\n\n@Metadata {\n  @TechnologyRoot\n}\n" + rest + "\n## Topics\n")
        for kind, name in pages.topics():
            file.write(f"\n### {name}\n\n" if kind == "group" else f"- <doc:{name}>\n")
        file.write("\n### Reference\n\n" + "".join(f"- ``/{module}``\n" for module in modules(f"{output}/graphs")))
    for module in modules(f"{output}/graphs"):
        if module not in about:
            pages.faults.append(f"Docs/Guides/Modules.md: no row says what {module} gives")
        with open(f"{folder}/{module}.md", "w", encoding="utf-8") as file:
            text = pages.line("Docs/Guides/Modules.md", about.get(module, ""))
            file.write(f"# ``/{module}``\n\n{text[:1].upper() + text[1:]}.\n")
    for image in os.listdir("Docs/Images"):
        if image.endswith(".png"):
            shutil.copy(f"Docs/Images/{image}", folder)
            continue
        with open(f"Docs/Images/{image}", encoding="utf-8") as file:
            # Without a size of its own DocC shows a picture small.
            text = re.sub(r'^(<svg [^>]*viewBox="0 0 (\d+) (\d+)")', r'\1 width="\2" height="\3"', file.read())
        with open(f"{folder}/" + image.replace("-light.", ".").replace("-dark.", "~dark."), "w", encoding="utf-8") as file:
            file.write(text)
    for fault in pages.faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if pages.faults else 0)


def check(diagnostics, resolve=lambda diagnostic: False):
    """Fails if DocC has found a fault that `resolve` does not take."""
    with open(diagnostics, encoding="utf-8") as file:
        found = json.load(file)["diagnostics"]
    faults = set()
    for fault in found:
        # A parameter without a sentence of its own is none.
        if "is missing documentation" not in fault["summary"] and not resolve(fault):
            source = os.path.relpath(fault.get("source", "?").replace("file://", ""))
            faults.add(f"{source}:{fault.get('range', {}).get('start', {}).get('line', 0)}: {fault['summary']}")
    for fault in sorted(faults):
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(1)


def fix(output, diagnostics):
    """Of two calls of one name, one of which is for `await`, a link means the other."""
    replaced = {}

    def resolve(fault):
        ambiguous = re.match(r"'(.*)' is ambiguous at", fault["summary"])
        other = [s["summary"] for s in fault.get("solutions", []) if " async " not in s["summary"]]
        inserted = re.match(r"Insert '(.*?)' for", other[0]) if ambiguous and other else None
        if not inserted:
            return False
        place = (os.path.realpath(fault["source"].replace("file://", "")), fault["range"]["start"]["line"])
        replaced.setdefault(place, []).append((ambiguous[1], ambiguous[1] + inserted[1]))
        return True

    check(diagnostics, resolve)
    for name in os.listdir(f"{output}/graphs"):
        with open(f"{output}/graphs/{name}", encoding="utf-8") as file:
            graph = json.load(file)
        for symbol in graph["symbols"]:
            comment = symbol.get("docComment", {})
            source = os.path.realpath(comment.get("uri", "").replace("file://", ""))
            for line in comment.get("lines", []):
                number = line.get("range", {}).get("start", {}).get("line", -2) + 1
                for old, new in replaced.get((source, number), []):
                    line["text"] = line["text"].replace(f"{old}``", f"{new}``")
        with open(f"{output}/graphs/{name}", "w", encoding="utf-8") as file:
            json.dump(graph, file)


{"catalogue": catalogue, "fix": fix, "check": check}[sys.argv[1]](*sys.argv[2:])
