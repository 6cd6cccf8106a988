#!/bin/sh
# Counts the tics of our prose that a script can count, and fails if a file has more of them than Scripts/words.baseline says.
#
#   sh Scripts/words.sh                     the check, as `make lint` runs it
#   sh Scripts/words.sh --list [pattern]    every tic that is left, as file:line; of the files whose paths match the pattern
#   sh Scripts/words.sh --update            writes the baseline again: after tics went, or if a new one is right
#
# It reads comments and doc comments of Swift, and Markdown; code, code spans and the changelog are left out. The rules:
#
#   word   a word of the list below
#   long   a sentence of more than thirty words in the documentation of something public
#   wide   a comment of more than 120 columns in Swift
#   where  "where", which is for places; "if" is for conditions. No script can tell the two apart, so every one counts
set -eu
cd "$(dirname "$0")/.."
baseline=Scripts/words.baseline
mode=${1:-check}
case $mode in check | --list | --update) ;; *) echo "usage: sh Scripts/words.sh [--list [pattern] | --update]" >&2 && exit 2 ;; esac
[ -f "$baseline" ] || : >"$baseline"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find ./*.md Sources Conformance Benchmarks Tests Docs -name .build -prune -o \( -name '*.swift' -o -name '*.md' \) -print |
    sed 's|^\./||' | grep -v '^CHANGELOG\.md$' | LC_ALL=C sort |
    LC_ALL=C awk -v mode="$mode" -v only="${2:-}" -v baseline="$baseline" -v output="$work/baseline" '
    BEGIN {
        split("whoever whomever somebody nobody anew kin", list, " ")
        for (i in list) tic[list[i]] = 1
        most = 30
        widest = 120
        advice["word"] = "name the subject: the caller, another process, no caller; \"again\", not \"anew\"; \"similar calls\", not \"kin\""
        advice["long"] = "split the sentence: at most " most " words in public documentation"
        advice["wide"] = "break the line: at most " widest " columns"
        advice["where"] = "write \"if\" for a condition; \"where\" is for places"
        while ((getline line < baseline) > 0) if (split(line, part, " ") == 3) allowed[part[1], part[3]] = part[2]
        close(baseline)
    }

    function found(rule, at, text) {
        count[rule]++
        place[rule, count[rule]] = file ":" at ": " text
    }

    # The words of a line of prose.
    function prose(text, at,    words, i) {
        text = tolower(text)
        gsub(/`[^`]*`/, " ", text)
        gsub(/[^a-z]+/, " ", text)
        words = split(text, word, " ")
        for (i = 1; i <= words; i++) {
            if (word[i] in tic) found("word", at, "\"" word[i] "\"")
            else if (word[i] == "where") found("where", at, "\"where\"")
            else if (word[i] == "if") ifs++
        }
    }

    function endSentence() {
        if (length_ > most) { long++; longAt[long] = start; longWords[long] = length_ }
        length_ = 0
    }

    # A line of documentation, whose sentences count once it is known whether they belong to something public.
    function documentation(text, at,    words, i) {
        if (text ~ /^[ \t]*$/ || text ~ /^[ \t]*(\||#)/) { endSentence(); return }
        if (text ~ /^[ \t]*([-*]|[0-9]+\.)[ \t]/) {
            endSentence()
            sub(/^[ \t]*([-*]|[0-9]+\.)[ \t]+/, "", text)
            sub(/^(Parameters?( [A-Za-z0-9_]+)?|Returns|Throws|Complexity|Note|Important|Warning|SeeAlso):/, "", text)
        }
        gsub(/``[^`]*``/, "X", text)
        gsub(/`[^`]*`/, "X", text)
        words = split(text, word, " ")
        for (i = 1; i <= words; i++) {
            if (word[i] !~ /[A-Za-z0-9]/) continue
            if (length_ == 0) start = at
            length_++
            if (word[i] ~ /[.!?][")*]*$/) endSentence()
        }
    }

    # The declaration under the documentation: a member of a public protocol or extension and a case of a public enum are public.
    function declaration(line,    indent, isPublic, inside, hidden, kind, i) {
        match(line, /^ */)
        indent = RLENGTH
        isPublic = line ~ /(^|[ )])(public|open) /
        hidden = line ~ /(^|[ )])(private|fileprivate|internal|package) /
        inside = indent >= 4 ? context[indent - 4] : ""
        if (!hidden && (inside == "protocol" || inside == "extension" || inside == "enum" && line ~ /^ *(indirect )?case /)) isPublic = 1
        if (match(line, /(^|[ )])(protocol|enum|extension|struct|class|actor) [A-Z_]/) && line !~ /[ )](func|var|let|init) ?.*(protocol|enum|extension|struct|class|actor) /) {
            kind = substr(line, RSTART, RLENGTH)
            gsub(/^[ )]|( [A-Z_])$/, "", kind)
            context[indent] = isPublic ? kind : ""
        }
        if (long > 0) {
            if (isPublic) for (i = 1; i <= long; i++) found("long", longAt[i], "a sentence of " longWords[i] " words")
            long = 0
        }
    }

    function swift(    inString, fenced, documented, line, code, at, slash, text) {
        inString = fenced = documented = 0
        while ((getline line < file) > 0) {
            number++
            if (index(line, "\"\"\"")) {
                text = line
                if (gsub(/"""/, "", text) % 2) inString = !inString
                continue
            }
            if (inString) continue
            slash = index(line, "//")
            if (slash && substr(line, 1, slash) ~ /^ *\/$/) {
                text = line
                # Bytes that go on a character are no columns.
                gsub(/[\200-\277]/, "", text)
                if (length(text) > widest) found("wide", number, "a line of " length(text) " columns")
                text = substr(line, slash + 2)
                if (substr(text, 1, 1) == "/") {
                    text = substr(text, 2)
                    if (text ~ /^ *```/) { fenced = !fenced; endSentence(); continue }
                    if (fenced) continue
                    documented = 1
                    documentation(text, number)
                }
                prose(text, number)
                continue
            }
            fenced = 0
            if (slash) {
                code = line
                gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
                if (slash = index(code, "//")) prose(substr(code, slash + 2), number)
            }
            if (line ~ /^ *(@[A-Za-z_]+(\([^)]*\))?|#.*)?[ \t]*$/) continue
            if (documented) { endSentence(); documented = 0 }
            if (long > 0 || line ~ /(protocol|enum|extension|struct|class|actor) /) declaration(line)
        }
    }

    function markdown(    fenced, line) {
        while ((getline line < file) > 0) {
            number++
            if (line ~ /^[ \t]*```/) { fenced = !fenced; continue }
            if (!fenced) prose(line, number)
        }
    }

    function report(rule,    before, i) {
        before = (rule, file) in allowed ? allowed[rule, file] : 0
        total[rule] += count[rule]
        if (count[rule] > 0) print rule, count[rule], file > output
        if (mode == "--list") {
            for (i = 1; i <= count[rule]; i++) print place[rule, i]
        } else if (count[rule] > before) {
            rising++
            if (mode == "--update") { print file ": " rule " " before " -> " count[rule]; return }
            for (i = 1; i <= count[rule]; i++) print place[rule, i]
            print file ": " count[rule] " of the rule \"" rule "\", the baseline has " before ": " advice[rule] \
                (rule == "where" ? " (the file has \"if\" " ifs + 0 " times)" : "")
        } else if (count[rule] < before) {
            falling += before - count[rule]
        }
    }

    {
        file = $0
        if (mode == "--list" && only != "" && file !~ only) next
        number = ifs = long = length_ = 0
        count["word"] = count["long"] = count["wide"] = count["where"] = 0
        split("", context)
        if (file ~ /\.md$/) markdown(); else swift()
        close(file)
        report("word"); report("long"); report("wide"); report("where")
    }

    END {
        print "words: " total["word"] + 0 " words of the list, " total["long"] + 0 " long sentences, " total["wide"] + 0 " wide lines, " total["where"] + 0 " \"where\"" \
            (mode == "check" && falling ? "; " falling " fewer than the baseline: sh Scripts/words.sh --update" : "")
        if (mode == "check" && rising) {
            print "words: new ones are listed above with the old ones of their file; if a new one is right: sh Scripts/words.sh --update"
            exit 1
        }
    }
'
if [ "$mode" = --update ]; then
    [ -f "$work/baseline" ] || : >"$work/baseline"
    cp "$work/baseline" "$baseline"
fi
