//! A word in the database that is sealed with the key in force: by it a start finds that its key is another one, before it
//! makes a link or a seal with it.

use crate::{
    domain::tenancy::org::keys,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        encryption::retired::{MARK_NAME, PURPOSE},
        error::{Error, Result},
        secret::SecretKey,
    },
};

const WORD: &[u8] = b"sealed with the key in force";

const OTHER_KEY: &str = "SECRET_KEY is not the one that this database was sealed with. Put the right one back: SECRET_KEY in \
the environment, or the file secret.key in DATA_DIR, which backups keep under keys. If it is lost: api rotate-key --lost-key \
goes on without it, and links that customers hold, keys at Stripe and authenticator apps open nothing any more";

/// Refuses a ring that does not open the mark. Where there is none yet, it must open one of the sealed things, if there are
/// any.
///
/// # Errors
/// [`Error::Refused`], with what to do.
pub async fn refuse_other_key(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<()> {
    let sql = "SELECT name, sealed FROM retired_key ORDER BY name";
    let rows = q!(&mut *conn, fetch_all as (String, Vec<u8>), sql)?;
    let opens = |row: &(String, Vec<u8>)| ring.open(PURPOSE, &[row.0.as_bytes()], &row.1).is_some();
    let is_ours = match rows.iter().find(|row| row.0 == MARK_NAME) {
        Some(mark) => opens(mark),
        None if !rows.is_empty() => rows.iter().any(opens),
        None => keys::open_with(conn, ring).await?,
    };
    if is_ours { Ok(()) } else { Err(Error::Refused(OTHER_KEY.to_owned())) }
}

/// The same at the start of what serves, which puts the mark there.
///
/// # Errors
/// [`Error::Refused`], with what to do.
pub async fn settle(tx: &mut Tx, origin: &Origin, ring: &SecretKey) -> Result<()> {
    refuse_other_key(&mut *tx, ring).await?;
    let sealed = ring.seal(&origin.entropy, PURPOSE, &[MARK_NAME.as_bytes()], WORD);
    let sql = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING";
    q!(tx, execute, sql, MARK_NAME, sealed, origin.now())?;
    Ok(())
}

/// Takes the key in force for that of this database: the one before is lost.
pub async fn put(tx: &mut Tx, origin: &Origin, ring: &SecretKey) -> Result<()> {
    remove(&mut *tx).await?;
    let sealed = ring.seal(&origin.entropy, PURPOSE, &[MARK_NAME.as_bytes()], WORD);
    let sql = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3)";
    q!(tx, execute, sql, MARK_NAME, sealed, origin.now())?;
    Ok(())
}

/// Removes the mark: a database that holds nothing else is empty.
pub(crate) async fn remove(tx: &mut Tx) -> Result<()> {
    q!(tx, execute, "DELETE FROM retired_key WHERE name = $1", MARK_NAME)?;
    Ok(())
}
