//! Email as `.eml` files, for an install without a mail server.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use lettre::message::Mailbox;
use platform::private_file;

use super::{EmailMessage, encoded_email};
use crate::{AcceptedMessage, SendError, SmsCost};

/// Writes each letter to `<folder>/<id>.eml`. A repeated letter overwrites its file.
#[derive(Debug, Clone)]
pub struct FileMail {
    folder: PathBuf,
    from: Mailbox,
}

impl FileMail {
    #[must_use]
    pub fn new(folder: PathBuf, from: Mailbox) -> Self {
        Self { folder, from }
    }

    pub(super) async fn send(&self, letter: &EmailMessage<'_>) -> Result<AcceptedMessage, SendError> {
        let sealed = encoded_email::encode_email(letter, &self.from)?;
        let (folder, name) = (self.folder.clone(), format!("{}.eml", letter.id));
        let stored_as = display_path(&self.folder, &name);
        let written =
            tokio::task::spawn_blocking(move || write_atomically(&folder, &name, sealed.message.as_bytes())).await;
        match written.map_err(io::Error::other).flatten() {
            Ok(()) => {
                let provider_status = Some("stored".to_owned());
                Ok(AcceptedMessage {
                    provider_id: sealed.message_id,
                    provider_status,
                    stored_as: Some(stored_as),
                    bill: SmsCost::default(),
                })
            }
            Err(e) if e.kind() == io::ErrorKind::StorageFull => Err(SendError::retryable_error("the disk is full")),
            Err(e) => Err(SendError::retryable_error(format!("the mail folder cannot be written ({})", e.kind()))),
        }
    }
}

/// Path stored with the message, relative to the parent of the data folder: `var/mail/<id>.eml`.
fn display_path(folder: &Path, name: &str) -> String {
    let data_dir = folder.parent().and_then(Path::file_name);
    let parts = [data_dir, folder.file_name()].into_iter().flatten().map(|p| p.to_string_lossy().into_owned());
    parts.chain([name.to_owned()]).collect::<Vec<_>>().join("/")
}

/// Atomic and durable: the file appears complete and survives a power cut.
fn write_atomically(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    // Private: a letter may hold a sign-in link.
    private_file::create_private_dir(folder)?;
    let unfinished = folder.join(format!("{name}.part"));
    let mut file = private_file::create_private_file(&unfinished, false)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(name))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_path_starts_at_the_data_folder() {
        assert_eq!(display_path(Path::new("./var/mail"), "1.eml"), "var/mail/1.eml");
        assert_eq!(display_path(Path::new("/srv/toolbox/data/mail"), "1.eml"), "data/mail/1.eml");
        assert_eq!(display_path(Path::new("mail"), "1.eml"), "mail/1.eml");
    }
}
