#!/bin/sh
# Writes Docs/Internals/PublicNames.md again: what each module declares as public, by the reader that it is for.
#
#   sh Scripts/public-names.sh
#
# It counts declarations: requirements of public protocols and cases of public enums too, and overloads one by one. Who reads
# a name is the first rule below that fits; a name that none fits is for the application's author.
set -eu
cd "$(dirname "$0")/.."

# reader, then a pattern of "path Type.member".
rules='
tool        ^Sources/GroveCoding/Coding/NodeSource
tool        ^Sources/GroveProviders/.*\._
tool        ^Sources/GroveModel/RocketDataMembers
tool        ^Sources/Adapters/(Logging|Metrics)/.*\.cacheDid
tool        ^Sources/GroveTestingTraits/.*\.(isRecursive|provideScope)$
tool        ^Sources/GroveProviders/.*\.(currentModel|modelUpdated|consistencyManager)$
tool        ^Sources/GroveConsistency/.* BatchListener\.(currentModel|modelUpdated|listenerHasUpdatedModel)$
delegate    ^Sources/GroveModel/(CacheDelegate|ExpiringCacheDelegate)
delegate    ^Sources/GroveCache/Interface/NormalizedCache\+CacheDelegate
delegate    ^Sources/GroveShared/NearCacheDelegate.*\.(modelForKey|setModel|deleteModel|collectionForKey|setCollection|wipe)$
delegate    ^Sources/GroveModel/CacheMiss\.swift .*\.init$
delegate    ^Conformance/Kit/.* DelegateHarness
macro       ^Sources/GroveMacros/Support/
macro       ^Sources/GroveMacros/.*\.shared$
macro       ^Sources/GroveCache/.*(\._| _|\+Trees)
macro       ^Sources/GroveCoding/Codable/CodableModel.*\.
application ^Sources/GroveCoding/(Codable/CodableModel|Values/CacheFallback.* CacheFallback)
macro       ^Sources/GroveCoding/
backend     ^Sources/GroveCache/Driver/
backend     ^Sources/Backends/.* [A-Za-z]*(Store|View|Transaction)(\.|$)
backend     ^Sources/GroveTesting/TestStore
backend     ^Sources/GroveModel/CacheError\.swift CacheError\.Code\.init$
backend     ^Sources/GroveShared/SharedError\.swift .*\.init$
backend     ^Sources/GroveShared/(FarTier|FeedNumber|Testing/)
backend     ^Conformance/Shared/
backend     ^Benchmarks/CompareMain/
backend     ^Sources/Adapters/Postgres/.* (PostgresTier\.(fetch|feed|wait|write|outcome)$|PostgresRows)
backend     ^Conformance/Kit/(Capability|Rule|Rule\+Verify|Rules\+Checkable|Run/ConformanceMain|Run/RuleExcuse|Processes/WorkerCommand|Harness/StoreHarness|Rules/Rules)\.swift
tool        ^Conformance/Kit/
'

page=$(mktemp)
trap 'rm -f "$page"' EXIT

