# SPDX-License-Identifier: BSD-2-Clause
#
# The roots of the matrix: a minimal Debian for each cell, configured as this machine's own apt is. No archive of
# packages is named here: the cell's are those of this machine, with the suite's name put in.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# archives SUITE: lines `URI SUITE-or-what-belongs-to-it`, as apt here has them for this machine's release
archives() (
    . /etc/os-release
    apt-get update --print-uris |
        sed -n "s#^'\(.*\)/dists/${VERSION_CODENAME:-none}\(\|-updates\|-security\)/InRelease'.*#\1 $1\2#p"
)

# make_root CELL: makes $cache/CELL, unless it is there
make_root() {
    suite=${1%-backports}
    [ ! -d "$cache/$1" ] || return 0
    make_base "$suite"
    say "$1: making its root"
    rm -rf --one-file-system "$cache/$1.part"
    cp -a --reflink=auto "$cache/base-$suite" "$cache/$1.part" || give_up "no room in $cache"
    configure_root "$cache/$1.part" "$1" || give_up "$1: its root cannot be written"
    mv "$cache/$1.part" "$cache/$1" || exit 3
}

# make_base SUITE: what debootstrap makes, before anything is configured
make_base() {
    [ ! -d "$cache/base-$1" ] || return 0
    main=$(archives "$1" | sed -n "s/ $1\$//p" | head -n 1)
    [ -n "$main" ] || give_up "apt on this machine knows no archive of its own release, so none for $1"
    say "$1: debootstrap makes a minimal system, about a minute (log: $cache/$1.log)"
    rm -rf --one-file-system "$cache/base-$1.part"
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "${proxy-}" ] || export http_proxy="$proxy"
    if ! in_namespace debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" "$1" \
        "$cache/base-$1.part" "$main" >"$cache/$1.log" 2>&1; then
        tail -n 5 "$cache/$1.log" >&2
        rm -rf --one-file-system "$cache/base-$1.part"
        give_up "debootstrap cannot make a root of $1 (is there a network?)"
    fi
    mv "$cache/base-$1.part" "$cache/base-$1" || exit 3
}

# configure_root ROOT CELL: apt as it is configured here; QEMU and its firmware from backports, if the cell is that
configure_root() {
    rm -f "$1/etc/apt/sources.list"
    archives "${2%-backports}" | while read -r uri suite; do
        echo "deb [signed-by=$keyring] $uri $suite main"
        if [ "$suite" != "$2" ] && [ "$suite-backports" = "$2" ]; then
            echo "deb [signed-by=$keyring] $uri $2 main"
        fi
    done >"$1/etc/apt/sources.list.d/matrix.list" || return 1
    case $2 in
    *-backports)
        printf 'Package: src:qemu src:seabios src:ipxe\nPin: release n=%s\nPin-Priority: 990\n' "$2" \
            >"$1/etc/apt/preferences.d/matrix" || return 1
        ;;
    esac
    apt-config dump Acquire >"$1/etc/apt/apt.conf.d/99matrix"
}
