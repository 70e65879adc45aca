//! Key mark: a word in the database, sealed with the key in force. By it a start detects another key before it makes a
//! link or a seal with it.

use crate::{
    domain::tenancy::org::keys,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        encryption::retired::{MARK_NAME, PURPOSE},
        error::{Error, Result},
        secret::SecretKey,
    },
};

const MARK_PLAINTEXT: &[u8] = b"sealed with the key in force";

const WRONG_KEY_MESSAGE: &str = "SECRET_KEY is not the one that this database was sealed with. Put the right one back: SECRET_KEY in \
the environment, or the file secret.key in DATA_DIR, which backups keep under keys. If it is lost: api rotate-key --lost-key \
goes on without it, and links that customers hold, keys at Stripe and authenticator apps no longer work";

/// Refuses a ring that does not open the mark. Without a mark it must open one of the sealed values, if there are any.
/// Errors: [`Error::Refused`], with what to do.
pub async fn ensure_key_matches(conn: &mut dyn AsConn, ring: &SecretKey) -> Result<()> {
    let sql = "SELECT name, sealed FROM retired_key ORDER BY name";
    let rows = q!(&mut *conn, fetch_all as (String, Vec<u8>), sql)?;
    let opens = |row: &(String, Vec<u8>)| ring.decrypt_bytes(PURPOSE, &[row.0.as_bytes()], &row.1).is_some();
    let is_ours = match rows.iter().find(|row| row.0 == MARK_NAME) {
        Some(mark) => opens(mark),
        None if !rows.is_empty() => rows.iter().any(opens),
        None => keys::encrypted_keys::can_decrypt_keys(conn, ring).await?,
    };
    if is_ours { Ok(()) } else { Err(Error::Refused(WRONG_KEY_MESSAGE.to_owned())) }
}

/// The same at the start of a serving program, which stores the mark.
/// Errors: [`Error::Refused`], with what to do.
pub async fn verify_or_store_key_mark(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey) -> Result<()> {
    ensure_key_matches(&mut *tx, ring).await?;
    let sealed = ring.encrypt_bytes(&origin.entropy, PURPOSE, &[MARK_NAME.as_bytes()], MARK_PLAINTEXT);
    let sql = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING";
    q!(tx, execute, sql, MARK_NAME, sealed, origin.now())?;
    Ok(())
}

/// Makes the key in force that of this database: the previous one is lost.
pub async fn replace_key_mark(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey) -> Result<()> {
    remove_key_mark(&mut *tx).await?;
    let sealed = ring.encrypt_bytes(&origin.entropy, PURPOSE, &[MARK_NAME.as_bytes()], MARK_PLAINTEXT);
    let sql = "INSERT INTO retired_key (name, sealed, retired_at) VALUES ($1, $2, $3)";
    q!(tx, execute, sql, MARK_NAME, sealed, origin.now())?;
    Ok(())
}

/// Removes the mark: a database without other rows then counts as empty.
pub(crate) async fn remove_key_mark(tx: &mut Tx) -> Result<()> {
    q!(tx, execute, "DELETE FROM retired_key WHERE name = $1", MARK_NAME)?;
    Ok(())
}
