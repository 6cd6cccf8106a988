# Makes Mutex the name of Grove's own lock, into which the thread sanitizer sees, in every folder of sources that is given and
# that uses one. A module's own type goes before an imported one, so nothing else changes.
replace_mutex() {
    for folder in "$@"; do
        grep -rqw 'import Synchronization' "$folder" || continue
        printf '%s\n' 'package import GroveModel' '' 'package typealias Mutex<Value: ~Copyable> = Lock<Value>' \
            > "$folder/Mutex.swift"
        # A file sees the members of what it imports by itself.
        grep -rlw 'import Synchronization' "$folder" | xargs grep -Lw 'import GroveModel' | while read -r file; do
            sed -i.bak 's/^\(.*import Synchronization\)$/import GroveModel\n\1/' "$file"
            rm "$file.bak"
        done
    done
}
