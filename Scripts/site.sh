#!/bin/sh
# Opens pages of a site over the loopback in a headless Chromium, at the widths of a phone and of a desktop, light and dark.
#
# Saves a picture of each beside the site. Fails if a page writes to the console, is wider than its window, shows nothing, or has a link to a
# page of the site that is not there.
#
#   sh Scripts/site.sh FOLDER PATH…    such as: sh Scripts/site.sh .build/docs/site documentation/grove
set -eu
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$chromium" ] || { echo "site: no Chromium (Debian: apt-get install chromium)" >&2; exit 1; }
site=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
: >"$work/served"
python3 -u -m http.server --bind 127.0.0.1 --directory "$site" 0 >"$work/served" 2>/dev/null &
server=$!
trap 'kill $server; rm -rf "$work" "$site/frame.html"' EXIT
trap 'exit 130' INT TERM
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/served") && [ -n "$port" ]; do sleep 0.1; done
# A frame, as a window is never narrower than 500. Says how wide and high the page became, and which of its links lead nowhere.
cat >"$site/frame.html" <<'PAGE'
<!doctype html><title></title><style>body{margin:0}iframe{border:0;height:2000px;display:block}</style><iframe></iframe><script>
const frame = document.querySelector('iframe'), [width, path] = location.hash.slice(1).split(',')
frame.style.width = width + 'px'
frame.src = '/' + path + '/'
const poll = setInterval(async () => {
    const page = frame.contentDocument
    if (!page?.querySelector('h1')) return
    clearInterval(poll)
    const found = [page.documentElement.scrollWidth, page.documentElement.scrollHeight]
    const links = new Set([...page.querySelectorAll('a[href]')].map(a => a.href.split('#')[0]).filter(a => a.startsWith(location.origin)))
    const broken = await Promise.all([...links].map(async a => (await fetch(a, {method: 'HEAD'})).ok ? '' : a))
    document.title = ['found', ...found, links.size, ...broken.filter(a => a)].join(' ')
}, 100)
</script>
PAGE
status=0
for page in "$@"; do
    for width in 390 1280; do
        for scheme in light dark; do
            address="http://127.0.0.1:$port/frame.html#$width,$page"
            set -- --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --virtual-time-budget=20000
            [ $scheme = light ] || set -- "$@" --blink-settings=preferredColorScheme=0 --force-dark-mode
            "$chromium" "$@" --window-size=1400,2000 --enable-logging=stderr --dump-dom "$address" >"$work/dom" 2>"$work/log"
            read -r found _ links broken <<WORDS
$(sed -n 's/.*<title>found \([^<]*\)<.*/\1/p' "$work/dom")
WORDS
            said=$(grep CONSOLE "$work/log" || true)
            if [ "${found:-0}" -lt 1 ] || [ "$found" -gt $width ] || [ "${links:-0}" -lt 1 ] || [ -n "$broken$said" ]; then
                echo "site: $page at $width, $scheme: ${found:-nothing shown} wide, ${links:-0} links; $broken $said" >&2
                status=1
            fi
            "$chromium" "$@" --window-size=$width,2000 --screenshot="$site/../$(basename "$page")-$width-$scheme.png" "$address" 2>/dev/null
        done
    done
    echo "$page: $links links lead somewhere; pictures beside the site, at 390 and 1280 pixels, light and dark"
done
exit $status
