"""The file itself: its tables, the marks by which it is recognised, and what can go wrong."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from featlearn.errors import StoreError

APPLICATION_ID = 0x6665_6C6E  # 'feln'
SCHEMA_VERSION = 1
PATIENCE = 10.0  # seconds to wait for another process

_TABLES = (
    """
    CREATE TABLE cells (
        id TEXT PRIMARY KEY,
        study TEXT NOT NULL,
        version INTEGER NOT NULL,
        parameters TEXT NOT NULL,
        repetition INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        versions TEXT NOT NULL,
        device TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'diverged', 'failed')),
        seconds REAL,
        started TEXT NOT NULL,
        finished TEXT,
        message TEXT NOT NULL
    )
    """,
    "CREATE INDEX cells_by_study ON cells (study, state)",
    """
    CREATE TABLE measurements (
        cell TEXT NOT NULL REFERENCES cells (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        value REAL NOT NULL,
        PRIMARY KEY (cell, name)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE plans (
        id TEXT PRIMARY KEY,
        study TEXT NOT NULL,
        tier TEXT NOT NULL,
        settings TEXT NOT NULL,
        seeds INTEGER NOT NULL,
        cells TEXT NOT NULL,
        command TEXT NOT NULL,
        created TEXT NOT NULL,
        seconds REAL NOT NULL,
        code TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE findings (
        plan TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        finding TEXT NOT NULL,
        PRIMARY KEY (plan, position)
    ) WITHOUT ROWID
    """,
)


def open_store(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open the file, or create it, and make sure that it is one of ours."""
    _check_place(path, read_only=read_only)
    with explained(path):
        connection = _connect(path, read_only=read_only)
        try:
            _recognise(connection, path)
            if not read_only:
                _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a sentence that names the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_sentence(error, path)) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _check_place(path: Path, *, read_only: bool) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a directory. Name a file in it: --store {path / 'x.sqlite'}.")
    if not path.parent.is_dir():
        raise StoreError(
            f"The directory {path.parent} does not exist. Create it, or choose another --store."
        )
    if read_only and not path.exists():
        raise StoreError(
            f"There is no store at {path}. Run `featlearn verify` first, or choose another --store."
        )


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if not read_only:
        return _open_uri(path.absolute().as_uri() + "?mode=rwc")
    try:
        connection = _open_uri(path.absolute().as_uri() + "?mode=ro")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError as error:
        # A reader of a write-ahead log makes a file beside it. Where that is not allowed and
        # there is no log, the file cannot be changing and may be read as it lies.
        refused = error.sqlite_errorname in ("SQLITE_CANTOPEN", "SQLITE_READONLY_DIRECTORY")
        if not refused or path.with_name(path.name + "-wal").exists():
            raise
        return _open_uri(path.absolute().as_uri() + "?immutable=1")


def _open_uri(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _recognise(connection: sqlite3.Connection, path: Path) -> None:
    owner, version, tables = _marks(connection)
    if owner != APPLICATION_ID and (owner or tables):
        raise StoreError(
            f"{path} is an SQLite file of another program; it was left untouched. "
            "Choose another --store."
        )
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer featlearn (store version {version}, this one reads up "
            f"to {SCHEMA_VERSION}). Upgrade featlearn, or choose another --store."
        )


def _marks(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Owner, version and number of tables at one moment: another process may be creating them."""
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if alone:
        connection.execute("COMMIT")
    return owner, version, tables


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _write_ahead(connection)
    if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
        return
    with transaction(connection):
        _recognise(connection, path)  # another process may have been first
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and one writer go on side by side. SQLite itself does not wait for this."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


_REMEDIES = {
    "SQLITE_NOTADB": "{path} is not an SQLite file. Choose another --store.",
    "SQLITE_CORRUPT": (
        "{path} is damaged. Restore a copy, or choose another --store and run again."
    ),
    "SQLITE_FULL": (
        "The disk that holds {path} is full. What was complete is kept; free some space and "
        "run the same command again."
    ),
    "SQLITE_BUSY": (
        "{path} is locked by another process. Wait until it ends, or choose another --store."
    ),
    "SQLITE_LOCKED": (
        "{path} is locked by another process. Wait until it ends, or choose another --store."
    ),
    "SQLITE_READONLY": (
        "{path} cannot be written. Change its permissions, or choose another --store."
    ),
    "SQLITE_PERM": ("{path} cannot be written. Change its permissions, or choose another --store."),
    "SQLITE_CANTOPEN": (
        "{path} cannot be opened for lack of permission. Change the permissions of the file and "
        "its directory, or choose another --store."
    ),
    "SQLITE_IOERR": (
        "{path} could not be read or written by the operating system. Check the disk, or choose "
        "another --store."
    ),
}


def _sentence(error: sqlite3.Error, path: Path) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    for known, remedy in _REMEDIES.items():
        if name.startswith(known):
            return remedy.format(path=path)
    return f"{path} could not be used as a store: {error}. Choose another --store."
