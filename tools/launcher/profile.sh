# SPDX-License-Identifier: BSD-2-Clause
#
# `./quipu profile`: takes its own options out of the arguments, checks them, and has verb_run do the rest: a profile is
# a run with a certain command, whose output tools/profile reads.

verb_profile() {
    opt_event='' opt_output= opt_profiled= opt_before=
    left=$#
    while [ "$left" -gt 0 ] && [ "$1" != -- ]; do
        case $1 in
        -h | --help) usage_profile && exit 0 ;;
        -e | -o | -c | --before)
            [ "$left" -ge 2 ] || bad_usage "profile: option '$1' needs a value"
            profile_option "$1" "$2"
            shift 2
            left=$((left - 2))
            continue
            ;;
        --commands | --commands=* | --gdb)
            bad_usage "profile: option '$1' does not go with a profile (see ./quipu profile --help)"
            ;;
        esac
        # Anything else is for `run`, behind what is there; with its value, which may look like an option of ours.
        next_option "$@"
        [ "$left" -ge "$width" ] || bad_usage "run: option '$name' needs a value"
        while [ "$width" -gt 0 ]; do
            set -- "$@" "$1"
            shift
            width=$((width - 1)) left=$((left - 1))
        done
    done
    check_profile
    while [ "$left" -gt 0 ]; do
        set -- "$@" "$1"
        shift
        left=$((left - 1))
    done
    opt_profile=1
    verb_run -c "${opt_before:+$opt_before; }tprof monitor ${opt_event:+-e $opt_event }-g $opt_profiled" "$@"
}

profile_option() {
    case $1 in
    -e)
        opt_event=$2
        [ -n "$2" ] || bad_usage "profile: -e '': not an event, or an event and a period"
        ;;
    -o) opt_output=$2 ;;
    -c) opt_profiled=$2 ;;
    --before) opt_before=$2 ;;
    esac
}

check_profile() {
    case $opt_event in
    *[!A-Za-z0-9_.:,/=-]*) bad_usage "profile: -e '$opt_event': not an event, or an event and a period" ;;
    esac
    case $opt_profiled in
    *[!\ ]*) ;;
    *) bad_usage "profile: -c 'COMMAND' is missing" ;;
    esac
    case $opt_profiled in
    *[\;\&]*) bad_usage "profile: -c takes one command, without ; and & (--before runs others first)" ;;
    esac
    [ -z "$opt_output" ] || [ ! -d "$opt_output" ] || bad_usage "profile: -o '$opt_output': is a folder"
    if [ -n "$opt_output" ] && ! { [ -w "$opt_output" ] || [ ! -e "$opt_output" ] && [ -w "$(dirname -- "$opt_output")" ]; }; then
        bad_usage "profile: -o '$opt_output': cannot be written"
    fi
}
