//! Archive of a job's files, built while it is sent: one file at a time in memory.

use std::{collections::HashSet, io};

use axum::body::Body;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use shared::{
    domain::work::file::{FileType, archive_files::ArchiveFile},
    platform::{
        storage::Storage,
        zip_stream::{ZipChunk, ZipStream},
    },
};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// Chunks buffered for a slow reader.
const AHEAD: usize = 1;

/// `job-1007-photos-2026-11-21.zip`, with the date of the business's time zone.
pub fn archive_name(number: i64, kind: Option<FileType>, now: DateTime<Utc>, zone: Tz) -> String {
    let what = match kind {
        Some(FileType::Photo) => "photos",
        Some(FileType::Document) => "documents",
        None => "files",
    };
    format!("job-{number}-{what}-{}.zip", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// The archive as a body. A file that cannot be fetched aborts it, so that a part is not taken for the whole.
pub fn stream_archive(storage: Storage, files: Vec<ArchiveFile>, zone: Tz) -> Body {
    let (pieces, body) = channel(AHEAD);
    tokio::spawn(async move {
        if let Err(e) = write_archive(&storage, files, zone, &pieces).await {
            tracing::warn!(cause = %e, "an archive was broken off");
            // Fails only when the reader has gone.
            drop(pieces.send(Err(e)).await);
        }
    });
    Body::from_stream(ReceiverStream::new(body))
}

async fn write_archive(
    storage: &Storage,
    files: Vec<ArchiveFile>,
    zone: Tz,
    pieces: &Sender<ZipChunk>,
) -> io::Result<()> {
    let mut packing = ZipStream::default();
    let mut names = UsedNames::default();
    let mut original = String::new();
    for file in files {
        let name =
            if file.is_marked { names.make_unique(&marked_name(&original)) } else { names.make_unique(&file.name) };
        if !file.is_marked {
            original.clone_from(&name);
        }
        let bytes = storage.get(&file.full_key).await.map_err(io::Error::other)?;
        let piece = packing.add_file(&name, (file.taken_at, zone), &bytes)?;
        if pieces.send(Ok(piece)).await.is_err() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }
    let last = packing.finish()?;
    pieces.send(Ok(last)).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
}

/// `leak-marked.jpg` for `leak.jpg`: the two sort next to each other.
fn marked_name(original: &str) -> String {
    let stem = original.rsplit_once('.').map_or(original, |(stem, _)| stem);
    format!("{stem}-marked.jpg")
}

/// Names in use, lower-cased: some file systems do not tell `A.jpg` from `a.jpg`.
#[derive(Default)]
struct UsedNames(HashSet<String>);

impl UsedNames {
    fn make_unique(&mut self, name: &str) -> String {
        let name: String = name.chars().map(|c| if matches!(c, '/' | '\\') { '-' } else { c }).collect();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
        let numbered = |number: u32| match (number, ending) {
            (1, _) => name.clone(),
            (_, "") => format!("{stem} ({number})"),
            _ => format!("{stem} ({number}).{ending}"),
        };
        let free = (1..=u32::MAX).map(numbered).find(|name| self.0.insert(name.to_lowercase()));
        free.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_in_archive_are_unique_and_stay_in_the_folder() {
        let mut names = UsedNames::default();
        let given = ["leak.jpg", "leak.jpg", "LEAK.jpg", "../../etc/passwd", "plan", "plan", "leak (2).jpg"];
        let wanted =
            ["leak.jpg", "leak (2).jpg", "LEAK (3).jpg", "..-..-etc-passwd", "plan", "plan (2)", "leak (2) (2).jpg"];
        assert_eq!(given.map(|name| names.make_unique(name)), wanted);
    }

    #[test]
    fn marked_copy_is_named_after_its_original() {
        assert_eq!(
            [marked_name("leak (2).jpg"), marked_name("no ending")],
            ["leak (2)-marked.jpg", "no ending-marked.jpg"]
        );
    }

    #[test]
    fn archive_is_named_by_the_date_in_the_zone_of_the_business() {
        let late = "2026-11-22T03:00:00Z".parse().unwrap();
        let called = |kind| archive_name(1007, kind, late, chrono_tz::America::Chicago);
        assert_eq!(called(Some(FileType::Photo)), "job-1007-photos-2026-11-21.zip");
        assert_eq!(called(Some(FileType::Document)), "job-1007-documents-2026-11-21.zip");
        assert_eq!(called(None), "job-1007-files-2026-11-21.zip");
    }
}
