//! The archive of a job's files, made while it is sent: one file at a time lies in memory.

use std::{collections::HashSet, io};

use axum::body::Body;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use shared::{
    domain::work::file::{Kind, pack::Packed},
    platform::{
        storage::Storage,
        zip_stream::{Packing, Piece},
    },
};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// Pieces that wait for a slow reader.
const AHEAD: usize = 1;

/// `job-1007-photos-2026-11-21.zip`, by the day of the business.
pub fn name(number: i64, kind: Option<Kind>, now: DateTime<Utc>, zone: Tz) -> String {
    let what = match kind {
        Some(Kind::Photo) => "photos",
        Some(Kind::Document) => "documents",
        None => "files",
    };
    format!("job-{number}-{what}-{}.zip", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// The archive as a body. A file that cannot be fetched breaks it off, so that nobody takes a part for the whole.
pub fn stream(storage: Storage, files: Vec<Packed>, zone: Tz) -> Body {
    let (pieces, body) = channel(AHEAD);
    tokio::spawn(async move {
        if let Err(e) = pack(&storage, files, zone, &pieces).await {
            tracing::warn!(cause = %e, "an archive was broken off");
            // Nobody listens when the reader has gone: then there is nobody to tell either.
            drop(pieces.send(Err(e)).await);
        }
    });
    Body::from_stream(ReceiverStream::new(body))
}

async fn pack(storage: &Storage, files: Vec<Packed>, zone: Tz, pieces: &Sender<Piece>) -> io::Result<()> {
    let mut packing = Packing::default();
    let mut names = Names::default();
    let mut original = String::new();
    for file in files {
        let name = if file.is_marked { names.unique(&marked(&original)) } else { names.unique(&file.name) };
        if !file.is_marked {
            original.clone_from(&name);
        }
        let bytes = storage.get(&file.full_key).await.map_err(io::Error::other)?;
        let piece = packing.add(&name, (file.taken_at, zone), &bytes)?;
        if pieces.send(Ok(piece)).await.is_err() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }
    let last = packing.finish()?;
    pieces.send(Ok(last)).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
}

/// `leak-marked.jpg`, of `leak.jpg`: by name too the two stand side by side.
fn marked(original: &str) -> String {
    let stem = original.rsplit_once('.').map_or(original, |(stem, _)| stem);
    format!("{stem}-marked.jpg")
}

/// Names that were given away, lower-cased: some file systems do not tell `A.jpg` from `a.jpg`.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn unique(&mut self, name: &str) -> String {
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
    fn no_two_files_have_one_name_and_none_leaves_its_folder() {
        let mut names = Names::default();
        let given = ["leak.jpg", "leak.jpg", "LEAK.jpg", "../../etc/passwd", "plan", "plan", "leak (2).jpg"];
        let wanted =
            ["leak.jpg", "leak (2).jpg", "LEAK (3).jpg", "..-..-etc-passwd", "plan", "plan (2)", "leak (2) (2).jpg"];
        assert_eq!(given.map(|name| names.unique(name)), wanted);
    }

    #[test]
    fn a_copy_that_was_drawn_on_is_called_after_its_original() {
        assert_eq!([marked("leak (2).jpg"), marked("no ending")], ["leak (2)-marked.jpg", "no ending-marked.jpg"]);
    }

    #[test]
    fn an_archive_is_called_by_the_day_of_the_business() {
        let late = "2026-11-22T03:00:00Z".parse().unwrap();
        let called = |kind| name(1007, kind, late, chrono_tz::America::Chicago);
        assert_eq!(called(Some(Kind::Photo)), "job-1007-photos-2026-11-21.zip");
        assert_eq!(called(Some(Kind::Document)), "job-1007-documents-2026-11-21.zip");
        assert_eq!(called(None), "job-1007-files-2026-11-21.zip");
    }
}
