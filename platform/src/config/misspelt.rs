//! Variables whose names are nearly those of ours: they have no effect, so the start names them.

/// All variables of docs/configuration.md.
pub const KNOWN_NAMES: [&str; 76] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
    "AWS_ROLE_ARN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "BACKUPS",
    "BACKUP_DIR",
    "BACKUP_KEEP",
    "BIND_ADDR",
    "DATABASE_LISTEN_URL",
    "DATABASE_MIGRATE_URL",
    "DATABASE_POOLER",
    "DATABASE_READ_CONNECTIONS",
    "DATABASE_REPORTS_URL",
    "DATABASE_URL",
    "DATABASE_WRITE_CONNECTIONS",
    "DATA_DIR",
    "DEFAULT_ORG",
    "DEMO",
    "DISK_FLOOR_BYTES",
    "INTAKE_LIMIT_LOOPBACK",
    "LOG_FORMAT",
    "MAIL_FROM",
    "METRICS_TOKEN",
    "NEW_DATABASE_URL",
    "NUMBERS_PER_BUSINESS",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "PHOTOS_AT_ONCE",
    "PHOTO_SPOOL_BYTES",
    "PLATFORM_ADMIN_EMAILS",
    "PORT",
    "PUBLIC_URL",
    "PUSH_TEST_ENDPOINT",
    "REGISTRATION",
    "RUST_LOG",
    "SECRET_KEY",
    "SECRET_KEY_OLD",
    "SITE_FILE",
    "SMS_PER_DAY",
    "SMS_SEGMENTS_PER_SECOND",
    "SMS_SEGMENT_PRICE",
    "SMTP_URL",
    "STORAGE_QUOTA_BYTES",
    "STORAGE_URL",
    "STRIPE_API_URL",
    "STRIPE_CONNECT_SECRET_KEY",
    "STRIPE_CONNECT_WEBHOOK_SECRET",
    "STRIPE_PRICE_MONTHLY",
    "STRIPE_PRICE_SETUP",
    "STRIPE_PRICE_SETUP_SIX_MONTHS",
    "STRIPE_PRICE_SIX_MONTHS",
    "STRIPE_PUBLISHABLE_KEY",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
    "SUPPORT_EMAIL",
    "TASKS_KEEP_DAYS",
    "TRUSTED_PROXIES",
    "TWILIO_ACCOUNT_SID",
    "TWILIO_API_KEY",
    "TWILIO_API_SECRET",
    "TWILIO_API_URL",
    "TWILIO_AUTH_TOKEN",
    "TWILIO_FROM",
    "TWILIO_MESSAGING_SERVICE_SID",
    "TWILIO_PRIMARY_PROFILE",
    "TWILIO_WEBHOOK_SECRETS",
    "VAPID_PRIVATE_KEY",
    "WEBHOOK_TEST_ENDPOINT",
    "WORKER_CONCURRENCY",
    "WORKER_LEASE_SECONDS",
];

/// In short names one wrong letter, else words such as `HOST` would be taken for `PORT`.
const SHORT_NAME: usize = 8;

/// The variable of ours that `name` was probably to be; none when it is one of ours, or resembles none.
pub(super) fn find_similar_name(name: &str) -> Option<&'static str> {
    if KNOWN_NAMES.contains(&name) {
        return None;
    }
    let is_similar = |known: &&&str| {
        let allowed = if known.len() < SHORT_NAME { 1 } else { 2 };
        known.len().abs_diff(name.len()) <= allowed && edit_distance(known, name) <= allowed
    };
    KNOWN_NAMES.iter().find(is_similar).copied()
}

/// Levenshtein's distance in bytes.
fn edit_distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, from_byte) in from.bytes().enumerate() {
        let mut left = index + 1;
        let mut next = vec![left];
        for (pair, to_byte) in row.windows(2).zip(to.bytes()) {
            let [diagonal, above] = pair else { continue };
            left = (diagonal + usize::from(from_byte != to_byte)).min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_close_to_a_known_one_are_similar() {
        for (name, known) in [
            ("REGISTRATON", Some("REGISTRATION")),
            ("TWILIO_ACOUNT_SID", Some("TWILIO_ACCOUNT_SID")),
            ("PUBLIC_URI", Some("PUBLIC_URL")),
            ("PORTS", Some("PORT")),
            ("REGISTRATION", None),
            ("STRIPE_PRICE_SETUP", None),
            ("HOST", None),
            ("HOME", None),
            ("PATH", None),
            ("TZ", None),
            ("AWS_PROFILE", None),
        ] {
            assert_eq!(find_similar_name(name), known, "{name}");
        }
    }
}
