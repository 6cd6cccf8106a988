#!/bin/sh
# Checks the imports of every source file against the layers of the architecture.
#
# Prints each violation as file:line and ends with 1; prints one line and ends with 0 when there is none.
#
#   sh Scripts/layering.sh [directory]    the package's root; this one's by default
set -eu
cd "${1:-$(dirname "$0")/..}"

# A folder, then what of ours it may import. A folder under Sources, Conformance or Benchmarks that is not
# here is a violation; Benchmarks/Peers and Benchmarks/Outbox are packages of their own.
# Foundation in the folders marked * is imported as FoundationEssentials where that exists; without a mark, as it likes.
layers='
Sources/GrovePlatform*
Sources/GroveModel* GrovePlatform
Sources/GroveCoding* GroveModel GrovePlatform
Sources/GroveMacros* GroveCoding GroveModel
Sources/GroveMacrosPlugin/Code
Sources/GroveMacrosPlugin/Plugin GroveMacrosCode
Sources/GroveConsistency* GroveModel
Sources/GroveProviders* GroveConsistency GroveModel
Sources/GroveOutbox* GroveCache GroveCoding GroveConsistency GroveModel GroveProviders GrovePlatform
Sources/GroveCache* GroveCoding GroveModel GrovePlatform
Sources/GroveInspect* GroveCache GroveCoding GroveModel
Sources/GroveShared* GroveCache GroveCoding GroveModel
Sources/Backends/Memory* GroveCache GroveCoding GroveModel GrovePlatform
Sources/Backends/LMDB* GroveCache GroveCoding GroveModel CLMDB GrovePlatform
Sources/Backends/SQLite* GroveCache GroveCoding GroveModel CSQLite GrovePlatform
Sources/Backends/LevelDB* GroveCache GroveCoding GroveModel CLevelDB GrovePlatform
Sources/GroveTesting* GroveCache GroveMemory GroveModel
Sources/GroveTestingTraits* GroveTesting
Sources/Adapters/Logging* GroveCache GroveModel
Sources/Adapters/Metrics* GroveCache GroveModel
Sources/Adapters/Postgres* GroveShared GroveCoding GroveModel CPostgres GrovePlatform
Sources/Grove GroveModel GroveMacros GroveConsistency GroveProviders
Benchmarks/Compare GroveCoding GroveModel GroveCache GroveInspect GroveMemory GroveLMDB GroveSQLite GroveLevelDB GroveFloor GroveConsistency GroveProviders GrovePlatform
Benchmarks/CompareMain GroveCompare GroveConformance GroveCache GroveCoding GrovePlatform
Sources/GroveTool GroveModel GroveCoding GroveCache GroveInspect GroveShared GroveCompare GroveConformance GroveHarnesses GroveMutants GrovePlatform
Conformance/Fuzz GroveCache GroveCoding GroveInspect GroveMemory GroveModel
Conformance/FifthBackend GroveConformance GroveCache GroveModel CRocks RocksStore
Conformance/Kit GroveCache GroveCoding GroveModel GrovePlatform
Conformance/Harnesses GroveConformance GroveMemory GroveLMDB GroveSQLite GroveLevelDB
Conformance/Shared GroveShared GroveMemory GroveCache GroveCoding GroveModel
Conformance/SharedPostgres GrovePostgres GroveShared GroveSharedRules GroveMemory GroveSQLite GroveCache GroveCoding GroveModel
Conformance/Mutants GroveConformance GroveHarnesses GroveCache GroveCoding GroveModel GrovePlatform
'

find Sources Conformance Benchmarks -path Benchmarks/Peers -prune -o -path Benchmarks/Outbox -prune -o -name '*.swift' -print 2>/dev/null | LC_ALL=C sort | LAYERS=$layers awk '
    BEGIN {
        rows = split(ENVIRON["LAYERS"], row, "\n")
        for (i = 1; i <= rows; i++) {
            words = split(row[i], word, " ")
            if (words == 0) continue
            folder = word[1]
            strict = sub(/\*$/, "", folder)
            known[folder] = 1
            guarded[folder] = strict
            for (j = 2; j <= words; j++) allowed[folder, word[j]] = 1
        }
    }

    function complain(text) {
        print file ":" number ": " text
        violations++
    }

    # The longest folder of the table that holds the file.
    function layer(path,    folder) {
        folder = path
        while (sub(/\/[^\/]*$/, "", folder)) if (folder in known) return folder
        return ""
    }

    function ours(module) { return module ~ /^Grove/ || module ~ /^C(LMDB|SQLite|LevelDB|Postgres|Rocks)$/ }

    # Whether the line stands in a branch taken with (kind "yes") or without ("no") FoundationEssentials.
    function inside(kind,    k) {
        for (k = 1; k <= depth; k++) if (branch[k] == kind) return 1
        return 0
    }

    function imported(module) {
        if (ours(module)) {
            if (!((folder, module) in allowed)) complain(folder " must not import " module)
        } else if (folder ~ /^Conformance\// && module ~ /^_?(Testing|XCTest)/) {
            complain(folder " must not import a test framework (" module ")")
        } else if (guarded[folder] && module == "Foundation" && !inside("no")) {
            complain(folder " imports Foundation only in the #else of #if canImport(FoundationEssentials)")
        } else if (guarded[folder] && module == "FoundationEssentials" && !inside("yes")) {
            complain(folder " imports FoundationEssentials only under #if canImport(FoundationEssentials)")
        }
    }

    {
        file = $0
        files++
        number = 0
        depth = 0
        folder = layer(file)
        if (folder == "") {
            number = 1
            complain("no layer is known for this folder; add it to Scripts/layering.sh")
            next
        }
        while ((getline line < file) > 0) {
            number++
            if (line ~ /^[ \t]*#if[ \t]/) {
                depth++
                branch[depth] = line ~ /^[ \t]*#if[ \t]+canImport\(FoundationEssentials\)[ \t]*(\/\/.*)?$/ ? "yes" : "other"
            } else if (line ~ /^[ \t]*#else/) {
                branch[depth] = branch[depth] == "yes" ? "no" : branch[depth]
            } else if (line ~ /^[ \t]*#endif/) {
                depth--
            } else if (line ~ /^[ \t]*(@[A-Za-z_]+(\([^)]*\))?[ \t]+)*((public|package|internal|fileprivate|private)[ \t]+)?import[ \t]/) {
                sub(/^.*import[ \t]+((struct|class|enum|protocol|func|var|let|typealias|actor)[ \t]+)?/, "", line)
                sub(/[^A-Za-z0-9_].*$/, "", line)
                imported(line)
            }
        }
        close(file)
    }

    END {
        if (violations > 0) exit 1
        if (files == 0) {
            print "layering: no sources were found"
            exit 1
        }
        print "layering: " files " files import what they may and no more"
    }
'
