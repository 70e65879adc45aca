//! A QR code as one path of an SVG: what a phone's camera reads off another screen.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::platform::error::{Error, Result};

/// The margin that scanners want around it (ISO/IEC 18004, 6.3.8), in modules.
const QUIET: usize = 4;

/// A square of modules; the page draws the dark ones, on white.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QrPicture)]
pub struct Qr {
    /// The side of the square in modules, with the margin around it.
    pub size: usize,
    /// The dark modules, in runs: the `d` of a path.
    pub path: String,
}

impl Qr {
    /// # Errors
    /// [`Error::Internal`] beyond the 2,953 bytes that a QR code holds.
    pub fn of(text: &str) -> Result<Self> {
        // On a screen nothing is torn or dirty: the least correction gives the largest modules.
        let code = QrCode::with_error_correction_level(text, EcLevel::L)
            .map_err(|e| Error::Internal(format!("a QR code: {e}")))?;
        let width = code.width();
        let colors = code.to_colors();
        let mut path = String::new();
        for (y, row) in colors.chunks(width).enumerate() {
            draw(&mut path, y + QUIET, row);
        }
        Ok(Self { size: width + 2 * QUIET, path })
    }
}

/// A rectangle for each run of dark modules in a row.
fn draw(path: &mut String, y: usize, row: &[Color]) {
    let mut x = QUIET;
    for run in row.chunk_by(|one, next| one == next) {
        let length = run.len();
        if run.first() == Some(&Color::Dark) {
            // Writing into a text cannot fail.
            let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
        }
        x += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_three_corners_are_where_a_camera_looks_for_them() {
        let qr = Qr::of("otpauth://totp/Toolbox:ann%40acme%2Eexample?secret=GEZDGNBVGY3TQOJQ").unwrap();
        let far = qr.size - QUIET - 7;
        for (x, y) in [(QUIET, QUIET), (far, QUIET), (QUIET, far)] {
            // A finder pattern's upper edge: seven dark modules with light ones beside them.
            assert!(qr.path.contains(&format!("M{x} {y}h7v1h-7z")), "{x} {y}: {}", qr.path);
        }
        assert_eq!((qr.size - 2 * QUIET) % 4, 1, "a side of 17 + 4n modules");
    }

    #[test]
    fn the_longest_address_of_an_app_fits() {
        assert!(Qr::of(&"x".repeat(900)).is_ok());
        assert!(Qr::of(&"x".repeat(3_000)).is_err());
    }
}
