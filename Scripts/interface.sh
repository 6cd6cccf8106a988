#!/bin/sh
# Compares the public interface with that of the last tag: names that went, and declarations that changed.
#
#   sh Scripts/interface.sh [tag]    another tag than the last one
#
# Ends with 0 where nothing broke or there is no tag yet, with 1 where something broke. Before 1.0 a minor version may break;
# CHANGELOG.md then says what. SwiftPM builds both sides, without GROVE_DEVELOPMENT and with the traits that add names.
#
#   SWIFT   the swift command          FLAGS   flags for `swift package`
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
tag=${1:-$(git describe --tags --abbrev=0 --match '[0-9]*' 2>/dev/null || true)}
if [ -z "$tag" ]; then
    echo "interface: there is no tag yet to compare the public interface with"
    exit 0
fi
unset GROVE_DEVELOPMENT
# shellcheck disable=SC2086
exec $SWIFT package --scratch-path .build/interface --traits "${TRAITS:-Macros,Logging,Metrics}" ${FLAGS:-} \
    diagnose-api-breaking-changes "$tag"
