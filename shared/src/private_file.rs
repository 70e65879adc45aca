//! Files that nobody else on the machine reads: letters, exports, and a secret that is made on the first start and kept in
//! a file of its own, one only, however many processes start together.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use crate::clock::Entropy;

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
    fs::create_dir_all(folder)?;
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
        Err(e) if e.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder)?,
        Err(e) => return Err(e),
    }
    write(&path, bytes)
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
    fs::create_dir_all(path)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
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
}
