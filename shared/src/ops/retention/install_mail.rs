//! Mail of the install past its retention, with the file that each mail is where no mail server is set up.

use std::path::Path;

use chrono::{DateTime, Utc};

use super::files;
use crate::{
    domain::tenancy::install_mail,
    platform::{db::Db, error::Result},
};

/// Removes old mail in slices of one transaction each.
pub async fn purge_install_mail(db: &Db, data_dir: &Path, now: DateTime<Utc>) -> Result<()> {
    while purge_slice(db, data_dir, now).await? {}
    Ok(())
}

/// Files go first: after a crash the row still names its file. False when nothing older is left, or when a file could
/// not be deleted; its row stays until the next look.
async fn purge_slice(db: &Db, data_dir: &Path, now: DateTime<Utc>) -> Result<bool> {
    let old = install_mail::list_old_mail(&mut db.acquire_reader().await?, now).await?;
    if old.is_empty() {
        return Ok(false);
    }
    let mut gone = Vec::with_capacity(old.len());
    for id in &old {
        if files::delete_mail_file(data_dir, &format!("{id}.eml")).await {
            gone.push(*id);
        }
    }
    let mut tx = db.begin().await?;
    install_mail::delete_mail(&mut tx, &gone).await?;
    tx.commit().await?;
    let left = old.len() - gone.len();
    if left > 0 {
        tracing::warn!(left, "files of old mail could not be deleted; they are tried again");
    }
    Ok(left == 0)
}
