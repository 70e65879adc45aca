//! Email as `.eml` files, for a start without a mail server: each opens in any mail program.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use lettre::message::Mailbox;

use super::{Letter, letter};
use crate::{
    platform::private_file,
    providers::{Accepted, Bill, SendError},
};

/// Writes each letter to `<folder>/<id>.eml`. A repeated letter replaces itself.
#[derive(Debug, Clone)]
pub struct FileMail {
    folder: PathBuf,
    from: Mailbox,
}

impl FileMail {
    /// Files in `folder`, which is made when the first letter comes.
    #[must_use]
    pub fn new(folder: PathBuf, from: Mailbox) -> Self {
        Self { folder, from }
    }

    pub(super) async fn send(&self, letter: &Letter<'_>) -> Result<Accepted, SendError> {
        let sealed = letter::seal(letter, &self.from)?;
        let (folder, name) = (self.folder.clone(), format!("{}.eml", letter.id));
        let stored_as = shown_path(&self.folder, &name);
        let written =
            tokio::task::spawn_blocking(move || write_durably(&folder, &name, sealed.message.as_bytes())).await;
        match written.map_err(io::Error::other).flatten() {
            Ok(()) => {
                let provider_status = Some("stored".to_owned());
                Ok(Accepted {
                    provider_id: sealed.message_id,
                    provider_status,
                    stored_as: Some(stored_as),
                    bill: Bill::default(),
                })
            }
            Err(e) if e.kind() == io::ErrorKind::StorageFull => Err(SendError::retry("the disk is full")),
            Err(e) => Err(SendError::retry(format!("the mail folder cannot be written ({})", e.kind()))),
        }
    }
}

/// The path as the owner is shown it, from the folder that holds the data folder: `var/mail/<id>.eml`.
fn shown_path(folder: &Path, name: &str) -> String {
    let data_dir = folder.parent().and_then(Path::file_name);
    let parts = [data_dir, folder.file_name()].into_iter().flatten().map(|p| p.to_string_lossy().into_owned());
    parts.chain([name.to_owned()]).collect::<Vec<_>>().join("/")
}

/// After this returns, the whole file survives a power cut; before, none of it is visible under its name.
fn write_durably(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    // A letter may hold the link that opens an account.
    private_file::folder(folder)?;
    let unfinished = folder.join(format!("{name}.part"));
    let mut file = private_file::create(&unfinished, false)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(name))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_shown_from_the_data_folder_on() {
        assert_eq!(shown_path(Path::new("./var/mail"), "1.eml"), "var/mail/1.eml");
        assert_eq!(shown_path(Path::new("/srv/toolbox/data/mail"), "1.eml"), "data/mail/1.eml");
        assert_eq!(shown_path(Path::new("mail"), "1.eml"), "mail/1.eml");
    }
}
