//! `api rotate-key`: replaces the secret of the install while it runs.

use std::fmt::Write as _;

use shared::{
    ops::{
        key_rotation::{
            self, KeyRotationReport,
            lost_key::{self, LostKeyReport},
            mark,
            old_keys::{OldKeyCheck, check_old_keys},
        },
        settings::InstallSettings,
        system_status,
    },
    platform::{clock::ClockRng, config::EnvVars, db::Db, encryption::renewal::ReencryptionCount, liveness, secret},
};

use crate::commands::{CommandResult, connect_database};

const NO_OLD_KEY: &str = "there is nothing to rotate from: set the new key as SECRET_KEY and the one before it as \
SECRET_KEY_OLD, start both programs anew, and run it again";
const KEY_IN_USE: &str = "the key of this database is not lost: a worker is running with it, or was killed less than \
two minutes ago. Set the same SECRET_KEY and DATA_DIR here, or stop both programs first";
const NOT_ROTATED: &str = "an old key is not kept for lookups yet. Run first: api rotate-key";

/// Re-seals everything with the current key. A generated key is first replaced by a new one, unless a rotation is under
/// way. After an error, running it again continues where it stopped.
/// Errors: also while a program runs here that would not open the values any more, unless `is_forced`.
pub async fn rotate_key(settings: &InstallSettings, origin: &ClockRng, is_forced: bool) -> CommandResult {
    let db = connect_current(settings).await?;
    if !is_forced {
        ensure_programs_know_key(settings)?;
    }
    let ring = choose_rotation_key(settings, origin, &db).await?;
    let report = key_rotation::rotate_secret_key(&db, origin, &ring).await.map_err(|e| e.to_string())?;
    db.close().await;
    let words = format_report(&report, &ring.name());
    if report.lost_count() == 0 { Ok(words) } else { Err(words) }
}

fn ensure_programs_know_key(settings: &InstallSettings) -> Result<(), String> {
    let outdated = liveness::list_processes_without_key(&settings.data_dir, &settings.secret)
        .map_err(|e| format!("the data folder: {e}"))?;
    if outdated.is_empty() { Ok(()) } else { Err(format_outdated(&outdated)) }
}

fn format_outdated(processes: &[String]) -> String {
    format!(
        "these programs run with another SECRET_KEY and could not open anything afterwards: {}. Start them with the \
         new key as SECRET_KEY and the one before it as SECRET_KEY_OLD, then run it again. To rotate nevertheless: api \
         rotate-key --force",
        processes.join(", ")
    )
}

