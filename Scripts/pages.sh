#!/bin/sh
# Opens pages in a headless Chromium at the widths of a phone and of a desktop, light and dark, and saves pictures of them beside the pages.
# Fails if a page writes to the console, loads something, or is wider than the window.
#
#   sh Scripts/pages.sh PAGE.html …
set -eu
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$chromium" ] || { echo "pages: no Chromium (Debian: apt-get install chromium)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
status=0
# Beside the page, what says how wide it became, and what it loaded; in a frame, as a window is never narrower than 500.
probe='<script>addEventListener("load",()=>{parent.postMessage(`found ${document.documentElement.scrollWidth} ${document.documentElement.scrollHeight} ${performance.getEntriesByType("resource").length}`,"*")})</script>'
for page in "$@"; do
    cp "$page" "$work/page.html"
    printf '%s\n' "$probe" >>"$work/page.html"
    for width in 390 1280; do
        printf '<title></title><script>onmessage=e=>document.title=e.data</script><iframe src="page.html" style="width:%spx;height:2000px;border:0"></iframe>\n' \
            $width >"$work/frame.html"
        for scheme in light dark; do
            set -- --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile"
            [ $scheme = light ] || set -- "$@" --blink-settings=preferredColorScheme=0 --force-dark-mode
            "$chromium" "$@" --window-size=1400,2000 --enable-logging=stderr --dump-dom "file://$work/frame.html" \
                >"$work/dom" 2>"$work/log"
            read -r found height loaded <<WORDS
$(sed -n 's/.*<title>found \([^<]*\)<.*/\1/p' "$work/dom")
WORDS
            said=$(grep CONSOLE "$work/log" || true)
            if [ -z "$found" ] || [ "$found" -gt $width ] || [ "$loaded" -gt 0 ] || [ -n "$said" ]; then
                echo "pages: $page at $width, $scheme: $found wide, $loaded loaded; $said" >&2
                status=1
            fi
            "$chromium" "$@" --window-size=$width,"$((height > 12000 ? 12000 : height))" \
                --screenshot="${page%.html}-$width-$scheme.png" "file://$(realpath "$page")" 2>/dev/null
        done
    done
    echo "$page: pictures beside it, at 390 and 1280 pixels, light and dark"
done
exit $status
