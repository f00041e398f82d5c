# SPDX-License-Identifier: BSD-2-Clause
#
# Installs missing Debian packages, as the file `packages` lists them. Nothing runs when none is missing.

# is_there PROOF: a command's name, or a file's path, which may be a pattern
is_there() {
    case $1 in
    /*)
        for file in $1; do
            [ ! -e "$file" ] || return 0
        done
        return 1
        ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# missing_packages GROUP...: prints those of the groups (`all`: of any group but `guests`) whose proof is absent
missing_packages() {
    while read -r package proof its_groups rest; do
        case $package in
        '' | '#'*) continue ;;
        esac
        [ "$its_groups" = guests ] || its_groups=$its_groups,all
        needed=
        for group; do
            case ,$its_groups, in
            *",$group,"*) needed=1 ;;
            esac
        done
        if [ -n "$needed" ] && ! is_there "$proof"; then
            printf '%s ' "$package"
        fi
    done <"$root/packages"
}

# install_groups PURPOSE GROUP...
install_groups() {
    purpose=$1
    shift
    missing=$(missing_packages "$@")
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if [ -n "${QUIPU_NO_INSTALL-}" ] && [ "$QUIPU_NO_INSTALL" != 0 ]; then
        echo "quipu: missing Debian packages, needed to $purpose: $missing" >&2
        exit 3
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null 2>&1 || no_install "not root, and there is no sudo"
    fi
    command -v apt-get >/dev/null 2>&1 || no_install "this system has no apt-get"
    echo "quipu: installing Debian packages, needed to $purpose: $missing" >&2
    log=$(mktemp) || exit 3
    # An index that cannot be renewed does not have to matter: the installation decides.
    # shellcheck disable=SC2086 # a list of plain words
    if { $as_root apt-get update || true; } >"$log" 2>&1 </dev/null &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            -o Acquire::Retries=3 $missing >>"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        tail -n 15 "$log" >&2
        rm -f "$log"
        no_install "apt-get failed"
    fi
    missing=$(missing_packages "$@")
    [ -z "$missing" ] || no_install "apt-get ran, but something is still absent"
}

no_install() {
    echo "quipu: $1; install these Debian packages: $missing" >&2
    exit 3
}
