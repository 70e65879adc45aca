//! Bar chart for an email: stored as values, drawn as a PNG when the email is sent. Equal values give equal bytes.
//! Transparent background and mid-brightness colours suit light and dark pages.

use std::io::Cursor;

use image::{ImageFormat, Rgba, RgbaImage};
use platform::error::{Error, Result};
use serde::{Deserialize, Serialize};

pub const CHART_ID: &str = "chart";
/// In pixels; displayed at half size, so that it is sharp on a phone.
const WIDTH: u32 = 1024;
const HEIGHT: u32 = 224;
const GAP: u32 = 12;
/// Corner radius of a bar, and height of the stub for an empty day.
const RADIUS: u32 = 8;
const STUB: u32 = 4;
const MARKED: Rgba<u8> = Rgba([0x0e, 0x93, 0xa6, 0xff]);
const OTHER: Rgba<u8> = Rgba([0x8a, 0xa3, 0xbd, 0xff]);
const BELOW: Rgba<u8> = Rgba([0xd9, 0x5f, 0x6b, 0xff]);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarChart {
    /// Bar heights; negative values hang down.
    pub values: Vec<i64>,
    pub marked: usize,
    pub labels: Vec<String>,
    /// Text alternative, one sentence.
    pub alt: String,
}

/// In pixels from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BarRect {
    left: u32,
    width: u32,
    top: u32,
    bottom: u32,
}

impl BarChart {
    /// Errors: [`Error::Internal`] when the picture cannot be encoded, which no values cause.
    pub fn render_png(&self) -> Result<Vec<u8>> {
        let mut picture = RgbaImage::new(WIDTH, HEIGHT);
        let bars = self.layout_bars();
        let plain = bars.len().saturating_sub(self.marked);
        for (at, (bar, value)) in bars.iter().zip(&self.values).enumerate() {
            let colour = if *value < 0 {
                BELOW
            } else if at < plain {
                OTHER
            } else {
                MARKED
            };
            fill_bar(&mut picture, *bar, colour, *value < 0);
        }
        let mut bytes = Cursor::new(Vec::new());
        let written = picture.write_to(&mut bytes, ImageFormat::Png);
        written.map_err(|e| Error::Internal(format!("a chart: {e}")))?;
        Ok(bytes.into_inner())
    }

    fn layout_bars(&self) -> Vec<BarRect> {
        let count = u32::try_from(self.values.len()).unwrap_or(1).max(1);
        let slot = WIDTH / count;
        let gap = GAP.min(slot / 3);
        let highest = self.values.iter().copied().max().unwrap_or_default().max(0);
        let lowest = self.values.iter().copied().min().unwrap_or_default().min(0);
        let whole = i128::from(highest) - i128::from(lowest);
        let pixels = |value: i64| {
            let size = i128::from(value.unsigned_abs()) * i128::from(HEIGHT) / whole.max(1);
            u32::try_from(size).unwrap_or(HEIGHT)
        };
        let floor = HEIGHT - pixels(lowest);
        let bar = |(at, value): (u32, &i64)| {
            let size = pixels(*value).max(STUB);
            let left = at * slot + gap / 2;
            let (top, bottom) =
                if *value < 0 { (floor, floor + size) } else { (floor.saturating_sub(size), floor.max(STUB)) };
            BarRect { left, width: slot - gap, top, bottom: bottom.min(HEIGHT) }
        };
        (0..).zip(&self.values).map(bar).collect()
    }
}

/// Rounds the end away from the baseline.
fn fill_bar(picture: &mut RgbaImage, bar: BarRect, colour: Rgba<u8>, hangs: bool) {
    let radius = RADIUS.min(bar.width / 2).min((bar.bottom - bar.top) / 2);
    for y in bar.top..bar.bottom {
        let depth = if hangs { bar.bottom - 1 - y } else { y - bar.top };
        for x in 0..bar.width {
            let aside = x.min(bar.width - 1 - x);
            let alpha = if depth < radius && aside < radius {
                corner_alpha(radius - 1 - aside, radius - 1 - depth, radius)
            } else {
                255
            };
            let Rgba([r, g, b, _]) = colour;
            picture.put_pixel(bar.left + x, y, Rgba([r, g, b, alpha]));
        }
    }
}

/// Coverage of a pixel by the corner circle whose middle is `dx`, `dy` away, from sixteen sample points.
fn corner_alpha(dx: u32, dy: u32, radius: u32) -> u8 {
    let inside = |x: u32, y: u32| {
        let (x, y, r) = (8 * dx + 2 * x + 1, 8 * dy + 2 * y + 1, 8 * radius);
        x * x + y * y <= r * r
    };
    let hits = (0..4).flat_map(|x| (0..4).map(move |y| (x, y))).filter(|(x, y)| inside(*x, *y)).count();
    u8::try_from(hits * 255 / 16).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[i64], marked: usize) -> BarChart {
        BarChart { values: values.to_vec(), marked, ..BarChart::default() }
    }

    #[test]
    fn bar_height_is_proportional_and_zero_value_stays_visible() {
        let bars = of(&[0, 50, 100], 1).layout_bars();
        assert_eq!(bars.iter().map(|bar| bar.bottom - bar.top).collect::<Vec<_>>(), [STUB, HEIGHT / 2, HEIGHT]);
        let below = of(&[100, -100], 0).layout_bars();
        assert_eq!((below[0].top, below[0].bottom, below[1].top, below[1].bottom), (0, 112, 112, 224));
    }

    #[test]
    fn chart_png_is_deterministic_small_and_transparent() {
        let chart = of(&[1, 5, 0, 9, -2, 7, 3], 1);
        let png = chart.render_png().unwrap();
        assert_eq!(png, chart.render_png().unwrap());
        assert!(png.len() < 8_000, "{} bytes", png.len());
        let read = image::load_from_memory(&png).unwrap().to_rgba8();
        assert_eq!((read.dimensions(), read.get_pixel(0, 0).0[3]), ((WIDTH, HEIGHT), 0));
        let marked = read.pixels().filter(|pixel| **pixel == MARKED).count();
        assert!(marked > 1_000, "{marked}");
    }

    proptest! {
        #[test]
        fn chart_of_any_values_is_drawn(values in prop::collection::vec(any::<i64>(), 0..60), marked in 0_usize..70) {
            prop_assert!(of(&values, marked).render_png().is_ok());
        }
    }
}
