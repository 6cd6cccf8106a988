#!/bin/sh
# Checks the links of every Markdown page that lead to a file of this package, or to a heading.
#
# Prints each broken link as file:line and ends with 1; prints one line and ends with 0 if there is none. Links to the web are not tried.
#
#   sh Scripts/links.sh [directory]    the package's root; this one's by default
set -eu
cd "${1:-$(dirname "$0")/..}"
find . -name .build -prune -o -name .git -prune -o -name '*.md' -print | sed 's|^\./||' | LC_ALL=C sort | LC_ALL=C awk '
    # The anchor that GitHub gives to a heading.
    function anchor(text) {
        gsub(/\[|\]\([^)]*\)/, "", text)
        text = tolower(text)
        gsub(/[^a-z0-9_ \200-\377-]/, "", text)
        gsub(/ /, "-", text)
        return text
    }

    function exists(path) {
        if (!(path in known)) known[path] = system("test -e \"" path "\"") == 0
        return known[path]
    }

    # The path without "." and "..".
    function resolved(path,    part, count, i, kept, out) {
        count = split(path, part, "/")
        kept = 0
        for (i = 1; i <= count; i++) {
            if (part[i] == ".." && kept > 0 && out[kept] != "..") kept--
            else if (part[i] != "." && part[i] != "") out[++kept] = part[i]
        }
        path = out[1]
        for (i = 2; i <= kept; i++) path = path "/" out[i]
        return path == "" ? "." : path
    }

    {
        file = $0
        folder = file
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        number = 0
        isCode = 0
        while ((getline line < file) > 0) {
            number++
            if (line ~ /^[ \t]*(```|~~~)/) isCode = !isCode
            if (isCode) continue
            if (line ~ /^#+ /) {
                heading = line
                sub(/^#+ +/, "", heading)
                heading = anchor(heading)
                again = headings[file, heading]++
                anchors[file, again ? heading "-" again : heading] = 1
            }
            gsub(/`[^`]*`/, "", line)
            while (match(line, /\]\([^)]*\)/)) {
                target = substr(line, RSTART + 2, RLENGTH - 3)
                line = substr(line, RSTART + RLENGTH)
                sub(/ ".*"$/, "", target)
                if (target ~ /^[a-z]+:/ || target == "") continue
                links++
                at[links] = file ":" number
                mark = ""
                if (match(target, /#/)) {
                    mark = substr(target, RSTART + 1)
                    target = substr(target, 1, RSTART - 1)
                }
                path[links] = target == "" ? file : resolved(target ~ /^\// ? substr(target, 2) : folder "/" target)
                fragment[links] = mark
            }
        }
        close(file)
    }

    END {
        for (i = 1; i <= links; i++) {
            if (!exists(path[i])) {
                print at[i] ": there is no " path[i]
                broken++
            } else if (fragment[i] != "" && path[i] ~ /\.md$/ && !((path[i], fragment[i]) in anchors)) {
                print at[i] ": " path[i] " has no heading #" fragment[i]
                broken++
            }
        }
        if (broken > 0) exit 1
        print "links: " links " links of pages lead somewhere"
    }
'
