//! A QR code as one SVG path.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::platform::error::{Error, Result};

/// Quiet zone in modules (ISO/IEC 18004, 6.3.8).
const QUIET: usize = 4;

/// A square of modules; the page draws the dark ones, on white.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QrPicture {
    /// The side of the square in modules, with the margin around it.
    pub size: usize,
    /// The dark modules, in runs: the `d` of a path.
    pub path: String,
}

impl QrPicture {
    /// # Errors
    /// [`Error::Internal`] beyond the 2,953 bytes that a QR code holds.
    pub fn from_text(text: &str) -> Result<Self> {
        // A screen has no damage: the lowest correction gives the largest modules.
        let code = QrCode::with_error_correction_level(text, EcLevel::L)
            .map_err(|e| Error::Internal(format!("a QR code: {e}")))?;
        let width = code.width();
        let colors = code.to_colors();
        let mut path = String::new();
        for (y, row) in colors.chunks(width).enumerate() {
            write_row_path(&mut path, y + QUIET, row);
        }
        Ok(Self { size: width + 2 * QUIET, path })
    }
}

fn write_row_path(path: &mut String, y: usize, row: &[Color]) {
    let mut x = QUIET;
    for run in row.chunk_by(|one, next| one == next) {
        let length = run.len();
        if run.first() == Some(&Color::Dark) {
            // Writing to a String cannot fail.
            let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
        }
        x += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finder_patterns_stand_in_three_corners() {
        let qr = QrPicture::from_text("otpauth://totp/Toolbox:ann%40acme%2Eexample?secret=GEZDGNBVGY3TQOJQ").unwrap();
        let far = qr.size - QUIET - 7;
        for (x, y) in [(QUIET, QUIET), (far, QUIET), (QUIET, far)] {
            // Upper edge of a finder pattern: seven dark modules between light ones.
            assert!(qr.path.contains(&format!("M{x} {y}h7v1h-7z")), "{x} {y}: {}", qr.path);
        }
        assert_eq!((qr.size - 2 * QUIET) % 4, 1, "a side of 17 + 4n modules");
    }

    #[test]
    fn qr_code_fits_900_characters_but_not_3000() {
        assert!(QrPicture::from_text(&"x".repeat(900)).is_ok());
        assert!(QrPicture::from_text(&"x".repeat(3_000)).is_err());
    }
}
