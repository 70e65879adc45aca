//! Owner-only files: letters, exports, and secrets generated once even when several processes start together.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use crate::clock::Entropy;

/// Content of `folder/name`; writes `fresh` first if it is missing.
pub fn read_or_create(
    folder: &Path,
    name: &str,
    entropy: &Entropy,
    fresh: impl FnOnce() -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    create_missing_dirs(folder)?;
    let path = folder.join(name);
    if !path.exists() {
        let draft = draft_path(folder, name, entropy);
        write_new(&draft, &fresh())?;
        // The first process's hard link wins; later ones read that file.
        let linked = fs::hard_link(&draft, &path);
        fs::remove_file(&draft)?;
        if let Err(e) = linked
            && e.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(e);
        }
    }
    fs::read(&path)
}

/// Replaces `folder/name`. A different previous file is kept beside it, with `stamp` appended to its name.
pub fn replace_with_backup(folder: &Path, name: &str, bytes: &[u8], stamp: &str) -> io::Result<()> {
    let path = folder.join(name);
    match fs::read(&path) {
        Ok(there) if there == bytes => return Ok(()),
        Ok(_) => fs::rename(&path, folder.join(format!("{name}.replaced-{stamp}")))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => create_missing_dirs(folder)?,
        Err(e) => return Err(e),
    }
    write_new(&path, bytes)
}

/// Replaces `folder/name` atomically: readers see the old or the new content, also after a power cut.
pub fn write_atomic(folder: &Path, name: &str, bytes: &[u8], entropy: &Entropy) -> io::Result<()> {
    create_missing_dirs(folder)?;
    let draft = draft_path(folder, name, entropy);
    let written = write_new(&draft, bytes).and_then(|()| fs::rename(&draft, folder.join(name)));
    if written.is_err() {
        drop(fs::remove_file(&draft));
    }
    written?;
    fs::File::open(folder)?.sync_all()
}

/// Removes the drafts of `folder/name` that a killed process left. Returns whether there were any.
pub fn delete_leftover_drafts(folder: &Path, name: &str) -> io::Result<bool> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        entries => entries?,
    };
    let mut is_any_removed = false;
    for entry in entries {
        let entry = entry?;
        if is_draft_name(&entry.file_name().to_string_lossy(), name) {
            fs::remove_file(entry.path())?;
            is_any_removed = true;
        }
    }
    Ok(is_any_removed)
}

