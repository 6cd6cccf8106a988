"""Does what Docs/Guides/GettingStarted.md says, in .build/tutorial, and fails if a command prints something else than the page.

A block under a line such as **Package.swift** is that file; a Swift block without one goes on with the file before it. A block that begins
with `swift ` is a command, and the block after it is what that prints. Grove is a clone of the last commit.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(__file__), ".."))
place = ".build/tutorial"
os.makedirs(f"{place}/shelf", exist_ok=True)
for name in os.listdir(f"{place}/shelf"):
    if name != ".build":  # swift-syntax takes minutes
        path = f"{place}/shelf/{name}"
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
if not os.path.exists(f"{place}/grove"):
    subprocess.run(["git", "clone", "--quiet", ".", f"{place}/grove"], check=True)
subprocess.run(["git", "-C", f"{place}/grove", "fetch", "--quiet"], check=True)
subprocess.run(["git", "-C", f"{place}/grove", "reset", "--quiet", "--hard", "origin/HEAD"], check=True)
environment = {name: value for name, value in os.environ.items() if name != "GROVE_DEVELOPMENT"}
flags = shlex.split(os.environ.get("FLAGS", ""))


def run(line):
    words = line.split(" ")
    ran = subprocess.run(words[:2] + flags + words[2:], cwd=f"{place}/shelf", env=environment, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{line}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


with open("Docs/Guides/GettingStarted.md", encoding="utf-8") as file:
    page = file.read()
path, said, steps = None, None, 0
for heading, named, language, block in re.findall(r"^## ([^\n]*)$|^\*\*(\S+)\*\*$|^```(\w*)\n(.*?)^```$", page, flags=re.M | re.S):
    if heading:
        print(heading, flush=True)
    elif named:
        path, mode = f"{place}/shelf/{named}", "w"
    elif language == "swift":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode, encoding="utf-8") as file:
            file.write("\n" * (mode == "a") + block)
        mode = "a"
    elif block.startswith("swift "):
        said = "".join(run(line) for line in block.splitlines())
        steps += 1
    else:
        for line in block.splitlines():
            if line not in said:
                sys.exit(f"The page says {line!r}, and the command printed:\n{said}")
            said = said[said.index(line) + len(line) :]
        print("   ", "\n    ".join(block.splitlines()), flush=True)
if steps < 5:
    sys.exit(f"The page has {steps} steps with a command: it is not read as it is written.")
