"""Makes Docs/Images/two-panes.svg, a moving picture of the example TwoPanes, from what it prints. `make recording` builds it first.

    recording.py EXECUTABLE OUTPUT.svg
"""

import html
import subprocess
import sys
import tempfile

executable, output = sys.argv[1:]
# What is typed in each of three runs over one folder, and how it is started.
RUNS = [([], []), (["offline"], ["like 2"]), ([], ["name 1 Anna"])]
SECONDS, SIZE, LEFT, LINE = 3, 15, 16, 20

scenes = []
with tempfile.TemporaryDirectory() as folder:
    for arguments, typed in RUNS:
        command = ["swift", "run", "TwoPanes", "sqlite", ".build/panes"] + arguments
        ran = subprocess.run(
            [executable, "sqlite", folder] + arguments, input="".join(line + "\n" for line in typed), capture_output=True, text=True, check=True
        )
        frames = ran.stdout.split("\x1b[2J\x1b[H")[1:]
        said = ["$ " + " ".join(command)] + [line for line in typed for _ in range(2)]
        assert len(frames) == len(said), ran.stdout
        for number, (line, frame) in enumerate(zip(said, frames)):
            # Of two frames that are the same, one is enough.
            if number == 0 or frame != frames[number - 1]:
                scenes.append([line if number == 0 else "> " + line] + frame.rstrip("\n").split("\n"))

lines = max(len(scene) for scene in scenes)
width = LEFT * 2 + round(max(len(line) for scene in scenes for line in scene) * SIZE * 0.6021)
share = 100 / len(scenes)
with open(output, "w", encoding="utf-8") as file:
    title = "Two panes: without a network, what is stored shows; a like that was made then is there after a restart, and is sent; a new name shows in both"
    file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {lines * LINE + 2 * LEFT}" role="img" aria-labelledby="title">\n')
    file.write(f'  <title id="title">{title}</title>\n  <style>\n')
    file.write(f"    text {{ font: {SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #e6edf3; white-space: pre }}\n")
    file.write(f"    .said {{ fill: #7ee787 }}\n    g {{ visibility: hidden; animation: show {SECONDS * len(scenes)}s step-end infinite }}\n")
    file.write(f"    @keyframes show {{ 0% {{ visibility: visible }} {share:.3f}% {{ visibility: hidden }} }}\n")
    file.write("    @media (prefers-reduced-motion: reduce) { g { animation: none } g:last-of-type { visibility: visible } }\n  </style>\n")
    file.write('  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n')
    for number, scene in enumerate(scenes):
        file.write(f'  <g style="animation-delay: {number * SECONDS}s">\n')
        for row, line in enumerate(scene):
            # Each line as wide as its characters, whichever font is there.
            length = f' textLength="{len(line) * SIZE * 0.6021:.1f}"' if line else ""
            kind = ' class="said"' if row == 0 else ""
            file.write(f'    <text x="{LEFT}" y="{LEFT + SIZE + row * LINE}" xml:space="preserve"{kind}{length}>{html.escape(line)}</text>\n')
        file.write("  </g>\n")
    file.write("</svg>\n")
print(f"{output}: {len(scenes)} scenes")
