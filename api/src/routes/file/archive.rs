//! The archive of a job's files, made while it is sent: one file at a time lies in memory.
//!
//! Every file is whole before its entry begins, so its size and checksum stand before its bytes: programs that read an
//! archive from its start can open it too. Nothing is compressed, for photos and PDFs are already.

use std::{
    collections::HashSet,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use axum::body::{Body, Bytes};
use chrono::{DateTime, Datelike, Timelike, Utc};
use chrono_tz::Tz;
use shared::{
    file::{Kind, pack::Packed},
    storage::Storage,
};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use zip::{
    CompressionMethod, PreparedZipFile, ZipWriter,
    result::ZipResult,
    write::{SimpleFileOptions, StreamWriter},
};

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

type Piece = io::Result<Bytes>;

async fn pack(storage: &Storage, files: Vec<Packed>, zone: Tz, pieces: &Sender<Piece>) -> io::Result<()> {
    let out = Out::default();
    let mut zip = ZipWriter::new(StreamWriter::new(out.clone()));
    let mut names = Names::default();
    let mut original = String::new();
    for file in files {
        let name = if file.is_marked { names.unique(&marked(&original)) } else { names.unique(&file.name) };
        if !file.is_marked {
            original.clone_from(&name);
        }
        let bytes = storage.get(&file.full_key).await.map_err(io::Error::other)?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(wall_time(file.taken_at, zone))
            .unix_permissions(0o644);
        add(&mut zip, &name, options, &bytes)?;
        if pieces.send(Ok(out.take())).await.is_err() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }
    zip.finish().map_err(io::Error::other)?;
    pieces.send(Ok(out.take())).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
}

fn add(zip: &mut ZipWriter<StreamWriter<Out>>, name: &str, options: SimpleFileOptions, bytes: &[u8]) -> io::Result<()> {
    let prepared: ZipResult<PreparedZipFile> = PreparedZipFile::from_data(name, options, bytes);
    prepared.and_then(|file| zip.add_prepared_file(file)).map_err(io::Error::other)
}

/// `leak-marked.jpg`, of `leak.jpg`: by name too the two stand side by side.
fn marked(original: &str) -> String {
    let stem = original.rsplit_once('.').map_or(original, |(stem, _)| stem);
    format!("{stem}-marked.jpg")
}

/// An archive keeps the time of the clock on the wall, to two seconds.
fn wall_time(at: DateTime<Utc>, zone: Tz) -> zip::DateTime {
    let at = at.with_timezone(&zone);
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let year = u16::try_from(at.year()).unwrap_or_default();
    let (month, day) = (small(at.month()), small(at.day()));
    let made =
        zip::DateTime::from_date_and_time(year, month, day, small(at.hour()), small(at.minute()), small(at.second()));
    made.unwrap_or_default()
}

/// What was packed and not sent yet.
#[derive(Clone, Default)]
struct Out(Arc<Mutex<Vec<u8>>>);

impl Out {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
