//! A secret that is made on the first start and kept in a file of its own: readable by nobody else, and one only, however
//! many processes start together.

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
