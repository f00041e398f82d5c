# SPDX-License-Identifier: BSD-2-Clause
#
# The options of `./quipu run`: reads them into opt_* variables and refuses bad ones before anything is
# installed or built. opt_consumed is the number of arguments that were options, `--` included.

opt_verbose=

# Splits --name=value, and insists that an option that wants a value has one.
next_option() {
    name=$1
    value=
    width=1
    case $1 in
    --*=*)
        name=${1%%=*}
        value=${1#*=}
        has_value=1
        ;;
    *) has_value= ;;
    esac
    case $name in
    --arch | --on | --boot | --cpus | --memory | -c | --commands | --append | --timeout | --disk | --cdrom | --pmu | --add | --script)
        if [ -z "$has_value" ]; then
            [ $# -ge 2 ] || bad_usage "run: option '$name' needs a value"
            value=$2
            width=2
        fi
        ;;
    --net) ;; # with a value or without
    *) [ -z "$has_value" ] || bad_usage "run: unknown option '$1', or it takes no value" ;;
    esac
}

run_options() {
    opt_arch= opt_on=qemu opt_boot= opt_cpus=1 opt_memory=128 opt_timeout=120 opt_append= opt_disk= opt_cdrom=
    opt_script= opt_stop= opt_commands= opt_deterministic= opt_gdb= opt_checked= opt_net= opt_pmu=1 opt_pmu_words= opt_singlestep= opt_test= opt_core= opt_add=
    opt_consumed=0
    while [ $# -gt 0 ]; do
        if [ "$1" = -- ]; then
            opt_consumed=$((opt_consumed + 1))
            break
        fi
        next_option "$@"
        case $name in
        --arch) opt_arch=$value ;;
        --on) opt_on=$value ;;
        --boot) opt_boot=$value ;;
        --cpus) opt_cpus=$value ;;
        --memory) opt_memory=$value ;;
        --timeout) opt_timeout=$value ;;
        --append) opt_append=$value ;;
        -c | --commands)
            [ -z "$opt_script" ] || bad_usage "run: -c or --script is given twice (separate commands with ;)"
            opt_commands=$value opt_script=commands
            ;;
        --script)
            [ -z "$opt_script" ] || bad_usage "run: -c or --script is given twice"
            [ "$value" = - ] || image_file "$name" "$value"
            opt_commands=$value opt_script=script
            ;;
        -e) opt_stop=1 ;;
        --add) added_file "$value" ;;
        --deterministic) opt_deterministic=1 ;;
        --disk) opt_disk=$value && image_file "$name" "$value" ;;
        --cdrom) opt_cdrom=$value && image_file "$name" "$value" ;;
        --checked) opt_checked=1 ;;
        --net) opt_net=auto && [ -z "$has_value" ] || network_card "$value" ;;
        --no-pmu) opt_pmu= ;;
        --singlestep) opt_singlestep=1 ;;
        --pmu) opt_pmu_words=$value ;;
        --test) opt_test=1 ;;
        --core) opt_core=1 ;;
        --verbose) opt_verbose=1 ;;
        --gdb) opt_gdb=1 ;;
        -h | --help) usage_run && exit 0 ;;
        -*) bad_usage "run: unknown option '$1' (./quipu run --help lists them)" ;;
        *) bad_usage "run: unexpected argument '$1' (commands go after -c, emulator arguments after --)" ;;
        esac
        shift "$width"
        opt_consumed=$((opt_consumed + width))
    done
    # Without a terminal nobody types: what comes is a script.
    if [ -z "$opt_script$opt_gdb" ] && [ ! -t 0 ]; then
        opt_commands=- opt_script=script
    fi
    [ -z "$opt_stop" ] || [ -n "$opt_script" ] || bad_usage "run: -e is for -c, --script, or standard input that is not a terminal"
    check_machine
    check_numbers
    check_texts
}

# image_file OPTION FILE
image_file() {
    [ -f "$2" ] && [ -r "$2" ] || bad_usage "run: $1 '$2': no such file, or it cannot be read"
}

