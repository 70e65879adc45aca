//! An archive made while it is sent: one file at a time lies in memory.
//!
//! Every file is whole before its entry begins, so its size and checksum stand before its bytes: programs that read an
//! archive from its start can open it too. Nothing is compressed, for photos and PDFs are already.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use chrono::{DateTime, Datelike, Timelike, Utc};
use chrono_tz::Tz;
use zip::{
    CompressionMethod, PreparedZipFile, ZipWriter,
    result::ZipResult,
    write::{SimpleFileOptions, StreamWriter},
};

/// What leaves, or why nothing more does.
pub type Piece = io::Result<Bytes>;

/// An archive that is being made.
pub struct Packing {
    zip: ZipWriter<StreamWriter<Out>>,
    out: Out,
}

impl Default for Packing {
    fn default() -> Self {
        let out = Out::default();
        Self { zip: ZipWriter::new(StreamWriter::new(out.clone())), out }
    }
}

impl Packing {
    /// Adds a file, dated as the clock on the wall of `zone` showed. Returns the piece that is ready to leave.
    ///
    /// # Errors
    /// When a file of this name is in it already, or the archive would be too large.
    pub fn add(&mut self, name: &str, (at, zone): (DateTime<Utc>, Tz), bytes: &[u8]) -> Piece {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(wall_time(at, zone))
            .unix_permissions(0o644);
        let prepared: ZipResult<PreparedZipFile> = PreparedZipFile::from_data(name, options, bytes);
        prepared.and_then(|file| self.zip.add_prepared_file(file)).map_err(io::Error::other)?;
        Ok(self.out.take())
    }

    /// The last piece.
    ///
    /// # Errors
    /// When the archive would be too large.
    pub fn finish(self) -> Piece {
        self.zip.finish().map_err(io::Error::other)?;
        Ok(self.out.take())
    }
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
