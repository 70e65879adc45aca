//! `api rotate-key`: another secret for the install, while it works.

use std::fmt::Write as _;

use shared::{
    ops::{
        key_rotation::{self, Report, mark},
        settings::Settings,
    },
    platform::{clock::Origin, config::Vars, db::Db, encryption::renewal::Count, secret},
};

use crate::commands::{Said, database};

const NO_OLD_KEY: &str = "there is nothing to rotate from: set the new key as SECRET_KEY and the one before it as \
SECRET_KEY_OLD, start both programs anew, and say it again";

/// Seals everything with the key in force. Where the key is a generated one and no rotation is under way, a new one takes
/// its place first.
///
/// # Errors
/// Why it was broken off. It goes on where it was when it is said again.
pub async fn rotate(settings: &Settings, origin: &Origin) -> Said {
    let db = current(settings).await?;
    let ring = key_to_rotate_to(settings, origin, &db).await?;
    let report = key_rotation::rotate(&db, origin, &ring).await.map_err(|e| e.to_string())?;
    db.close().await;
    let words = told(&report, &ring.name(), is_generated(settings));
    if report.lost() == 0 { Ok(words) } else { Err(words) }
}

/// Removes the generated keys of before, once nothing is sealed with them.
///
/// # Errors
/// Why they are still there.
pub async fn forget_old(settings: &Settings, origin: &Origin) -> Said {
    let db = current(settings).await?;
    let report = key_rotation::rotate(&db, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    db.close().await;
    if report.lost() > 0 {
        return Err(told(&report, &settings.secret.name(), is_generated(settings)));
    }
    let removed = secret::forget_generated(&settings.data_dir).map_err(|e| e.to_string())?;
    Ok(if removed {
        "the generated keys of before are gone. Start both programs anew: links that were sent before open nothing then"
    } else {
        "there are no generated keys of before. A key in SECRET_KEY_OLD is taken out of the environment"
    }
    .to_owned())
}

/// Goes on with the key in force where the one before is lost.
///
/// # Errors
/// Why the database was not told.
pub async fn go_on_without(settings: &Settings, origin: &Origin) -> Said {
    let db = current(settings).await?;
    let mut tx = db.begin().await.map_err(|e| e.to_string())?;
    mark::put(&mut tx, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    tx.commit().await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(format!(
        "the key in force is {}. Links of before open nothing any more; enter keys at Stripe anew, and let people in who \
         sign in with an authenticator app: api let-in",
        settings.secret.name()
    ))
}

async fn current(settings: &Settings) -> Result<Db, String> {
    let db = database(settings).await?;
    match db.is_current().await {
        Ok(true) => Ok(db),
        Ok(false) => Err("the database is not at the newest version. Say: api migrate".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

fn is_generated(settings: &Settings) -> bool {
    Vars::from_process().get("SECRET_KEY").is_none() && secret::file(&settings.data_dir).exists()
}

async fn key_to_rotate_to(settings: &Settings, origin: &Origin, db: &Db) -> Result<secret::SecretKey, String> {
    let is_unfinished = {
        let mut conn = db.read().await.map_err(|e| e.to_string())?;
        key_rotation::is_unfinished(&mut conn, &settings.secret).await.map_err(|e| e.to_string())?
    };
    if is_unfinished {
        return Ok(settings.secret.clone());
    }
    if !is_generated(settings) {
        // Said once more after its end it counts again, and finds what a program sealed with the old key meanwhile.
        let has_old = settings.secret.has_old();
        return if has_old { Ok(settings.secret.clone()) } else { Err(NO_OLD_KEY.to_owned()) };
    }
    secret::replace_generated(&settings.data_dir, &origin.entropy).map_err(|e| format!("the key's file: {e}"))
}

fn told(report: &Report, name: &str, is_generated: bool) -> String {
    let mut words = format!("the key in force is {name}\n");
    for (what, count) in [
        ("keys at payment providers", report.provider_keys),
        ("second factors", report.second_factors),
        ("webhook secrets", report.webhook_secrets),
        ("keys of offline stores", report.offline_keys),
        ("seals of audit logs", report.audit_seals),
        ("keys of before", report.retired_keys),
    ] {
        line(&mut words, what, count);
    }
    if report.lost() > 0 {
        words.push_str("some things open with no key that is known: put the key that they were made with into SECRET_KEY_OLD and say it again");
        return words;
    }
    if report.old.is_empty() {
        words.push_str("there is no old key");
        return words;
    }
    let _ = writeln!(words, "old keys that still open links: {}", report.old.join(", "));
    if let Some(end) = report.links.last_end {
        let _ = writeln!(words, "the last of those links that have an end works until {}", end.format("%Y-%m-%d"));
    }
    if report.links.endless > 0 {
        let endless = report.links.endless;
        let _ = writeln!(words, "{endless} links have no end yet (open papers, crew calendars); they need the old key");
    }
    words.push_str(if is_generated {
        "when those links may go: api rotate-key --forget-old"
    } else {
        "when those links may go: take SECRET_KEY_OLD out of the environment and start both programs anew"
    });
    words
}

fn line(words: &mut String, what: &str, count: Count) {
    let Count { renewed, current, lost } = count;
    let _ = writeln!(words, "  {renewed:>7} sealed anew, {current} were already, {lost} do not open: {what}");
}