find Sources Conformance/Kit Conformance/Shared Benchmarks/CompareMain -name '*.swift' | LC_ALL=C sort | RULES=$rules LC_ALL=C awk '
    BEGIN {
        rows = split(ENVIRON["RULES"], row, "\n")
        for (i = 1; i <= rows; i++) if (split(row[i], part, " ") >= 2) {
            rules++
            to[rules] = part[1]
            pattern[rules] = row[i]
            sub(/^[a-z]+ +/, "", pattern[rules])
        }
        readers = split("application backend delegate macro tool", reader, " ")
        kinds = "func|var|let|struct|class|enum|protocol|actor|typealias|init|subscript|macro|associatedtype|case"
    }

    function module(path,    part) {
        split(path, part, "/")
        if (path ~ /^Conformance\/Shared/) return "GroveSharedRules"
        if (path ~ /^Conformance/) return "GroveConformance"
        if (path ~ /^Benchmarks/) return "GroveCompareMain"
        return part[2] ~ /^(Backends|Adapters)$/ ? "Grove" part[3] : part[2]
    }

    function add(type, member, isHidden,    text, i, key) {
        # The reference leaves out what is underscored, and what an attribute says.
        if (isHidden || type ~ /(^|\.)_/ || member ~ /^_/) hidden[module(file)]++
        text = file " " type (member == "" ? "" : "." member)
        for (i = 1; i <= rules; i++) if (text ~ pattern[i]) break
        key = module(file) SUBSEP (i <= rules ? to[i] : "application")
        if (!(module(file) in isKnown)) { isKnown[module(file)] = 1; name[++modules] = module(file) }
        count[key]++
        if (!((key, type) in isListed)) { isListed[key, type] = 1; types[key]++; listed[key, types[key]] = type }
        if (member != "" && !((key, type, member) in times)) members[key, type] = members[key, type] " " member
        if (member != "") times[key, type, member]++
    }

    # The name that follows the kind, or the kind itself.
    function named(text, kind,    after) {
        if (kind == "init" || kind == "subscript") return kind
        after = substr(text, index(text, " " kind " ") + length(kind) + 2)
        if (match(after, /^`?[A-Za-z_][A-Za-z0-9_]*`?/)) return substr(after, RSTART, RLENGTH)
        return "operator"
    }

    {
        file = $0
        split("", open); split("", kindOf); split("", hides); split("", gone)
        isHiddenNext = 0
        inString = 0
        while ((getline line < file) > 0) {
            if (index(line, "\"\"\"")) { text = line; if (gsub(/"""/, "", text) % 2) inString = !inString; continue }
            if (line ~ /^ *(@available\()?\*, unavailable/) isUnavailable = 1
            if (inString || line ~ /^ *(\/\/|\*|#)/) continue
            match(line, /^ */)
            indent = RLENGTH
            if (line ~ /^ *$/) continue
            if (line ~ /^ *[})]/) { delete open[indent]; delete kindOf[indent]; delete hides[indent]; delete gone[indent]; continue }
            text = " " substr(line, indent + 1)
            if (text ~ /^ @_documentation\(visibility: internal\)/) isHiddenNext = 1
            sub(/ \/\/.*$/, "", text)
            sub(/ [{=] .*$/, "", text)
            while (sub(/^ @[A-Za-z_.]+(\([^)]*\))?/, "", text)) { }
            if (match(text, "^( (public|package|internal|private|fileprivate|static|final|mutating|nonmutating|override|indirect|lazy|weak|nonisolated|consuming|borrowing|convenience|required|class)(\\([a-z]+\\))?)* (" kinds "|extension)[ (<?]")) {
                head = substr(text, 1, RLENGTH)
                kind = head
                sub(/[ (<?]$/, "", kind)
                sub(/^.* /, "", kind)
                outer = indent >= 4 && (indent - 4) in open ? open[indent - 4] : ""
                outerKind = indent >= 4 && (indent - 4) in kindOf ? kindOf[indent - 4] : ""
                isInside = head ~ / (private|fileprivate|internal|package) /
                isLeftOut = isHiddenNext || (indent >= 4 && hides[indent - 4])
                isHiddenNext = 0
                isGone = isUnavailable || (indent >= 4 && gone[indent - 4])
                isUnavailable = 0
                gone[indent] = isGone
                isPublic = !isGone && (head ~ / public / || !isInside && (outerKind == "protocol" || outerKind == "extension" || outerKind == "enum" && kind == "case"))
                if (kind == "extension") {
                    member = substr(text, index(text, " extension ") + 11)
                    match(member, /^[A-Za-z_][A-Za-z0-9_.]*/)
                    open[indent] = substr(member, RSTART, RLENGTH)
                    kindOf[indent] = head ~ / public / ? "extension" : ""
                    hides[indent] = isLeftOut
                } else if (kind ~ /^(struct|class|enum|protocol|actor)$/) {
                    member = named(text, kind)
                    open[indent] = (outer == "" ? "" : outer ".") member
                    kindOf[indent] = isPublic ? kind : ""
                    hides[indent] = isLeftOut
                    if (isPublic) add(open[indent], "", isLeftOut)
                } else if (isPublic) {
                    if (outer == "") add(named(text, kind), "", isLeftOut)
                    else add(outer, named(text, kind), isLeftOut)
                }
            }
        }
        close(file)
    }

    END {
        title["application"] = "application"; title["backend"] = "author of a backend"; title["delegate"] = "author of a delegate"
        title["macro"] = "generated or inlined code"; title["tool"] = "our own modules, the tool, the kit"
        print "# Public names\n"
        print "Written by `sh Scripts/public-names.sh`, which has the rules that say who reads a name. Declarations are counted: requirements of public"
        print "protocols, cases of public enums and overloads each by themselves; cases that share a line count once.\n"
        print "- **application**: the author of an application, also of one that follows models without providers or that serves many machines."
        print "- **author of a backend**: of a `NodeStore` or of a `FarTier`, and who runs the kit over it. A backend of ours is public because the cache is generic over it."
        print "- **author of a delegate**: of a `CacheDelegate` that is none of the caches of Grove."
        print "- **generated or inlined code**: what `@Cacheable` writes, models whose coding is written by hand, and what a read calls in the application because it is inlined."
        print "- **our own modules, the tool, the kit**: no one outside this package needs it.\n"
        print "*Hidden* are those that the reference leaves out: underscored names, and `@_documentation(visibility: internal)`.\n"
        printf "| module |"
        for (r = 1; r <= readers; r++) printf " %s |", title[reader[r]]
        print " all | hidden |"
        print "|---|---|---|---|---|---|---|---|"
        for (m = 1; m <= modules; m++) {
            printf "| %s |", name[m]
            sum = 0
            for (r = 1; r <= readers; r++) {
                n = count[name[m], reader[r]] + 0
                printf " %s |", n ? n : ""
                sum += n; all[r] += n
            }
            print " " sum " | " (hidden[name[m]] ? hidden[name[m]] : "") " |"
            left += hidden[name[m]]
        }
        printf "| **all** |"
        for (r = 1; r <= readers; r++) { printf " **%d** |", all[r]; whole += all[r] }
        print " **" whole "** | **" left "** |"
        for (m = 1; m <= modules; m++) {
            print "\n## " name[m]
            for (r = 1; r <= readers; r++) {
                key = name[m] SUBSEP reader[r]
                if (!count[key]) continue
                print "\n**" title[reader[r]] "** (" count[key] ")\n"
                for (t = 1; t <= types[key]; t++) {
                    type = listed[key, t]
                    printf "- `%s`", type
                    n = split(members[key, type], word, " ")
                    for (i = 1; i <= n; i++) {
                        gsub(/`/, "", word[i])
                        printf "%s`%s`%s", (i == 1 ? ": " : ", "), word[i], (times[key, type, word[i]] > 1 ? " × " times[key, type, word[i]] : "")
                    }
                    print ""
                }
            }
        }
    }
' >"$page"
cat "$page" >Docs/Internals/PublicNames.md
