//! Files that nobody else on the machine reads: letters, exports, and a secret that is made on the first start and kept in
//! a file of its own, one only, however many processes start together.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use crate::platform::clock::Entropy;

/// What `folder/name` holds; when it is not there yet, `fresh` is put there first.
///
/// # Errors
/// When the folder or the file cannot be written or read.
pub fn read_or_make(
    folder: &Path,
    name: &str,
    entropy: &Entropy,
    fresh: impl FnOnce() -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    make(folder)?;
    let path = folder.join(name);
    if !path.exists() {
        let draft = draft(folder, name, entropy);
        write(&draft, &fresh())?;
        // The first one's link is the file; whoever comes later reads that.
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

/// Puts `bytes` in the place of `folder/name`. What stood there and differs is kept beside it, under a name that ends
/// with `stamp`.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn replace(folder: &Path, name: &str, bytes: &[u8], stamp: &str) -> io::Result<()> {
    let path = folder.join(name);
    match fs::read(&path) {
        Ok(there) if there == bytes => return Ok(()),
        Ok(_) => fs::rename(&path, folder.join(format!("{name}.replaced-{stamp}")))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => make(folder)?,
        Err(e) => return Err(e),
    }
    write(&path, bytes)
}

/// Puts `bytes` in the place of `folder/name` at once: whoever reads finds the old or the new, and after a power cut too.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn put(folder: &Path, name: &str, bytes: &[u8], entropy: &Entropy) -> io::Result<()> {
    make(folder)?;
    let draft = draft(folder, name, entropy);
    write(&draft, bytes)?;
    fs::rename(&draft, folder.join(name))?;
    fs::File::open(folder)?.sync_all()
}

/// A name of this process alone: in containers two processes can carry the same number.
fn draft(folder: &Path, name: &str, entropy: &Entropy) -> PathBuf {
    folder.join(format!("{name}.{}.{:016x}", std::process::id(), u64::from_le_bytes(entropy.bytes())))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a folder, and what is above it, into which nobody else looks. One that is there already becomes private.
///
/// # Errors
/// When it cannot be made.
pub fn folder(path: &Path) -> io::Result<()> {
    make(path)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Files and folders that this process makes from now on are readable by its own user alone, whatever the umask it was
/// started with. Databases, logs of them, and uploads are made by libraries that ask nobody.
pub fn set_umask() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Folders whose contents are not walked at a start: they hold a file for each photo. Mode 0700 of the folder suffices.
const NOT_WALKED: [&str; 3] = ["uploads", "spool", "backups"];
/// How many entries a start looks at; what lies beyond is protected by its folder.
const MOST_WALKED: usize = 10_000;
/// How deep a start looks below the data folder.
const DEPTH: usize = 3;

/// Makes the data folder, and takes the rights of others from it and from what lies in it. Symbolic links are not followed.
///
/// # Errors
/// When it cannot be made, is shared by design (`/`, `/tmp`), or belongs to another user.
pub fn protect(data_dir: &Path) -> io::Result<()> {
    make(data_dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let is_sticky = fs::metadata(data_dir)?.mode() & 0o1000 != 0;
        if is_sticky || fs::canonicalize(data_dir)?.parent().is_none() {
            return Err(io::Error::other("it is shared with others: choose a folder of its own"));
        }
        restrict(data_dir, 0o700)?;
        let mut left = MOST_WALKED;
        restrict_below(data_dir, DEPTH, &mut left)?;
    }
    Ok(())
}

/// Takes the rights of others from a folder outside the data folder. One with the sticky bit is shared by design, and left.
///
/// # Errors
/// When it is not there, or belongs to another user.
pub fn close_to_others(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&fs::metadata(folder)?) & 0o1000 == 0 {
        restrict(folder, 0o700)?;
    }
    Ok(())
}

/// Makes a folder and what is above it; only what is made becomes private.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn restrict_below(folder: &Path, depth: usize, left: &mut usize) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        let entry = entry?;
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(e),
        };
        if kind.is_symlink() {
            continue;
        }
        restrict(&entry.path(), if kind.is_dir() { 0o700 } else { 0o600 })?;
        let is_walked = !NOT_WALKED.iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() && depth > 1 && is_walked {
            restrict_below(&entry.path(), depth - 1, left)?;
        }
    }
    Ok(())
}

/// Takes rights away; gives none. What vanished meanwhile, as a database's log may, needs none.
///
/// # Errors
/// When it belongs to another user.
#[cfg(unix)]
pub fn restrict(path: &Path, most: u32) -> io::Result<()> {
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

/// Makes an empty file that only its owner reads, or takes the rights of others from the one that is there. What `SQLite`
/// puts beside a database gets the rights of the database.
///
/// # Errors
/// When it cannot be made.
pub fn prepare(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        #[cfg(unix)]
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => restrict(path, 0o600),
        #[cfg(not(unix))]
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

/// Copies a file into one that only its owner reads, whatever the rights of the first.
///
/// # Errors
/// When the first cannot be read or the second cannot be written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut source, mut copy) = (fs::File::open(from)?, create(to, false)?);
    io::copy(&mut source, &mut copy)?;
    copy.sync_all()
}

/// Opens a file to be written from its beginning, readable by nobody else; `is_new` when it must not be there yet.
///
/// # Errors
/// When it cannot be opened.
pub fn create(path: &Path, is_new: bool) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).create_new(is_new);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // One that was there keeps the rights that it was made with.
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
    fn what_is_private_is_read_by_nobody_else_also_where_it_was_open_before() {
        let all = tempfile::tempdir().unwrap();
        let (place, file) = (all.path().join("mail"), all.path().join("mail/1.eml"));
        fs::create_dir(&place).unwrap();
        fs::write(&file, "an old letter, longer than the new one").unwrap();
        for path in [&place, &file] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder(&place).unwrap();
        create(&file, false).unwrap().write_all(b"new").unwrap();
        assert_eq!((rights(&place), rights(&file)), (0o700, 0o600));
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(create(&file, true).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let (deep, fresh) = (all.path().join("a/b"), all.path().join("a/b/c"));
        folder(&deep).unwrap();
        create(&fresh, true).unwrap();
        assert_eq!((rights(&deep), rights(&fresh)), (0o700, 0o600));
    }

    #[test]
    fn protect_takes_the_rights_of_others_from_what_is_there_and_follows_no_link() {
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
        protect(&data).unwrap();
        assert_eq!((rights(&data), rights(&data.join("mail"))), (0o700, 0o700));
        assert_eq!(files.map(|file| rights(&file)), [0o600, 0o600, 0o600, 0o666]);
    }

    #[test]
    fn protect_refuses_a_folder_that_everybody_shares() {
        let all = tempfile::tempdir().unwrap();
        fs::set_permissions(all.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(protect(all.path()).is_err());
        assert!(protect(Path::new("/")).is_err());
        assert_eq!(rights(all.path()), 0o777);
    }

    #[test]
    fn a_folder_outside_is_closed_unless_it_is_shared_by_design() {
        let all = tempfile::tempdir().unwrap();
        for (before, after) in [(0o755, 0o700), (0o1777, 0o777)] {
            fs::set_permissions(all.path(), fs::Permissions::from_mode(before)).unwrap();
            close_to_others(all.path()).unwrap();
            assert_eq!(rights(all.path()), after);
        }
        assert!(close_to_others(&all.path().join("none")).is_err());
    }
}
