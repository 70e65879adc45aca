//! Configuration of the file storage: `STORAGE_URL` and related variables.

use std::path::{Path, PathBuf};

use object_store::aws::AmazonS3ConfigKey;
use secrecy::SecretString;
use url::Url;

use crate::config::EnvVars;

/// Free disk space in bytes that uploads must leave for the database.
pub const DEFAULT_DISK_FLOOR: u64 = 1_000_000_000;

/// Standard AWS variables that are passed on; the last three give a role instead of a key.
const AWS: [&str; 10] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
];

#[derive(Debug, Clone)]
pub enum StorageConfig {
    /// `STORAGE_URL=file:///path`, or `<DATA_DIR>/uploads`; `DISK_FLOOR_BYTES`.
    File { root: PathBuf, floor: u64 },
    /// `STORAGE_URL=s3://bucket/prefix`, with the usual `AWS_*` variables.
    S3 { bucket: String, prefix: String, settings: Vec<(AmazonS3ConfigKey, SecretString)> },
}

impl StorageConfig {
    /// Reads `STORAGE_URL`, `DISK_FLOOR_BYTES` and, for a bucket, the `AWS_*` variables.
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path) -> Self {
        let floor = vars.parse_or("DISK_FLOOR_BYTES", DEFAULT_DISK_FLOOR, "a whole number of bytes");
        let usual = Self::File { root: data_dir.join("uploads"), floor };
        let Some(given) = vars.get("STORAGE_URL") else { return usual };
        match Url::parse(&given) {
            Ok(url) if url.scheme() == "file" && url.query().is_none() => match url.to_file_path() {
                Ok(root) => return Self::File { root, floor },
                Err(()) => vars.record_invalid("STORAGE_URL", "must hold a whole path: file:///srv/uploads"),
            },
            Ok(url)
                if url.scheme() == "s3" && url.host_str().is_some_and(|b| !b.is_empty()) && url.query().is_none() =>
            {
                return Self::S3 {
                    bucket: url.host_str().unwrap_or_default().to_owned(),
                    prefix: url.path().trim_matches('/').to_owned(),
                    settings: aws_settings(vars),
                };
            }
            _ => vars.record_invalid("STORAGE_URL", "must be file:///path or s3://bucket/prefix"),
        }
        usual
    }
}

fn aws_settings(vars: &mut EnvVars) -> Vec<(AmazonS3ConfigKey, SecretString)> {
    let mut settings = vec![];
    for name in AWS {
        let parsed = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().ok();
        if let (Some(key), Some(value)) = (parsed, vars.get(name)) {
            settings.push((key, value.into()));
        }
    }
    for [one, other] in [[AWS[0], AWS[1]], [AWS[1], AWS[0]]] {
        if vars.get(one).is_some() && vars.get(other).is_none() {
            vars.record_invalid(other, format!("must be set, because {one} is"));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Storage;

    fn read(pairs: &[(&str, &str)]) -> (StorageConfig, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = StorageConfig::from_vars(&mut vars, Path::new("/srv/var"));
        let faults = vars.into_result().err().map(|e| e.0).unwrap_or_default();
        (config, faults.into_iter().map(|f| f.variable).collect())
    }

    #[test]
    fn storage_url_decides_between_folder_and_s3() {
        let (config, _) = read(&[]);
        assert!(
            matches!(config, StorageConfig::File { root, floor: DEFAULT_DISK_FLOOR } if root == Path::new("/srv/var/uploads"))
        );
        let (config, faults) = read(&[("STORAGE_URL", "file:///data/up"), ("DISK_FLOOR_BYTES", "5")]);
        assert!(
            matches!(config, StorageConfig::File { root, floor: 5 } if root == Path::new("/data/up")),
            "{faults:?}"
        );
        let (config, faults) = read(&[
            ("STORAGE_URL", "s3://photos/live/"),
            ("AWS_ACCESS_KEY_ID", "AK"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret-canary"),
            ("AWS_REGION", "eu-west-1"),
        ]);
        assert!(faults.is_empty());
        let shown = format!("{config:?} {:?}", Storage::open(&config).unwrap());
        assert!(shown.contains("s3://photos/live") && !shown.contains("canary"), "{shown}");
    }

    #[test]
    fn invalid_storage_url_is_a_fault() {
        for bad in ["uploads", "ftp://x/y", "file://host/path", "s3://", "s3:///x"] {
            assert_eq!(read(&[("STORAGE_URL", bad)]).1, ["STORAGE_URL"], "{bad}");
        }
        let half = read(&[("STORAGE_URL", "s3://photos"), ("AWS_ACCESS_KEY_ID", "AK")]);
        assert_eq!(half.1, ["AWS_SECRET_ACCESS_KEY"]);
        assert_eq!(read(&[("DISK_FLOOR_BYTES", "much")]).1, ["DISK_FLOOR_BYTES"]);
    }

    #[test]
    fn every_aws_variable_is_known_to_the_library() {
        for name in AWS {
            assert!(name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().is_ok(), "{name}");
        }
    }
}
