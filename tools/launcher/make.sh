# SPDX-License-Identifier: BSD-2-Clause
#
# Has make bring goals up to date. Silent when there is nothing to do; the build's own output is shown when
# it fails, or under --verbose. Everything goes to stderr.

build_goals() {
    # A make that calls us must not lend us its job server or its flags.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    name_stamp "$@"
    ! is_fresh "$@" || return 0
    if ! { mkdir -p "$root/build/.fresh" && true >>"$root/build/.lock"; } 2>/dev/null; then
        make -q -C "$root" "$@" >/dev/null 2>&1 && return # nothing to build
        echo "quipu: $root/build cannot be written, and something is to be built there" >&2
        exit 1
    fi
    # Two launchers started together build one after the other.
    exec 9>"$root/build/.lock"
    flock 9
    touch "$stamp.new"
    if make -q -C "$root" "$@" >/dev/null 2>&1; then
        mv -f "$stamp.new" "$stamp"
    else
        rm -f "$stamp.new"
        run_make "$@"
    fi
    exec 9>&-
}

# A stamp is as old as the moment in which make began to find nothing to do for some goals: by its name, their last
# two parts each.
name_stamp() {
    stamp=$root/build/.fresh/
    for goal; do
        folder=${goal%/*}
        stamp=$stamp,${folder##*/},${goal##*/}
    done
}

# Whether there is nothing newer than the stamp: no file outside of build, no folder in which something came or went.
# This takes a fifth of the time in which make finds out that there is nothing to do.
is_fresh() {
    [ -e "$stamp" ] || return 1
    for goal; do
        case $goal in
        *=*) ;;
        */*) [ -e "$root/$goal" ] || return 1 ;;
        esac
    done
    newer=$(cd "$root" && find . \( -path ./.git -o -path ./build/.fresh -o -path ./build/mutants \) -prune -o -path './build/*' ! -type d -o \
        -newer "$stamp" -print -quit 2>&1) && [ -z "$newer" ]
}

run_make() {
    echo "quipu: building $* ..." >&2
    jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
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