/// Gives the old keys up once nothing is sealed with them: removes the generated ones, and says that `SECRET_KEY_OLD`
/// may be removed. Errors: with the values that still need one, by table.
pub async fn remove_old_keys(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_current(settings).await?;
    let check = check_old_keys(&db, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    db.close().await;
    let report = match check {
        OldKeyCheck::NoOldKey => return Ok("there is no old key".to_owned()),
        OldKeyCheck::NotRotated => return Err(NOT_ROTATED.to_owned()),
        OldKeyCheck::StillNeeded(report) => return Err(format_needed(&report)),
        OldKeyCheck::Unused(report) => report,
    };
    let are_removed = secret::key_file::delete_old_generated(&settings.data_dir).map_err(|e| e.to_string())?;
    let mut steps = Vec::new();
    if are_removed {
        steps.push("the old generated keys are removed from the data folder");
    }
    if EnvVars::from_process().get("SECRET_KEY_OLD").is_some() {
        steps.push("SECRET_KEY_OLD may be removed now: take it out of the environment of both programs");
    }
    if !is_generated(settings) && secret::key_file::key_file_path(&settings.data_dir).exists() {
        steps.push("secret.key in the data folder is an old key too, and may be removed now");
    }
    Ok(format_unused(&report, &settings.secret.name(), &steps))
}

fn format_needed(report: &KeyRotationReport) -> String {
    let mut words = "the old key is still needed. These values do not open with the key in force:\n".to_owned();
    for (tables, what, count) in report.counts_by_table().into_iter().filter(|(.., count)| count.lost > 0) {
        let all = count.lost + count.current;
        let _ = writeln!(words, "  {:>7} of {all} in {tables}: {what}", count.lost);
    }
    words.push_str("nothing was removed. Run: api rotate-key");
    words
}

fn format_unused(report: &KeyRotationReport, name: &str, steps: &[&str]) -> String {
    let mut words = format!(
        "no value needs an old key: all {} sealed values open with the key in force, {name}\n",
        report.current_count()
    );
    for step in steps {
        let _ = writeln!(words, "{step}");
    }
    words.push_str("start both programs anew. From then on links that an old key signed stop working");
    if let Some(end) = report.links.last_end {
        let _ = write!(words, "; the last dated one would have worked until {}", end.format("%Y-%m-%d"));
    }
    if report.links.endless > 0 {
        let endless = report.links.endless;
        let _ = write!(words, "; {endless} without an end would have worked on (open papers, crew calendars)");
    }
    words
}

/// Continues with the current key where the previous one is lost.
/// Errors: while a worker runs with the key of the database, since that key is not lost.
pub async fn abandon_lost_key(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_current(settings).await?;
    ensure_key_unused(&db, origin, &settings.secret).await?;
    let report = lost_key::abandon_lost_key(&db, origin, &settings.secret).await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(format_lost_key(&report, &settings.secret.name()))
}

/// A worker starts with the key of the database only.
async fn ensure_key_unused(db: &Db, origin: &ClockRng, ring: &secret::SecretKey) -> Result<(), String> {
    let mut conn = db.acquire_reader().await.map_err(|e| e.to_string())?;
    if mark::ensure_key_matches(&mut conn, ring).await.is_ok() {
        return Ok(());
    }
    let is_alive = system_status::is_worker_alive(&mut conn, origin.now()).await.map_err(|e| e.to_string())?;
    if is_alive { Err(KEY_IN_USE.to_owned()) } else { Ok(()) }
}

fn format_lost_key(report: &LostKeyReport, name: &str) -> String {
    let mut words = format!("the key in force is {name}\n");
    for (what, count) in report.removed_counts().into_iter().filter(|(_, count)| *count > 0) {
        let _ = writeln!(words, "  {count:>7} removed, because no key opens them: {what}");
    }
    for (what, count) in report.to_enter_again().into_iter().filter(|(_, count)| *count > 0) {
        let _ = writeln!(words, "  {count:>7} must be entered again: {what}");
    }
    words.push_str(
        "Earlier links no longer work; enter the Stripe keys again, make new webhook secrets, and reset people who \
         sign in with an authenticator app: api reset-2fa",
    );
    words
}

async fn connect_current(settings: &InstallSettings) -> Result<Db, String> {
    let db = connect_database(settings).await?;
    match db.is_schema_current().await {
        Ok(true) => Ok(db),
        Ok(false) => Err("the database is not at the newest version. Run: api migrate".to_owned()),
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

fn format_report(report: &KeyRotationReport, name: &str) -> String {
    let mut words = format!("the key in force is {name}\n");
    for (_, what, count) in report.counts_by_table() {
        write_count_line(&mut words, what, count);
    }
    if report.lost_count() > 0 {
        words.push_str(
            "some things open with no key that is known: put the key that they were made with into SECRET_KEY_OLD and \
             run it again. If that key is lost: api rotate-key --lost-key",
        );
        return words;
    }
    if report.old.is_empty() {
        words.push_str("there is no old key");
        return words;
    }
    words.push_str("everything is sealed with the key in force\n");
    let _ = writeln!(words, "old keys that still open links: {}", report.old.join(", "));
    if let Some(end) = report.links.last_end {
        let _ = writeln!(words, "the last of those links that have an end works until {}", end.format("%Y-%m-%d"));
    }
    if report.links.endless > 0 {
        let endless = report.links.endless;
        let _ = writeln!(words, "{endless} links have no end yet (open papers, crew calendars); they need the old key");
    }
    words.push_str("once those links may stop working, remove the old keys: api rotate-key --forget-old");
    words
}

fn write_count_line(words: &mut String, what: &str, count: ReencryptionCount) {
    let ReencryptionCount { renewed, current, lost, abandoned } = count;
    let _ = write!(words, "  {renewed:>7} sealed anew, {current} were already, {lost} do not open");
    if abandoned > 0 {
        let _ = write!(words, ", {abandoned} must be entered again");
    }
    let _ = writeln!(words, ": {what}");
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use shared::platform::access_link::SupersededLinks;

    use super::*;

    fn report(lost: u64, links: SupersededLinks) -> KeyRotationReport {
        let count = ReencryptionCount { current: 3, lost, ..ReencryptionCount::default() };
        KeyRotationReport { webhook_secrets: count, links, ..KeyRotationReport::default() }
    }

    #[test]
    fn refusal_to_forget_lists_values_by_table() {
        let words = format_needed(&report(2, SupersededLinks::default()));
        assert!(words.contains("2 of 5 in webhook: webhook secrets"), "{words}");
        assert!(
            !words.contains("org_secret") && words.ends_with("nothing was removed. Run: api rotate-key"),
            "{words}"
        );
    }

    #[test]
    fn lost_key_report_lists_what_to_enter_again() {
        let report = LostKeyReport { retired_keys: 1, provider_keys: 2, ..LostKeyReport::default() };
        let words = format_lost_key(&report, "k1");
        for part in ["k1", "1 removed", "earlier keys", "2 must be entered again: keys at payment", "reset-2fa"] {
            assert!(words.contains(part), "{part}: {words}");
        }
        assert!(!words.contains("offline stores") && !words.contains("second factors"), "{words}");
        let mut words = String::new();
        write_count_line(&mut words, "x", ReencryptionCount { abandoned: 2, ..ReencryptionCount::default() });
        assert!(words.contains("0 do not open, 2 must be entered again: x"), "{words}");
    }

    #[test]
    fn forgotten_key_is_told_with_its_links() {
        let last_end = DateTime::from_timestamp(1_900_000_000, 0);
        let links = SupersededLinks { last_end, endless: 4 };
        let words = format_unused(&report(0, links), "k1", &["SECRET_KEY_OLD may be removed now"]);
        for part in
            ["all 3 sealed values", "k1", "SECRET_KEY_OLD may be removed now", "until 2030-03-17", "4 without an end"]
        {
            assert!(words.contains(part), "{part}: {words}");
        }
        assert!(!format_unused(&report(0, SupersededLinks::default()), "k1", &[]).contains("would have"));
    }
}
