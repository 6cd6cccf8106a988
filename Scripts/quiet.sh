#!/bin/sh
# Runs a build or the tests and prints a page: failures in full, what was skipped, and swift's closing lines.
#
#   sh Scripts/quiet.sh LOG COMMAND...
#
# The whole output goes to the file LOG. The exit status is the command's.
set -u
log=$1
shift
mkdir -p "$(dirname "$log")"
result=$(mktemp)
trap 'rm -f "$result"' EXIT

# The filter leaves out the start and success of each test, and the steps of a build except at every tenth part. It
# prints all other lines, so that a line of an unforeseen kind is shown rather than lost.
# shellcheck disable=SC2016
filter='
    # The arguments of a test may have line breaks: its line ends where the sentence does.
    function ends() { return /(started\.|(passed|failed) after [0-9.]+ seconds.*)$/ }

    # Swift Testing begins its lines with a sign. The rest of a line that is left out goes with it.
    /^(◇|✔|✘|➜|↳)/ || /(^|: )([Ff]atal )?error: / { inside = 0 }
    inside { if (ends()) inside = 0; next }

    /^◇ (Test run|Suite)/ { next }
    /^◇ Test / {
        if (/^◇ Test case /) inside = !ends()
        # The last that began, to be named where the run ends early.
        begun[++last] = $0
        delete begun[last - 20]
        next
    }
    /^(✔|✘) Test run with/ { isOver = 1 }
    # What ended the run is said once more behind the tests that began: only the end of a long output may be kept.
    /(^|: )([Ff]atal )?error: / || /^\*\*\* (Signal|Program crashed)/ || /^ *[0-9]+ .* in GrovePackageTests/ {
        if (causes++ < 10) cause[causes] = $0
    }
    /^(✔|✘) Test / && !/^(✔|✘) Test (run|case)/ && / after [0-9.]+ seconds/ {
        if (++done % 100 == 0) say(done " tests are done.")
    }
    /^✔ Test case / { inside = !ends(); next }
    /^✔ (Test|Suite) / && !/^✔ Test run/ { next }

    # XCTest runs first, and has no tests here.
    /^Test Suite .* (started|passed) at / { next }
    /^[ \t]*Executed 0 tests, with 0 failures/ { next }
    /^↳ (Testing Library Version|Target Platform):/ { next }

    /^\[[0-9]+\/[0-9]+\] / {
        split(substr($1, 2), step, "/")
        steps = int(step[2])
        tenth = int(step[1] * 10 / (steps < 1 ? 1 : steps))
        # The number of steps grows while they are planned.
        if (steps >= 50 && tenth > told && tenth < 10) {
            told = tenth
            say("Built " step[1] " of " steps " steps.")
        }
        next
    }
    /^Building for [a-z]+\.\.\.$/ { next }

    { say($0) }

    function say(line) { print line; fflush() }

    END {
        if (isOver || !last) exit
        print "The run ended early. The last tests that began:"
        for (number = last > 20 ? last - 19 : 1; number <= last; number++) print "    " begun[number]
        for (number = 1; number <= 10 && number <= causes; number++) print cause[number]
    }
'

{
    "$@" 2>&1
    echo $? >"$result"
} | tee "$log" | awk "$filter"
status=$(cat "$result")
status=${status:-1}
[ "$status" = 0 ] || echo "This ended with status $status; all of its output is in $log."
exit "$status"
