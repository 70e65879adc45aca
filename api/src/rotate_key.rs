//! `api rotate-key`: replaces the secret of the install while it runs.

use std::fmt::Write as _;

use shared::{
    ops::{
        key_rotation::{self, KeyRotationReport, mark},
        settings::InstallSettings,
    },
    platform::{clock::ClockRng, config::EnvVars, db::Db, encryption::renewal::ReencryptionCount, secret},
};

use crate::commands::{CommandResult, connect_database};

const NO_OLD_KEY: &str = "there is nothing to rotate from: set the new key as SECRET_KEY and the one before it as \
SECRET_KEY_OLD, start both programs anew, and say it again";

/// Re-seals everything with the current key. A generated key is first replaced by a new one, unless a rotation is under
/// way. After an error, running it again continues where it stopped.
pub async fn rotate_key(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_current(settings).await?;
    let ring = choose_rotation_key(settings, origin, &db).await?;
    let report = key_rotation::rotate_secret_key(&db, origin, &ring).await.map_err(|e| e.to_string())?;
    db.close().await;
    let words = format_report(&report, &ring.name(), is_generated(settings));
    if report.lost_count() == 0 { Ok(words) } else { Err(words) }
}

/// Removes old generated keys once nothing is sealed with them.
pub async fn remove_old_keys(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_current(settings).await?;
    let report = key_rotation::rotate_secret_key(&db, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    db.close().await;
    if report.lost_count() > 0 {
        return Err(format_report(&report, &settings.secret.name(), is_generated(settings)));
    }
    let removed = secret::key_file::delete_old_generated(&settings.data_dir).map_err(|e| e.to_string())?;
    Ok(if removed {
        "the generated keys of before are gone. Start both programs anew: links that were sent before open nothing then"
    } else {
        "there are no generated keys of before. A key in SECRET_KEY_OLD is taken out of the environment"
    }
    .to_owned())
}

/// Continues with the current key where the previous one is lost.
pub async fn abandon_lost_key(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_current(settings).await?;
    let mut tx = db.begin().await.map_err(|e| e.to_string())?;
    mark::replace_key_mark(&mut tx, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    tx.commit().await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(format!(
        "the key in force is {}. Earlier links no longer work; enter the Stripe keys again, and reset people who \
         sign in with an authenticator app: api reset-2fa",
        settings.secret.name()
    ))
}

async fn connect_current(settings: &InstallSettings) -> Result<Db, String> {
    let db = connect_database(settings).await?;
    match db.is_schema_current().await {
        Ok(true) => Ok(db),
        Ok(false) => Err("the database is not at the newest version. Say: api migrate".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

fn is_generated(settings: &InstallSettings) -> bool {
    EnvVars::from_process().get("SECRET_KEY").is_none() && secret::key_file::key_file_path(&settings.data_dir).exists()
}

async fn choose_rotation_key(
    settings: &InstallSettings,
    origin: &ClockRng,
    db: &Db,
) -> Result<secret::SecretKey, String> {
    let is_unfinished = {
        let mut conn = db.acquire_reader().await.map_err(|e| e.to_string())?;
        key_rotation::is_unfinished(&mut conn, &settings.secret).await.map_err(|e| e.to_string())?
    };
    if is_unfinished {
        return Ok(settings.secret.clone());
    }
    if !is_generated(settings) {
        // Run again after its end it counts once more, and finds what a program sealed with the old key meanwhile.
        let has_old = settings.secret.has_old_keys();
        return if has_old { Ok(settings.secret.clone()) } else { Err(NO_OLD_KEY.to_owned()) };
    }
    secret::key_file::replace_generated(&settings.data_dir, &origin.entropy).map_err(|e| format!("the key's file: {e}"))
}

fn format_report(report: &KeyRotationReport, name: &str, is_generated: bool) -> String {
    let mut words = format!("the key in force is {name}\n");
    for (what, count) in [
        ("keys at payment providers", report.provider_keys),
        ("second factors", report.second_factors),
        ("webhook secrets", report.webhook_secrets),
        ("keys of offline stores", report.offline_keys),
        ("mails of the install", report.install_mails),
        ("seals of audit logs", report.audit_seals),
        ("keys of before", report.retired_keys),
    ] {
        write_count_line(&mut words, what, count);
    }
    if report.lost_count() > 0 {
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

fn write_count_line(words: &mut String, what: &str, count: ReencryptionCount) {
    let ReencryptionCount { renewed, current, lost } = count;
    let _ = writeln!(words, "  {renewed:>7} sealed anew, {current} were already, {lost} do not open: {what}");
}
