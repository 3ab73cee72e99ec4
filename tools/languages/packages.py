"""The Debian packages with text in many languages, and their unpacked files. Those for training, for development and for
tests share no package."""

import pathlib
import subprocess

# As apt-cache finds them.
TRAINING_NAMES = "^(firefox-esr-l10n|libreoffice-l10n|hunspell|aspell|myspell)-[a-z]|^(calligra|krita|vlc)-l10n$|^libreoffice-help-[a-z]"
TRAINING = """
    abiword-common aisleriot akregator aptitude-common audacity-data baobab brasero-common caja-common cheese-common cinnamon-l10n
    claws-mail-i18n deluge-common digikam-data dolphin eog epiphany-browser-data evince-common evolution-common
    evolution-data-server-common file-roller filezilla-common five-or-more four-in-a-row freeciv-data gcompris-qt-data gedit-common
    gimp-data gnome-calendar gnome-chess gnome-clocks gnome-control-center-data gnome-klotski gnome-mahjongg gnome-maps gnome-mines
    gnome-nibbles gnome-robots gnome-shell-common gnome-software-common gnome-sudoku gnome-user-docs gnome-weather gnumeric-common
    gparted-common gramps grisbi-common gucharmap gwenview hexchat-common hitori homebank-data iagno ibus-data inkscape kalzium-data
    kanagram kate5-data kbruch kdeedu-kvtml-data kdenlive-data kdepim-runtime keepassxc kgeography-data khangman kio kmail konsole
    kpat ksirk ktouch-data kturtle libgtk-3-common libgtk-4-common libkf5config-data libkf5coreaddons-data libkf5i18n-data
    libkf5newstuff-data libkf5service-data libkf5widgetsaddons-data libkf5xmlgui-data lightsoff lxpanel-data marble-data
    mate-control-center-common mate-desktop-common mc-data minetest-data mousepad mutt nano nautilus-data okular orca parley-data
    pcmanfm plasma-desktop-data plasma-workspace-data qbittorrent quadrapassel rhythmbox-data shotwell-common simple-scan solfege step
    swell-foop sylpheed-i18n synaptic system-config-printer-common tali thunar-data totem-common transmission-common tuxpaint-data
    unicode-cldr-core xfce4-panel xfce4-settings
"""
DEVELOPMENT = "bash coreutils gnucash-common gnupg-l10n grep libglib2.0-data pidgin-data tar util-linux-locales wesnoth-1.16-core wget"
MANUALS_NAMES = "^manpages-[a-z-]+$"
MESSAGES = """
    adduser apt debconf-i18n dpkg gnome-calculator gnome-desktop3-data gnome-session-common gnome-system-monitor gnome-terminal-data
    gvfs-common network-manager-gnome policykit-1 seahorse xdg-user-dirs xkb-data yelp zenity-common
"""
MANUALS = "console-setup grub-common installation-guide-amd64 keyboard-configuration openssh-server popularity-contest tasksel-data"
NAMES = "iso-codes"

# What is unpacked.
PATTERNS = ["*.mo", "*.xpi", "*.dic", "*.aff", "*.cwl.gz", "*/annotations/*.xml", "*.kvtml", "*/help/*.page", "*/man/*.gz", "*/libreoffice/help/*.html",
            "*/installation-guide*/*.html"]


def found(pattern):
    lines = subprocess.run(["apt-cache", "search", "--names-only", pattern], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in lines.splitlines()]
    return [name for name in names if not name.endswith(("-all", "-dev", "-tools")) and not name.startswith("libreoffice-help-common")]


def names_of(part):
    """Of training, development, and for tests manuals, messages and names."""
    if part == "training":
        return TRAINING.split() + found(TRAINING_NAMES)
    if part == "manuals":
        return MANUALS.split() + found(MANUALS_NAMES)
    return {"development": DEVELOPMENT, "messages": MESSAGES, "names": NAMES}[part].split()


def unpack(archive, folder):
    """Messages, words and pages of one package, and its questions to administrators."""
    folder.mkdir(parents=True)
    content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder, "--wildcards", *PATTERNS], stdin=content.stdout, stderr=subprocess.DEVNULL, check=False)
    content.wait()
    templates = subprocess.run(["dpkg-deb", "-I", archive, "templates"], capture_output=True, check=False)
    if templates.returncode == 0:
        (folder / "templates").write_bytes(templates.stdout)


def fetch(part, folder):
    """Downloads and unpacks the packages of a part that are not there yet. The folder of each, by name."""
    folder = pathlib.Path(folder)
    archives = folder / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    names = names_of(part)
    missing = [name for name in names if not (folder / "files" / name).exists()]
    for begin in range(0, len(missing), 40):
        subprocess.run(["apt-get", "-q", "download", *missing[begin:begin + 40]], cwd=archives, check=True, stdout=subprocess.DEVNULL)
    for name in missing:
        for archive in archives.glob(f"{name}_*.deb"):
            unpack(archive.resolve(), folder / "files" / name)
    return {name: folder / "files" / name for name in names if (folder / "files" / name).exists()}