# added_file HOST=/GUEST: a line of opt_add
added_file() {
    case $1 in
    *=/*) [ -e "${1%%=*}" ] || [ -L "${1%%=*}" ] || bad_usage "run: --add '$1': no such file" ;;
    *) bad_usage "run: --add '$1': not HOST=/GUEST" ;;
    esac
    opt_add="$opt_add$1
"
}

# network_card NAME
network_card() {
    one_of --net "$1" virtio pcnet
    opt_net=$1
}

# one_of OPTION VALUE CHOICE...
one_of() {
    option=$1 chosen=$2
    shift 2
    for choice in "$@"; do
        [ "$chosen" != "$choice" ] || return 0
    done
    bad_usage "run: $option '$chosen': choose one of: $*"
}

check_machine() {
    one_of --on "$opt_on" qemu gxemul bochs
    # An emulator that knows one machine, or one way to boot, is asked for that unless told otherwise.
    case $opt_on in
    gxemul) : "${opt_arch:=mips}" ;;
    bochs) : "${opt_boot:=iso}" ;;
    esac
    : "${opt_arch:=x86_64}" "${opt_boot:=direct}"
    one_of --arch "$opt_arch" x86_64 mips
    one_of --boot "$opt_boot" direct iso
    case $opt_on-$opt_arch-$opt_boot in
    gxemul-x86_64-*) bad_usage "run: gxemul runs --arch mips only" ;;
    bochs-mips-*) bad_usage "run: bochs runs --arch x86_64 only" ;;
    bochs-*-direct) bad_usage "run: bochs boots an ISO only (--boot iso)" ;;
    *-mips-iso) bad_usage "run: --boot iso is for x86_64; the mips machine boots directly" ;;
    esac
    if [ "$opt_on" != qemu ]; then
        [ -z "$opt_deterministic" ] || bad_usage "run: --deterministic works with --on qemu only"
        [ -z "$opt_disk$opt_cdrom" ] || bad_usage "run: --disk and --cdrom work with --on qemu only"
        [ -z "$opt_singlestep" ] || bad_usage "run: --singlestep works with --on qemu only"
        [ -z "$opt_net" ] || bad_usage "run: --net works with --on qemu only"
        [ -z "$opt_gdb" ] || bad_usage "run: --gdb works with --on qemu only"
        [ -z "$opt_pmu_words" ] || bad_usage "run: --pmu works with --on qemu only"
        [ -z "$opt_add" ] || bad_usage "run: --add works with --on qemu only"
    fi
    [ -z "$opt_core" ] || [ -z "$opt_checked" ] || bad_usage "run: --core and --checked exclude each other"
    [ -z "$opt_core" ] || [ -z "$opt_add" ] || bad_usage "run: --core has no files to --add to"
    [ -n "$opt_pmu" ] || [ -z "$opt_pmu_words" ] || bad_usage "run: --pmu and --no-pmu exclude each other"
}

# in_range OPTION VALUE LOW HIGH: a decimal number without a sign
in_range() {
    case $2 in
    '' | *[!0-9]* | ??????*) bad_usage "run: $1 '$2': not a number from $3 to $4" ;;
    esac
    if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
        [ "$3" -ne "$4" ] || bad_usage "run: $1 $2: this machine has $3"
        bad_usage "run: $1 $2: not a number from $3 to $4"
    fi
}

check_numbers() {
    cpus=16 memory=4096
    if [ "$opt_arch" = mips ]; then
        cpus=1 memory=2048
    fi
    case $opt_on in
    bochs) cpus=1 memory=2048 ;;
    esac
    in_range --cpus "$opt_cpus" 1 "$cpus"
    in_range --memory "$opt_memory" 16 "$memory"
    case $opt_timeout in
    *[!0-9.]* | *.*.* | ?????????*) bad=1 ;;
    *[1-9]*) bad= ;;
    *) bad=1 ;;
    esac
    [ -z "$bad" ] || bad_usage "run: --timeout '$opt_timeout': not a positive number of seconds"
}

# printable OPTION TEXT LIMIT MORE. In the C locale ${#...} and patterns work on bytes, in every shell. MORE are
# bytes that may be there as well.
printable() (
    LC_ALL=C
    export LC_ALL
    case $2 in
    *[!\ -~$4]*) bad_usage "run: $1: only printable bytes can be passed, no line breaks or control characters" ;;
    esac
    [ "${#2}" -le "$3" ] || bad_usage "run: $1: ${#2} bytes, more than $3"
)

check_texts() {
    [ "$opt_script" != commands ] || printable -c "$opt_commands" 16384 "$(printf '\n\t')" || exit
    # QEMU's Malta keeps 255 bytes of command line, and puts the boot module's place before the words.
    printable --append "$opt_append" 192 '' || exit
}
