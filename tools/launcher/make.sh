# SPDX-License-Identifier: BSD-2-Clause
#
# Has make bring goals up to date. Silent when there is nothing to do; the build's own output is shown when
# it fails, or under --verbose. Everything goes to stderr.

build_goals() {
    jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
    # A make that calls us must not lend us its job server or its flags.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    if ! { mkdir -p "$root/build" && true >>"$root/build/.lock"; } 2>/dev/null; then
        make -q -C "$root" "$@" >/dev/null 2>&1 && return # nothing to build
        echo "quipu: $root/build cannot be written, and something is to be built there" >&2
        exit 1
    fi
    # Two launchers started together build one after the other.
    exec 9>"$root/build/.lock"
    flock 9
    if ! make -q -C "$root" "$@" >/dev/null 2>&1; then
        run_make "$@"
    fi
    exec 9>&-
}

run_make() {
    echo "quipu: building $* ..." >&2
    if [ -n "$opt_verbose" ]; then
        make -C "$root" --no-print-directory "-j$jobs" "$@" >&2 9>&- || build_failed=1
    else
        make -s -C "$root" --no-print-directory "-j$jobs" "$@" >"$root/build/.log" 2>&1 9>&- &
        [ ! -t 2 ] || show_progress $!
        wait $! || build_failed=1
        [ -z "${build_failed-}" ] || cat "$root/build/.log" >&2
    fi
    if [ -n "${build_failed-}" ]; then
        echo "quipu: the build failed" >&2
        exit 1
    fi
}

# While process $1 runs: how many files it has made so far, on a terminal.
show_progress() {
    while kill -0 "$1" 2>/dev/null; do
        printf '\rquipu: %d files ' "$(wc -l <"$root/build/.log")" >&2
        sleep 1 9>&-
    done
    printf '\r\033[K' >&2
}