/// Whether [`draft_path`] makes this name.
fn is_draft_name(found: &str, name: &str) -> bool {
    let added = found.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
    let Some((process, random)) = added.and_then(|added| added.split_once('.')) else { return false };
    process.parse::<u32>().is_ok() && random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Unique per process; process ids alone can collide between containers.
fn draft_path(folder: &Path, name: &str, entropy: &Entropy) -> PathBuf {
    folder.join(format!("{name}.{}.{:016x}", std::process::id(), u64::from_le_bytes(entropy.random_bytes())))
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Creates a private folder with its parents. An existing one becomes private.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    create_missing_dirs(path)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Sets an owner-only umask for new files and folders, because libraries create databases, their logs and uploads with
/// default permissions.
pub fn set_umask() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Not walked at a usual start, because they hold a file per photo; mode 0700 of the folder suffices.
const SKIPPED_DIRS: [&str; 3] = ["uploads", "spool", "backups"];
/// Entries checked at a usual start; the rest is protected by its folder.
const MAX_ENTRIES: usize = 10_000;
/// Depth below the data folder checked at a usual start.
const MAX_DEPTH: usize = 3;
/// File in the data folder: everything below it was walked once, since the folder was open to others.
const WALKED_MARKER: &str = "permissions-checked";

/// Creates the data folder and removes other users' permissions on it and its contents: on all of them if the folder was
/// open to others or was never walked whole, else within limits. Symbolic links are not followed. Errors: when it cannot
/// be created, is shared by design (`/`, `/tmp`), or belongs to another user; what belongs to one below
/// `SKIPPED_DIRS`, such as a backup made by root, is only logged.
pub fn protect_data_dir(data_dir: &Path) -> io::Result<()> {
    create_missing_dirs(data_dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = fs::metadata(data_dir)?.mode();
        if mode & 0o1000 != 0 || fs::canonicalize(data_dir)?.parent().is_none() {
            return Err(io::Error::other("it is shared with others: choose a folder of its own"));
        }
        let marker = data_dir.join(WALKED_MARKER);
        if mode & 0o077 != 0 {
            // Before the folder is closed: a walk that is cut short is done again.
            unless_vanished(fs::remove_file(&marker))?;
        }
        restrict_mode(data_dir, 0o700)?;
        let is_whole = fs::symlink_metadata(&marker).is_err();
        restrict_below(data_dir, is_whole)?;
        if is_whole {
            // On a full disk the next start walks again.
            drop(ensure_private_file(&marker));
        }
    }
    Ok(())
}

/// Removes other users' permissions on a folder outside the data folder, except one with the sticky bit (shared).
/// Errors: when it is missing, or belongs to another user.
pub fn restrict_dir(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&fs::metadata(folder)?) & 0o1000 == 0 {
        restrict_mode(folder, 0o700)?;
    }
    Ok(())
}

/// Creates a folder with its parents; only new ones become private.
fn create_missing_dirs(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn restrict_below(data_dir: &Path, is_whole: bool) -> io::Result<()> {
    let (mut left, depth) = if is_whole { (usize::MAX, usize::MAX) } else { (MAX_ENTRIES, MAX_DEPTH) };
    let (mut folders, mut foreign) = (vec![(data_dir.to_path_buf(), depth, false)], 0_usize);
    while let Some((folder, depth, is_skippable)) = folders.pop() {
        let found = unless_foreign(unless_vanished(fs::read_dir(&folder)), is_skippable, &mut foreign)?;
        let Some(entries) = found.flatten() else { continue };
        for entry in entries {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            let entry = entry?;
            let Some(kind) = unless_vanished(entry.file_type())?.filter(|kind| !kind.is_symlink()) else { continue };
            let restricted = restrict_mode(&entry.path(), if kind.is_dir() { 0o700 } else { 0o600 });
            unless_foreign(restricted, is_skippable, &mut foreign)?;
            let is_skipped = SKIPPED_DIRS.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && depth > 1 && (is_whole || !is_skipped) {
                folders.push((entry.path(), depth - 1, is_skippable || is_skipped));
            }
        }
    }
    if foreign > 0 {
        tracing::warn!(foreign, "files below the data folder belong to another user: their permissions are unchanged");
    }
    Ok(())
}

/// Counts what belongs to another user instead of failing, where `is_skippable`.
#[cfg(unix)]
fn unless_foreign<T>(done: io::Result<T>, is_skippable: bool, foreign: &mut usize) -> io::Result<Option<T>> {
    match done {
        Err(e) if is_skippable && e.kind() == io::ErrorKind::PermissionDenied => {
            *foreign += 1;
            Ok(None)
        }
        done => done.map(Some),
    }
}

#[cfg(unix)]
fn unless_vanished<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Only removes permissions. A file that vanished meanwhile, such as a database log, is no error. Errors: when it
/// belongs to another user.
#[cfg(unix)]
pub fn restrict_mode(path: &Path, most: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let done = fs::symlink_metadata(path).and_then(|found| {
        let (mode, is_link) = (found.permissions().mode() & 0o7777, found.file_type().is_symlink());
        if is_link || (mode & 0o777) | most == most {
            return Ok(());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode & most))
    });
    match done {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Creates an empty owner-only file, or restricts an existing one. `SQLite` gives its side files the permissions of the
/// database.
pub fn ensure_private_file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        #[cfg(unix)]
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => restrict_mode(path, 0o600),
        #[cfg(not(unix))]
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

pub fn copy_private_file(from: &Path, to: &Path) -> io::Result<()> {
    let (mut source, mut copy) = (fs::File::open(from)?, create_private_file(to, false)?);
    io::copy(&mut source, &mut copy)?;
    copy.sync_all()
}

/// Opens an owner-only file for writing, truncated; `is_new` requires that it does not exist.
pub fn create_private_file(path: &Path, is_new: bool) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).create_new(is_new);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // An existing file keeps its old permissions otherwise.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn rights(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn private_file_and_folder_get_owner_only_rights_even_if_open_before() {
        let all = tempfile::tempdir().unwrap();
        let (place, file) = (all.path().join("mail"), all.path().join("mail/1.eml"));
        fs::create_dir(&place).unwrap();
        fs::write(&file, "an old letter, longer than the new one").unwrap();
        for path in [&place, &file] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        create_private_dir(&place).unwrap();
        create_private_file(&file, false).unwrap().write_all(b"new").unwrap();
        assert_eq!((rights(&place), rights(&file)), (0o700, 0o600));
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(create_private_file(&file, true).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let (deep, fresh) = (all.path().join("a/b"), all.path().join("a/b/c"));
        create_private_dir(&deep).unwrap();
        create_private_file(&fresh, true).unwrap();
        assert_eq!((rights(&deep), rights(&fresh)), (0o700, 0o600));
    }

    #[test]
    fn protect_removes_group_and_other_rights_and_follows_no_symlink() {
        let all = tempfile::tempdir().unwrap();
        let (data, outside) = (all.path().join("var"), all.path().join("outside"));
        fs::create_dir_all(data.join("mail")).unwrap();
        let files = [data.join("toolbox.db"), data.join("toolbox.db-wal"), data.join("mail/1.eml"), outside.clone()];
        for file in &files {
            fs::write(file, "x").unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
        }
        std::os::unix::fs::symlink(&outside, data.join("link")).unwrap();
        fs::set_permissions(data.join("mail"), fs::Permissions::from_mode(0o777)).unwrap();
        protect_data_dir(&data).unwrap();
        assert_eq!((rights(&data), rights(&data.join("mail"))), (0o700, 0o700));
        assert_eq!(files.map(|file| rights(&file)), [0o600, 0o600, 0o600, 0o666]);
    }

    #[test]
    fn protect_walks_everything_if_folder_was_open_or_never_walked() {
        let all = tempfile::tempdir().unwrap();
        let (data, outside) = (all.path().join("var"), all.path().join("outside"));
        let folder = data.join("uploads/a/b/c/d/e");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, data.join("uploads/link")).unwrap();
        let file = folder.join("photo");
        let open = |mode: u32| {
            fs::write(&file, "x").unwrap();
            for (path, most) in [(&file, 0o666), (&outside, 0o777), (&data, mode)] {
                fs::set_permissions(path, fs::Permissions::from_mode(most)).unwrap();
            }
            protect_data_dir(&data).unwrap();
            rights(&file)
        };
        assert_eq!(open(0o700), 0o600, "never walked");
        assert_eq!(open(0o700), 0o666, "the folder was closed since");
        assert_eq!(open(0o755), 0o600, "it was open");
        assert_eq!((rights(&folder), rights(&outside)), (0o700, 0o777), "no link is followed");
        fs::remove_file(data.join(WALKED_MARKER)).unwrap();
        assert_eq!(open(0o700), 0o600, "walked again without the marker");
    }

    #[test]
    fn foreign_files_are_counted_only_in_folders_skipped_at_usual_start() {
        let denied = || io::Result::<()>::Err(io::ErrorKind::PermissionDenied.into());
        let mut foreign = 0;
        assert_eq!(unless_foreign(denied(), true, &mut foreign).unwrap(), None);
        assert_eq!(unless_foreign(Ok(()), true, &mut foreign).unwrap(), Some(()));
        assert!(unless_foreign(denied(), false, &mut foreign).is_err());
        let other = io::Result::<()>::Err(io::ErrorKind::StorageFull.into());
        assert!(unless_foreign(other, true, &mut foreign).is_err());
        assert_eq!(foreign, 1);
    }

    #[test]
    fn protect_succeeds_beside_unreadable_backup() {
        let all = tempfile::tempdir().unwrap();
        let closed = all.path().join("var/backups/2026/closed");
        fs::create_dir_all(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        protect_data_dir(&all.path().join("var")).unwrap();
        assert_eq!(rights(&closed), 0o000);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn protect_of_shared_sticky_or_root_folder_is_refused() {
        let all = tempfile::tempdir().unwrap();
        fs::set_permissions(all.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(protect_data_dir(all.path()).is_err());
        assert!(protect_data_dir(Path::new("/")).is_err());
        assert_eq!(rights(all.path()), 0o777);
    }

    #[test]
    fn close_to_others_sets_owner_only_rights_except_on_shared_folder() {
        let all = tempfile::tempdir().unwrap();
        for (before, after) in [(0o755, 0o700), (0o1777, 0o777)] {
            fs::set_permissions(all.path(), fs::Permissions::from_mode(before)).unwrap();
            restrict_dir(all.path()).unwrap();
            assert_eq!(rights(all.path()), after);
        }
        assert!(restrict_dir(&all.path().join("none")).is_err());
    }
}
