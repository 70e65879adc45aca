//! Streamed ZIP archive with one file at a time in memory.
//!
//! Every file is complete before its entry begins, so that size and checksum precede the data and streaming readers can
//! open the archive. No compression: photos and PDFs are compressed already.

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

pub type ZipChunk = io::Result<Bytes>;

pub struct ZipStream {
    zip: ZipWriter<StreamWriter<ChunkBuffer>>,
    out: ChunkBuffer,
}

impl Default for ZipStream {
    fn default() -> Self {
        let out = ChunkBuffer::default();
        Self { zip: ZipWriter::new(StreamWriter::new(out.clone())), out }
    }
}

impl ZipStream {
    /// Adds a file, dated in the local time of `zone`. Returns the next piece to send. Errors: when the name is already
    /// used, or the archive would be too large.
    pub fn add_file(&mut self, name: &str, (at, zone): (DateTime<Utc>, Tz), bytes: &[u8]) -> ZipChunk {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(to_zip_time(at, zone))
            .unix_permissions(0o644);
        let prepared: ZipResult<PreparedZipFile> = PreparedZipFile::from_data(name, options, bytes);
        prepared.and_then(|file| self.zip.add_prepared_file(file)).map_err(io::Error::other)?;
        Ok(self.out.take_chunk())
    }

    /// Errors: when the archive would be too large.
    pub fn finish(self) -> ZipChunk {
        self.zip.finish().map_err(io::Error::other)?;
        Ok(self.out.take_chunk())
    }
}

/// ZIP entries store local time with a resolution of two seconds.
fn to_zip_time(at: DateTime<Utc>, zone: Tz) -> zip::DateTime {
    let at = at.with_timezone(&zone);
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let year = u16::try_from(at.year()).unwrap_or_default();
    let (month, day) = (small(at.month()), small(at.day()));
    let made =
        zip::DateTime::from_date_and_time(year, month, day, small(at.hour()), small(at.minute()), small(at.second()));
    made.unwrap_or_default()
}

#[derive(Clone, Default)]
struct ChunkBuffer(Arc<Mutex<Vec<u8>>>);

impl ChunkBuffer {
    fn take_chunk(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for ChunkBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
